//! Tests a bot in every language that Agon builds. Each bot passes every turn of Planet Wars.

use crate::{
    agon::Place,
    builds::{bot, installed, json, run, sandboxed},
};

/// Returns whether these programs are installed. Few machines have all of these compilers, so a message says which bots
/// are left out; CI installs all of them.
fn here(programs: &[&str]) -> bool {
    sandboxed() && installed(programs)
}

/// Checks that Agon detects the language of a bot with these files, builds it, and plays it without a fault.
fn plays(language: &str, tools: &[&str], files: &[(&str, &str)]) {
    if !here(tools) {
        return;
    }
    let place = Place::new();
    bot(&place, "bot", files);
    let built = json(&run(&place, &["build", "bot", "--format", "json"]));
    assert_eq!(built["language"], language, "{built:#}");
    let args = ["match", "planet-wars", "bot", "@random", "--seed", "1", "--time", "off"];
    let played = json(&run(&place, &[&args[..], &["--format", "json"]].concat()));
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
}

#[test]
fn c() {
    let loops = "#include <stdio.h>\n#include \"pass.h\"\nint main(void) {\n    char line[999];\n    \
        while (fgets(line, sizeof line, stdin)) if (is_go(line)) puts(\"go\"), fflush(stdout);\n}\n";
    let header = "int is_go(const char *line);\n";
    let part =
        "#include <string.h>\n#include \"pass.h\"\nint is_go(const char *line) { return !strcmp(line, \"go\\n\"); }\n";
    plays("c", &["gcc"], &[("src/bot.c", loops), ("include/pass.h", header), ("src/pass.c", part)]);
}

#[test]
fn cpp_with_a_file_in_c() {
    let main = "#include <iostream>\n#include <string>\nextern \"C\" int is_go(const char *);\nint main() {\n    \
        for (std::string line; std::getline(std::cin, line);) if (is_go(line.c_str())) std::cout << \"go\" << std::endl;\n}\n";
    let part = "#include <string.h>\nint is_go(const char *class) { return !strcmp(class, \"go\"); }\n";
    plays("c++", &["gcc", "g++"], &[("bot.cpp", main), ("part.c", part)]);
}

#[test]
fn rust_without_cargo() {
    let main = "mod part;\nfn main() {\n    for line in std::io::stdin().lines() {\n        \
        if part::is_go(&line.unwrap()) { println!(\"go\"); }\n    }\n}\n";
    let part = "pub fn is_go(line: &str) -> bool { line == \"go\" }\n";
    plays("rust", &["rustc", "cc"], &[("main.rs", main), ("part.rs", part)]);
}

#[test]
fn rust_with_a_vendored_crate() {
    let config = "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n";
    let manifest =
        "[package]\nname = \"player\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\npart = \"1\"\n";
    let main = "fn main() {\n    for line in std::io::stdin().lines() {\n        \
        if part::is_go(&line.unwrap()) { println!(\"go\"); }\n    }\n}\n";
    plays(
        "rust",
        &["cargo", "cc"],
        &[
            ("Cargo.toml", manifest),
            (".cargo/config.toml", config),
            ("src/main.rs", main),
            ("vendor/part/Cargo.toml", "[package]\nname = \"part\"\nversion = \"1.0.0\"\nedition = \"2021\"\n"),
            ("vendor/part/.cargo-checksum.json", "{\"files\": {}}"),
            ("vendor/part/src/lib.rs", "pub fn is_go(line: &str) -> bool { line == \"go\" }\n"),
        ],
    );
}

#[test]
fn java_in_packages_and_as_a_jar() {
    let main = "package me.player;\nimport java.util.Scanner;\npublic class Player {\n    \
        public static void main(String[] arguments) {\n        Scanner in = new Scanner(System.in);\n        \
        while (in.hasNextLine()) if (Part.isGo(in.nextLine())) System.out.println(\"go\");\n    }\n}\n";
    let part = "package me.player;\nclass Part { static boolean isGo(String line) { return line.equals(\"go\"); } }\n";
    let files = [("src/me/player/Player.java", main), ("src/me/player/Part.java", part)];
    plays("java", &["java", "javac"], &files);
    if !here(&["java", "javac", "jar"]) {
        return;
    }
    let place = Place::new();
    bot(&place, "source", &files);
    let pack = "cd source && javac -d out src/me/player/*.java && jar cfe ../bot.jar me.player.Player -C out .";
    let packed = std::process::Command::new("sh").args(["-c", pack]).current_dir(place.path(".")).status();
    assert!(packed.is_ok_and(|status| status.success()));
    let args = ["match", "planet-wars", "bot.jar", "@random", "--seed", "1", "--time", "off", "--format", "json"];
    let played = json(&run(&place, &args));
    assert!(played["seats"][0]["fault"].is_null() && played["seats"][0]["name"] == "bot", "{played:#}");
}

#[test]
fn python_by_its_main_module() {
    plays(
        "python",
        &["python3"],
        &[
            (
                "__main__.py",
                "import sys\nfrom part import is_go\nfor line in sys.stdin:\n    if is_go(line):\n        print('go', flush=True)\n",
            ),
            ("part.py", "def is_go(line):\n    return line == 'go\\n'\n"),
        ],
    );
}

