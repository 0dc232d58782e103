use super::place::Place;
use agon_build::{Language, Tools};

const ALL: &[&str] = &[
    "make", "gcc", "g++", "cc", "cargo", "rustc", "java", "javac", "python3", "node", "dotnet", "mcs", "mono", "go",
    "ocamlopt", "dune", "ghc", "ruby", "perl", "lua", "php",
];

/// Names and texts.
type Files<'a> = &'a [(&'a str, &'a str)];

const MAIN: &str = "int main() {}";
const JAVA: &str = "class X { public static void main(String[] a) {} }";
const ELF: &str = "\x7fELF";

fn place(files: Files<'_>) -> (Place, Tools) {
    let place = Place::new();
    files.iter().for_each(|(name, text)| place.write(name, text));
    let tools = place.tools(ALL, "v22.18.0");
    (place, tools)
}

#[test]
fn a_bot_is_what_its_files_say() {
    use Language::*;
    let cases: &[(Files<'_>, Language, &str)] = &[
        (&[("bot.c", MAIN)], C, "`bot.c`"),
        (&[("anything.c", MAIN), ("README.md", "")], C, "`anything.c`"),
        (&[("bot.cpp", MAIN), ("map.c", "")], Cpp, "`bot.cpp`"),
        (&[("src/a.cc", MAIN), ("Makefile", "all:\n")], Cpp, "`Makefile`"),
        (&[("Cargo.toml", ""), ("src/main.rs", ""), ("plot.py", "")], Rust, "`Cargo.toml`"),
        (&[("main.rs", "fn main() {}")], Rust, "`main.rs`"),
        (&[("Main.java", JAVA)], Java, "`Main.java`"),
        (&[("org/me/MyBot.java", JAVA), ("lib/x.jar", "PK")], Java, "`org/me/MyBot.java`"),
        (&[("bot.jar", "PK"), ("weights.bin", "")], Java, "`bot.jar`"),
        (&[("main.py", ""), ("bot.py", "")], Python, "`main.py`"),
        (&[("strategy.py", "")], Python, "`strategy.py`"),
        (&[("MyBot.py", ""), ("util.py", ""), ("fast.c", "")], Python, "`MyBot.py`"),
        (&[("__main__.py", ""), ("a.py", "")], Python, "`__main__.py`"),
        (&[("package.json", "{\"main\": \"./src/go.js\"}"), ("src/go.js", "")], JavaScript, "`package.json`"),
        (&[("bot.js", ""), ("map.js", "")], JavaScript, "`bot.js`"),
        (&[("package.json", "{}"), ("index.mjs", "")], JavaScript, "`index.mjs`"),
        (
            &[("tsconfig.json", "{}"), ("src/main.ts", ""), ("package.json", "{\"main\": \"dist/x.js\"}")],
            TypeScript,
            "`tsconfig.json`",
        ),
        (&[("bot.ts", ""), ("bot.js", "")], TypeScript, "`bot.ts`"),
        (&[("Bot.csproj", ""), ("Bot.cs", "")], CSharp, "`Bot.csproj`"),
        (&[("Program.cs", "")], CSharp, "`Program.cs`"),
        (&[("go.mod", ""), ("main.go", "")], Go, "`go.mod`"),
        (&[("bot.go", "")], Go, "`bot.go`"),
        (&[("dune-project", ""), ("main.ml", "")], OCaml, "`dune-project`"),
        (&[("bot.ml", "")], OCaml, "`bot.ml`"),
        (&[("Main.hs", "")], Haskell, "`Main.hs`"),
        (&[("MyBot.rb", "#!/usr/bin/ruby\n"), ("tcp.c", MAIN)], Ruby, "`MyBot.rb`"),
        (&[("bot.pl", ""), ("PlanetWars.pm", "")], Perl, "`bot.pl`"),
        (&[("main.lua", "")], Lua, "`main.lua`"),
        (&[("bot.php", "")], Php, "`bot.php`"),
        (&[("play", ELF)], Program, "`play`"),
        (&[("run.sh", "#!/bin/sh\n"), ("weights.bin", "")], Program, "`run.sh`"),
        (&[("bot", ELF), ("bot.cpp", MAIN)], Cpp, "`bot.cpp`"),
        (&[("agon.toml", "language = 'py'"), ("bot.py", ""), ("bot.js", "")], Python, "`bot.py`"),
        (&[("agon.toml", "main = 'tools/x.js'"), ("bot.py", ""), ("tools/x.js", "")], JavaScript, "`tools/x.js`"),
    ];
    for (files, language, why) in cases {
        let (place, tools) = place(files);
        let plan = place.plan(&tools).unwrap_or_else(|e| panic!("{files:?}: {e}, {:?}", e.hint));
        assert_eq!(plan.language, Some(*language), "{files:?}: {}", plan.why);
        assert!(plan.why.contains(why), "{files:?}: {}", plan.why);
    }
}

#[test]
fn an_undecided_start_is_said_with_the_way_out() {
    let cases: &[(Files<'_>, &str, &str)] = &[
        (&[("README.md", "")], "nothing says how it is played: the files are `README.md`", "`main.py`"),
        (&[("bot.jl", ""), ("README.md", "")], "nothing says how it is played", "run = [\"julia\", \"bot.jl\"]"),
        (&[("a.awk", ""), ("bot.awk", "")], "nothing says how it is played", "run = [\"awk\", \"-f\", \"bot.awk\"]"),
        (&[("wars/bot.pl", ""), ("playgame.py", "")], "nothing says", "main = \"wars/bot.pl\""),
        (&[("PlayGame.jar", "PK"), ("maps/map1.txt", "")], "nothing says", "name the start `main` or `bot`"),
        (&[("wars/bot/main.py", ""), ("README", "")], "nothing says", "main = \"wars/bot/main.py\""),
        (&[("bot.exe", "MZ"), ("bot.bat", "")], "nothing says how it is played", "is for Windows"),
        (&[("bot.py", ""), ("bot.cpp", MAIN)], "C++ (`bot.cpp`) or Python (`bot.py`)", "language = \"c++\""),
        (&[("Cargo.toml", ""), ("go.mod", "")], "Rust (`Cargo.toml`) or Go (`go.mod`)", "language = \"rust\""),
        (&[("a.py", ""), ("b.py", "")], "2 files, `a.py`, `b.py`, each could be the start", "main = \"a.py\""),
        (
            &[("a.cpp", MAIN), ("b.cpp", MAIN)],
            "2 files, `a.cpp`, `b.cpp`, each has a function `main`",
            "main = \"a.cpp\"",
        ),
        (&[("a.cpp", "int helper();")], "no file has a function `main`", "`a.cpp`"),
        (&[("a/X.java", JAVA), ("b/Y.java", JAVA)], "each has a method `main`", "main = \"a/X.java\""),
        (&[("a.sh", "#!/bin/sh\n"), ("b.sh", "#!/bin/sh\n")], "each is a program", "main = \"a.sh\""),
        (&[("agon.toml", "language = 'go'"), ("bot.py", "")], "says Go, but there is no such source", "`bot.py`"),
        (&[("agon.toml", "main = 'x.py'"), ("bot.py", "")], "names the file `x.py`, which is not there", "`bot.py`"),
        (&[("agon.toml", "main = 'x.txt'"), ("x.txt", "")], "language of `x.txt` cannot be told", "language ="),
        (&[("agon.toml", "language='c'\nmain='x.py'"), ("x.py", "")], "names `x.py`, but no file has", "`x.py`"),
    ];
    for (files, what, hint) in cases {
        let (place, tools) = place(files);
        let flaw = place.plan(&tools).expect_err("it must be refused");
        assert!(flaw.what.contains(what), "{files:?}: {}", flaw.what);
        assert!(flaw.hint.as_ref().is_some_and(|h| h.contains(hint)), "{files:?}: {:?}", flaw.hint);
    }
}

#[test]
fn a_missing_tool_is_named_with_its_package() {
    for (file, text, tool, package) in [
        ("bot.c", MAIN, "`gcc`", "`gcc`"),
        ("bot.cpp", MAIN, "`g++`", "`g++`"),
        ("main.rs", "fn main() {}", "`rustc`", "`rustup or rustc`"),
        ("Bot.java", JAVA, "`java`", "`default-jre-headless`"),
        ("bot.py", "", "`python3`", "`python3`"),
        ("bot.js", "", "`node`", "`nodejs`"),
        ("Bot.cs", "", "`mcs` or `dotnet`", "`mono-mcs` or `dotnet-sdk-8.0`"),
        ("bot.go", "", "`go`", "`golang-go`"),
        ("bot.ml", "", "`ocamlopt`", "`ocaml-nox`"),
        ("bot.hs", "", "`ghc`", "`ghc`"),
        ("bot.rb", "", "`ruby`", "`ruby`"),
        ("bot.pl", "", "`perl`", "`perl`"),
        ("bot.lua", "", "`lua`", "`lua5.4`"),
        ("bot.php", "", "`php`", "`php-cli`"),
    ] {
        let place = Place::new();
        place.write(file, text);
        let flaw = place.plan(&Tools::in_folders(Vec::new())).expect_err("nothing is installed");
        assert!(flaw.what.contains(&format!("needs {tool}, which is not installed")), "{flaw}");
        assert!(flaw.hint.as_ref().is_some_and(|h| h.contains(package)), "{flaw:?}");
    }
    let place = Place::new();
    place.write("bot.ts", "");
    let flaw = place.plan(&place.tools(&["node"], "v20.20.2")).expect_err("this node is too old");
    assert!(flaw.what.contains("`tsc`") && flaw.hint.is_some_and(|h| h.contains("`node-typescript`")));
}