#[test]
fn javascript_by_its_package() {
    let main = "const {isGo} = require('./part');\nrequire('readline').createInterface({input: process.stdin})\n    \
        .on('line', line => { if (isGo(line)) console.log('go'); });\n";
    let part = "exports.isGo = line => line === 'go';\n";
    let package = "{\"name\": \"player\", \"bin\": {\"player\": \"lib/player.js\"}}";
    plays("javascript", &["node"], &[("package.json", package), ("lib/player.js", main), ("lib/part.js", part)]);
}

#[test]
fn typescript() {
    // The types of node are not installed, so the source declares those that it uses.
    let main = "declare const process: any;\ndeclare function require(name: string): any;\n\
        const isGo = (line: string): boolean => line === 'go';\n\
        require('readline').createInterface({input: process.stdin})\n    \
        .on('line', (line: string) => { if (isGo(line)) process.stdout.write('go\\n'); });\n";
    plays("typescript", &["node", "tsc"], &[("bot.ts", main)]);
}

#[test]
fn csharp() {
    let main = "using System;\nclass Player {\n    static void Main() {\n        string line;\n        \
        while ((line = Console.ReadLine()) != null) if (Part.IsGo(line)) { Console.WriteLine(\"go\"); Console.Out.Flush(); }\n    }\n}\n";
    let part = "static class Part { public static bool IsGo(string line) { return line == \"go\"; } }\n";
    plays("c#", &["mcs", "mono"], &[("Player.cs", main), ("Part.cs", part)]);
}

#[test]
fn go_with_and_without_a_module() {
    let main = "package main\n\nimport (\n\t\"bufio\"\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tin := bufio.NewScanner(os.Stdin)\n\t\
        for in.Scan() {\n\t\tif isGo(in.Text()) {\n\t\t\tfmt.Println(\"go\")\n\t\t}\n\t}\n}\n";
    let part = "package main\n\nfunc isGo(line string) bool { return line == \"go\" }\n";
    plays("go", &["go"], &[("main.go", main), ("part.go", part)]);
    plays("go", &["go"], &[("go.mod", "module example.org/player\n\ngo 1.19\n"), ("main.go", main), ("part.go", part)]);
}

#[test]
fn ocaml() {
    let main = "let () = try while true do if Part.is_go (read_line ()) then (print_endline \"go\") done with End_of_file -> ()\n";
    plays("ocaml", &["ocamlopt"], &[("bot.ml", main), ("part.ml", "let is_go line = line = \"go\"\n")]);
}

#[test]
fn haskell() {
    let main = "import System.IO\nimport Part\n\nmain :: IO ()\nmain = hSetBuffering stdout LineBuffering >> \
        interact (unlines . map (const \"go\") . filter isGo . lines)\n";
    let part = "module Part (isGo) where\n\nisGo :: String -> Bool\nisGo = (== \"go\")\n";
    plays("haskell", &["ghc"], &[("Main.hs", main), ("Part.hs", part)]);
}

#[test]
fn ruby_beside_a_program_in_c() {
    let main = "require_relative 'part'\n$stdout.sync = true\nwhile (line = gets)\n  puts 'go' if go?(line)\nend\n";
    let part = "def go?(line)\n  line == \"go\\n\"\nend\n";
    plays(
        "ruby",
        &["ruby"],
        &[("MyBot.rb", main), ("part.rb", part), ("tcp.c", "int main(void) { return broken; }\n")],
    );
}

#[test]
fn perl_with_a_module_beside_it() {
    let main = "use Part;\n$| = 1;\nwhile (my $line = <STDIN>) { print \"go\\n\" if Part::is_go($line); }\n";
    let part = "package Part;\nsub is_go { return $_[0] eq \"go\\n\"; }\n1;\n";
    plays("perl", &["perl"], &[("MyBot.pl", main), ("Part.pm", part)]);
}

#[test]
fn lua() {
    let main = "local part = require('part')\nfor line in io.lines() do\n  if part(line) then print('go') io.stdout:flush() end\nend\n";
    plays("lua", &["lua"], &[("bot.lua", main), ("part.lua", "return function(line) return line == 'go' end\n")]);
}

#[test]
fn php() {
    let main = "<?php\nrequire __DIR__ . '/part.php';\nwhile (($line = fgets(STDIN)) !== false) {\n  if (isGo($line)) { echo \"go\\n\"; flush(); }\n}\n";
    let part = "<?php\nfunction isGo($line) { return $line === \"go\\n\"; }\n";
    plays("php", &["php"], &[("bot.php", main), ("part.php", part)]);
}

#[test]
fn a_script_plays_as_it_is() {
    if !here(&["sh"]) {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    bot(
        &place,
        "bot",
        &[("play", "#!/bin/sh\nwhile read line; do [ \"$line\" = go ] && echo go; done\n"), ("net.bin", "1")],
    );
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("bot/play"), mode).expect("it is ours");
    let built = json(&run(&place, &["build", "bot", "--format", "json"]));
    assert_eq!((&built["language"], &built["sandbox"]), (&"program".into(), &serde_json::Value::Null));
    let args = ["match", "planet-wars", "bot", "@random", "--seed", "1", "--time", "off", "--format", "json"];
    let played = json(&run(&place, &args));
    assert!(played["seats"][0]["fault"].is_null(), "{played:#}");
}
