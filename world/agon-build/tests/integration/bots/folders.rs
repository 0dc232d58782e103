//! Folders shaped like real bots, and the file in which each of them starts.

use super::place::Place;
use agon_build::{Plan, PlanError, Run};

/// What is expected of a folder.
enum Expected {
    /// It starts here, for a reason with these words; these files are left out; the command begins with these words.
    Starts(&'static str, &'static str, &'static [&'static str], &'static str),
    /// Nothing tells which of these it is.
    Ambiguous(&'static [&'static str]),
}
use Expected::{Ambiguous, Starts};

const ALL: &[&str] = &[
    "make", "gcc", "g++", "cc", "rustc", "java", "javac", "python3", "node", "mcs", "mono", "go", "ocamlopt", "ghc",
    "ruby", "perl", "lua", "php",
];

const MAIN: &str = "int main() {}";
const JAVA: &str = "public class MyBot { public static void main(String[] a) { new PlanetWars(); } }";
const GRADLE: &str = "package wars;\npublic class X { public static void main(String[] a) {} }";
const BROKEN: &str = "class BullyBot { public static void main(String[] a) { broken } PlanetWars w; }";
const RUNS: &str = "if __name__ == '__main__':\n    run()\n";

/// The name of the folder, its files, and what is expected.
type Case = (&'static str, &'static [(&'static str, &'static str)], Expected);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Python.
    ("thing", &[("main.py", "import board, search"), ("board.py", ""), ("search.py", "from board import B")],
        Starts("main.py", "usual name", &[], "python3 main.py")),
    ("thing", &[("bot.py", "class Bot: pass"), ("randbot.py", "from bot import Bot")],
        Starts("randbot.py", "only one that no other file imports", &[], "python3 randbot.py")),
    ("lazybot", &[("bot.py", "class Bot: pass"), ("randbot.py", "import bot"), ("lazybot.py", "import bot")],
        Starts("lazybot.py", "named like the folder", &[], "python3 lazybot.py")),
    ("thing", &[("bot.py", ""), ("randbot.py", "import bot"), ("lazybot.py", "import bot")],
        Ambiguous(&["lazybot.py", "randbot.py", "bot.py"])),
    ("thing", &[("MyBot.py", "import PlanetWars"), ("PlanetWars.py", ""), ("old.py", "import PlanetWars")],
        Starts("MyBot.py", "usual name", &[], "python3 MyBot.py")),
    ("thing", &[("play.py", "from lib import a"), ("lib/__init__.py", ""), ("lib/a.py", "")],
        Starts("play.py", "only one", &[], "python3 play.py")),
    ("thing", &[("train.py", "import net"), ("player.py", "import net"), ("net.py", "")],
        Ambiguous(&["player.py", "train.py", "net.py"])),
    ("thing", &[("run.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec python3 -u player.py --depth 3 \"$@\"\n"),
        ("train.py", "import net"), ("player.py", "import net"), ("net.py", "")],
        Starts("player.py", "`run.sh` starts `player.py`", &[], "python3 -u player.py --depth 3")),
    ("thing", &[("run.sh", "#!/bin/sh\ncd src\nexec python3 bot.py\n"), ("bot.py", ""), ("src/bot.py", "")],
        Starts("src/bot.py", "`run.sh` starts `src/bot.py`", &[], "./run.sh")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec python3 dragon.py\n"), ("bot.py", ""), ("dragon.py", "")],
        Starts("dragon.py", "`run.sh` starts `dragon.py`", &[], "python3 dragon.py")),
    ("thing", &[("player.py", RUNS), ("test_player.py", "import player"), ("setup.py", "")],
        Starts("player.py", "only one", &[], "python3 player.py")),
    ("thing", &[("main.py", "import util"), ("util.py", "import main")],
        Starts("main.py", "usual name", &[], "python3 main.py")),
    ("thing", &[("src/main.py", "import board"), ("src/board.py", ""), ("README.md", "")],
        Starts("src/main.py", "usual name", &[], "python3 src/main.py")),
    ("thing", &[("player/__main__.py", "from . import x"), ("player/__init__.py", ""), ("player/x.py", "")],
        Starts("player/__main__.py", "program", &[], "python3 -m player")),
    ("thing", &[("pyproject.toml", "[project]\nname='x'\n[project.scripts]\nx = 'player.cli:main'\n"),
        ("player/__init__.py", ""), ("player/cli.py", "def main(): pass"), ("bot.py", "import player")],
        Starts("pyproject.toml", "player.cli:main", &[], "python3 -c import sys; from player.cli import main; sys.exit(main())")),
    ("thing", &[("run.sh", "exec .venv/bin/python -u player.py --depth 3\n"), ("player.py", ""), ("train.py", ""),
        (".venv/pyvenv.cfg", ""), (".venv/lib/python3.77/site-packages/net.py", "")],
        Starts("player.py", "`run.sh` starts `player.py`", &[], "python3 -u player.py --depth 3")),
    ("thing", &[("run.sh", "#!/bin/sh\n. \"$DIR/.venv/bin/activate\"\npython player.py\n"), ("player.py", ""), ("train.py", ""),
        (".venv/pyvenv.cfg", ""), (".venv/lib/python3/site-packages/net.py", "")],
        Starts("player.py", "`run.sh` starts `player.py`", &[], "python3 player.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec python3 -m mybot --weights net.bin\n"), ("mybot/__main__.py", ""), ("setup.py", ""),
        ("train.py", "import mybot"), ("net.bin", "")],
        Starts("mybot/__main__.py", "`run.sh` starts `mybot/__main__.py`", &[], "python3 -m mybot --weights net.bin")),
    ("thing", &[("run.sh", "#!/bin/sh\nexport THREADS=1\nexec python3 -m deep.player\n"), ("deep/player.py", ""), ("train.py", "")],
        Starts("deep/player.py", "`run.sh` starts `deep/player.py`", &[], "./run.sh")),
    ("thing", &[("run.sh", "#!/bin/sh\nPYTHONPATH=src exec python3 -m mybot\n"), ("src/mybot/__main__.py", ""), ("train.py", "")],
        Starts("src/mybot/__main__.py", "`run.sh` starts `src/mybot/__main__.py`", &[], "./run.sh")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec luajit -e 'play()'\n"), ("train.py", "")],
        Starts("run.sh", "`run.sh` is a program", &[], "./run.sh")),
    ("thing", &[("run.sh", "#!/bin/sh\npython3 -m pytest\n"), ("player.py", "")],
        Starts("player.py", "only one", &[], "python3 player.py")),
    ("thing", &[("mybot/__main__.py", ""), ("mybot/brain.py", ""), ("setup.py", ""), ("test_brain.py", "")],
        Starts("mybot/__main__.py", "program", &[], "python3 -m mybot")),
    ("thing", &[("mybot/__main__.py", "import util"), ("util.py", ""), ("setup.py", "")],
        Starts("mybot/__main__.py", "only one that no other file imports", &[], "python3 -m mybot")),
    ("thing", &[("mybot/__main__.py", ""), ("mybot/__init__.py", ""), ("train.py", "import mybot")],
        Ambiguous(&["train.py", "mybot/__main__.py"])),
    ("thing", &[("agon.toml", "main = 'mybot/__main__.py'"), ("mybot/__main__.py", ""), ("mybot/__init__.py", ""), ("train.py", "")],
        Starts("mybot/__main__.py", "names", &[], "python3 -m mybot")),
    ("thing", &[("src/__main__.py", "import board"), ("src/board.py", "")],
        Starts("src/__main__.py", "only one that no other file imports", &[], "python3 src/__main__.py")),
    ("thing", &[("setup.py", "")], Starts("setup.py", "only one", &[], "python3 setup.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec python3 -u agon_bot.py --depth 3 \"$@\"\n"), ("agon_bot.py", ""), ("bot.py", "")],
        Starts("agon_bot.py", "`run.sh` starts `agon_bot.py`", &[], "python3 -u agon_bot.py --depth 3")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec python3 halite.py\n"), ("halite.py", ""), ("bot.py", "")],
        Starts("halite.py", "`run.sh` starts `halite.py`", &[], "python3 halite.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec ./agon \"$@\"\n"), ("agon", "#!/bin/sh\n"), ("bot.py", "")],
        Starts("agon", "`run.sh` starts `agon`", &[], "./agon")),
    ("thing", &[("run.sh", "#!/bin/sh\ncd x && exec agon match grid 'python3 other.py' @random\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\n./halite -d '30 30' 'python3 other.py'\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\npython3 tools/playgame.py other.py\n"), ("other.py", ""), ("bot.py", ""), ("tools/playgame.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nfor n in 1 2; do agon match grid 'python3 other.py' @random; done\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nif test -x halite; then ./halite -d '30 30' 'python3 other.py'; fi\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\ntimeout -s KILL 60 /usr/bin/env A=1 halite 'python3 other.py'\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\n! ./halite 'python3 other.py' || exit 1\n"), ("other.py", ""), ("bot.py", "")],
        Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("run.sh", "#!/bin/sh\nexec timeout 60 python3 halite.py\n"), ("halite.py", ""), ("bot.py", "")],
        Starts("halite.py", "`run.sh` starts `halite.py`", &[], "timeout 60 python3 halite.py")),
    ("thing", &[("pyproject.toml", "[project]\nname='x'\n[project.scripts]\nx = 'player.cli:main'\n"),
        ("src/player/__init__.py", ""), ("src/player/cli.py", "def main(): pass"), ("tests/test_cli.py", "import player")],
        Starts("pyproject.toml", "player.cli:main", &[], "python3 -c import sys; from player.cli import main; sys.exit(main())")),
    ("thing", &[("pyproject.toml", "[tool.poetry]\nname='x'\n[tool.poetry.scripts]\nx = 'player.cli:main'\n"),
        ("player/__init__.py", ""), ("player/cli.py", "def main(): pass")],
        Starts("pyproject.toml", "player.cli:main", &[], "python3 -c import sys; from player.cli import main; sys.exit(main())")),
    ("thing", &[("pyproject.toml", "[project]\nname='x'\n"), ("src/player/__init__.py", ""), ("src/player/__main__.py", ""),
        ("src/player/brain.py", ""), ("tests/test_brain.py", "import player")],
        Starts("src/player/__main__.py", "makes the folder a program", &[], "python3 -m player")),
    ("thing", &[("run.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec ./scripts/start.sh \"$@\"\n"),
        ("scripts/start.sh", "#!/bin/sh\nexec python3 src/bot.py\n"), ("src/bot.py", ""), ("src/other.py", "")],
        Starts("scripts/start.sh", "`run.sh` starts `scripts/start.sh`", &[], "./scripts/start.sh")),
    ("mon robot é", &[("bot.py", ""), ("données.txt", "")], Starts("bot.py", "only one", &[], "python3 bot.py")),
    ("py2", &[("MyBot.py", "import sys\nprint 'go'\n"), ("PlanetWars.py", "")],
        Starts("MyBot.py", "usual name", &[], "python3 MyBot.py")),
    // C and C++.
    ("thing", &[("main.c", "#include \"map.h\"\nint main(void) { return read(); }"), ("map.h", "int read(void);"),
        ("map.c", "int read(void) { return 0; }"), ("old.c", "int old(void) {}"), ("tester.c", MAIN)],
        Starts("main.c", "usual name", &["tester.c"], "./agon-bot")),
    ("thing", &[("src/bot.cpp", "#include \"board.hpp\"\nint main() { Board b; }"), ("src/board.hpp", "class Board {};"),
        ("src/board.cpp", "#include \"board.hpp\""), ("src/Makefile", "all:\n\tfalse\n"), ("src/more.cpp", "")],
        Starts("src/bot.cpp", "only one", &[], "./agon-bot")),
    ("thing", &[("MyBot.cc", MAIN), ("PlanetWars.cc", ""), ("Makefile", "all:\n")],
        Starts("Makefile", "`Makefile` is there", &[], "")),
    ("thing", &[("MyBot.cc", MAIN), ("Makefile", "all: report.pdf\n%.pdf: %.tex\n\tlatexmk -pdf $<\n"), ("report.tex", "")],
        Starts("MyBot.cc", "only one", &[], "./agon-bot")),
    ("thing", &[("MyBot.c", MAIN), ("makefile", "docs:\n\tdoxygen Doxyfile\n"), ("Doxyfile", "")],
        Starts("MyBot.c", "only one", &[], "./agon-bot")),
    ("thing", &[("MyBot.c", MAIN), ("Makefile", "all:\n\tgcc-12 -o MyBot MyBot.c\ndocs:\n\tdoxygen\n")],
        Starts("Makefile", "`Makefile` is there", &[], "")),
    // Tests are no starts, and a usual name counts in each folder for sources.
    ("thing", &[("test.py", ""), ("src/player.py", "")], Starts("src/player.py", "only one", &[], "python3 src/player.py")),
    ("thing", &[("visualize.py", ""), ("src/bot.py", "")], Starts("src/bot.py", "usual name", &[], "python3 src/bot.py")),
    ("thing", &[("player.py", "from src import bot\n"), ("src/bot.py", "")],
        Starts("player.py", "only one that no other file imports", &[], "python3 player.py")),
    ("thing", &[("test.js", ""), ("lib/agent.js", "")], Starts("lib/agent.js", "only one", &[], "node lib/agent.js")),
    ("thing", &[("test.rb", ""), ("lib/player.rb", "")], Starts("lib/player.rb", "only one", &[], "ruby lib/player.rb")),
    ("thing", &[("test.lua", ""), ("src/util.lua", "return {}"), ("src/bot.lua", "require('util')")],
        Starts("src/bot.lua", "usual name", &[], "lua src/bot.lua")),
    ("thing", &[("Rakefile", ""), ("bin/bot.rb", "require_relative '../lib/x'"), ("lib/x.rb", "")],
        Starts("bin/bot.rb", "only one", &[], "ruby bin/bot.rb")),
    ("thing", &[("Gemfile", ""), ("bin/bot", "#!/usr/bin/env ruby\nrequire 'bot'\n"), ("lib/bot.rb", "")],
        Starts("bin/bot", "is a program", &[], "")),
    ("thing", &[("CMakeLists.txt", "add_executable(thing src/main.cpp src/brain.cpp)\n"),
        ("src/main.cpp", "#include \"brain.h\"\nint main() { return think(); }"), ("src/brain.cpp", "#include \"brain.h\""),
        ("include/brain.h", "int think();"), ("tests/main.cpp", MAIN)],
        Starts("src/main.cpp", "only one", &[], "./agon-bot")),
    ("thing", &[("one.cpp", MAIN), ("two.cpp", MAIN)], Ambiguous(&["one.cpp", "two.cpp"])),
    ("two", &[("one.cpp", MAIN), ("two.cpp", MAIN)], Starts("two.cpp", "named like the folder", &["one.cpp"], "./agon-bot")),
    ("thing", &[("bot.c", "#include \"part.c\"\nint main() { return f(); }"), ("part.c", "int f(void) { return 0; }")],
        Starts("bot.c", "only one", &[], "./agon-bot")),
    ("thing", &[("main.c", "#include \"all.h\"\nint main(void) { return f() + w; }"), ("all.h", "int f(void); extern int w, h;"),
        ("globals.c", "int w, h;"), ("f.c", "#ifdef X\nint g() {\n#else\nint g(void) {\n#endif\n return 1; }\nint f(void) { return g(); }"),
        ("old.c", "")],
        Starts("main.c", "only one", &[], "./agon-bot")),
    ("thing", &[("MyBot.c", "#include \"part.c\"\nint main(void) { return go(); }"), ("part.c", "int go(void) { return 0; }"),
        ("check.c", "#define main bot_main\n#include \"MyBot.c\"\n#undef main\nint main(void) { return go(); }")],
        Starts("MyBot.c", "usual name", &["check.c"], "./agon-bot")),
    ("thing", &[("warrior.c", "#include \"board.c\"\nint main(void) {}"), ("board.c", "#ifdef TEST\nint main(void) {}\n#endif")],
        Ambiguous(&["board.c", "warrior.c"])),
    ("thing", &[("bot.c", "#include \"rules.h\"\nint main(void) { return play(); }"), ("rules.h", "int play(void);"),
        ("rules.c", "int play(void) { return 1; }\n#ifdef TEST\nint main(void) { return play(); }\n#endif")],
        Starts("bot.c", "usual name", &["rules.c"], "./agon-bot")),
    ("thing", &[("bot.c", "int play(void);\n#ifndef TEST\nint main(void) { return play(); }\n#endif"),
        ("rules.c", "int play(void) { return 1; }\n#if LEVEL > 2\nint main(void) { return play(); }\n#endif")],
        Starts("bot.c", "usual name", &["rules.c"], "./agon-bot")),
    ("thing", &[("warrior.c", "#include \"board.c\"\nint main(void) {}"), ("board.c", "#if LEVEL > 2\nint main(void) {}\n#endif")],
        Ambiguous(&["board.c", "warrior.c"])),
    ("thing", &[("bot.c", "#if !defined(TEST) && !defined(BENCH)\nint main(void) {}\n#endif"), ("tester.c", MAIN)],
        Starts("bot.c", "usual name", &["tester.c"], "./agon-bot")),
    ("thing", &[("bot.c", "#ifndef _BOT_C\n#define _BOT_C\nint main(void) {}\n#endif"), ("tester.c", MAIN)],
        Starts("bot.c", "usual name", &["tester.c"], "./agon-bot")),
    ("thing", &[("bot.c", "#if LEVEL > 2\nint main(void) {}\n#endif"), ("tester.c", MAIN)],
        Starts("bot.c", "usual name", &["tester.c"], "./agon-bot")),
    ("thing", &[("warrior.c", "#if LEVEL > 2\nint main(void) {}\n#endif"), ("tester.c", MAIN)],
        Ambiguous(&["tester.c", "warrior.c"])),
    ("thing", &[("tester.c", "#include \"bot.c\"\nint main(void) {}"), ("bot.c", "#ifndef LEVEL\nint main(void) {}\n#endif"),
        ("level.h", "#define LEVEL 3")],
        Starts("bot.c", "usual name", &["tester.c"], "./agon-bot")),
    ("thing", &[("bot.c", "#if LEVEL > 2\nint main(void) { return 1; }\n#endif"), ("rules.c", "int play(void) { return 1; }")],
        Starts("bot.c", "is the only one", &[], "./agon-bot")),
    ("thing", &[("bot.cpp", "#include \"registry.hpp\"\nint main() { run(); }"),
        ("registry.hpp", "struct Registers { Registers(const char *, int (*)()); };\nvoid run();"), ("registry.cpp", "void run() {}"),
        ("greedy.cpp", "#include \"registry.hpp\"\nint play();\nstatic Registers greedy(\"greedy\", play);"),
        ("moves.cpp", "int play() { return 1; }"),
        ("tester.cpp", "#include \"registry.hpp\"\nstatic Registers t(\"t\", 0);\nint main() { run(); }")],
        Starts("bot.cpp", "usual name", &["tester.cpp"], "./agon-bot")),
    ("thing", &[("agon.toml", "main = 'warrior.c'"), ("warrior.c", MAIN), ("check.c", "#include \"warrior.c\"\nint main() {}")],
        Starts("warrior.c", "`agon.toml` names", &["check.c"], "./agon-bot")),
    ("thing", &[("run.sh", "#!/bin/sh\ng++ -O3 -o warrior warrior.cpp && exec ./warrior\n"), ("warrior.cpp", MAIN),
        ("mapgen.cpp", MAIN)],
        Starts("warrior.cpp", "`run.sh` starts `warrior.cpp`", &["mapgen.cpp"], "./agon-bot")),
    // Java.
    ("thing", &[("MyBot.java", JAVA), ("PlanetWars.java", "class PlanetWars {}"), ("example_bots/BullyBot.java", BROKEN),
        ("example_bots/PlanetWars.java", "class PlanetWars { broken }")],
        Starts("MyBot.java", "usual name", &["example_bots/BullyBot.java", "example_bots/PlanetWars.java"], "java")),
    ("thing", &[("pom.xml", "<project/>"), ("src/main/java/me/Main.java", "package me;\npublic class Main { public static void main(String[] a) { Brain.think(); } }"),
        ("src/main/java/me/Brain.java", "package me;\nclass Brain { static void think() {} }"),
        ("src/test/java/me/MainTest.java", "package me;\nclass MainTest { public static void main(String[] a) {} }")],
        Starts("src/main/java/me/Main.java", "only one", &[], "java")),
    ("thing", &[("bot.jar", "PK"), ("bot.log", "started")], Starts("bot.jar", "only one", &[], "java -jar bot.jar")),
    ("thing", &[("A.java", "class A { public static void main(String[] a) {} }"),
        ("B.java", "class B { public static void main(String[] a) {} }")],
        Ambiguous(&["A.java", "B.java"])),
    // Others.
    ("thing", &[("package.json", "{\"scripts\": {\"start\": \"node lib/go.js\"}}"), ("lib/go.js", ""), ("index.js", "")],
        Starts("lib/go.js", "`package.json`", &[], "node lib/go.js")),
    ("thing", &[("strategy.js", "require('./board')"), ("board.js", "")],
        Starts("strategy.js", "only one that no other file imports", &[], "node strategy.js")),
    ("thing", &[("bot.go", "package main\nfunc main() { play() }"), ("play.go", "package main\nfunc play() {}"),
        ("old.go", "package main\nfunc old() {}")],
        Starts("bot.go", "only one", &[], "./agon-bot")),
    ("thing", &[("main.go", "package main\nfunc main() { turn(North, play()) }"), ("consts.go", "package main\nconst (\n\tNorth = iota\n)"),
        ("play.go", "package main\nvar (\n\tbots = map[string]int{}\n)\nfunc play() {}\nfunc turn() {}"),
        ("reg.go", "package main\nfunc init() { bots[\"a\"] = one }"), ("one.go", "package main\nvar one = 1"),
        ("old.go", "package main\nfunc old() {}"), ("tester.go", "package main\nfunc main() { test() }")],
        Starts("main.go", "usual name", &["tester.go"], "./agon-bot")),
    ("thing", &[("go.mod", "module example.com/thing\n"), ("cmd/player/main.go", "package main\nfunc main() { brain.Run() }"),
        ("internal/brain/brain.go", "package brain\nfunc Run() {}")],
        Starts("cmd/player/main.go", "only one", &[], "./agon-bot")),
    ("thing", &[("go.mod", "module example.com/thing\n"), ("cmd/player/main.go", "package main\nfunc main() {}"),
        ("cmd/tool/main.go", "package main\nfunc main() {}")],
        Ambiguous(&["cmd/player/main.go", "cmd/tool/main.go"])),
    ("thing", &[("bot.go", "package main\n\nfunc main() { play() }"), ("play.go", "package main\n\n// func main() { play() }\nfunc play() {}")],
        Starts("bot.go", "is the only one", &[], "./agon-bot")),
    ("thing", &[("player.ml", "let () = Board.play ()"), ("board.ml", "let play () = ()"), ("dead.ml", "")],
        Ambiguous(&["dead.ml", "player.ml", "board.ml"])),
    ("thing", &[("Main.hs", "import Board"), ("Board.hs", "module Board where"), ("Old.hs", "")],
        Starts("Main.hs", "usual name", &[], "./agon-bot")),
    ("thing", &[("Program.cs", "class P { static void Main() { new Board(); } }"), ("Board.cs", "class Board {}"),
        ("Old.cs", "class Old {}")],
        Starts("Program.cs", "only one", &[], "mono agon-bot.exe")),
    ("thing", &[("Program.cs", "partial class Bot { static void Main() { Run(new List<int>().Twice()); } }"),
        ("Run.cs", "partial class Bot { static void Run(int x) {} }"),
        ("Ext.cs", "static class Ext { public static int Twice(this List<int> l) { return 2; } }"),
        ("Old.cs", "class Old {}")],
        Starts("Program.cs", "only one", &[], "mono agon-bot.exe")),
    ("thing", &[("Program.cs", "namespace A { class P { static void Main() { new Board(); } } }"),
        ("Board.cs", "namespace A {\n  namespace B {\n    class Board {}\n  }\n}")],
        Starts("Program.cs", "only one", &[], "mono agon-bot.exe")),
    ("thing", &[("main.rs", "fn main() {}"), ("tester.rs", "fn main() {}")],
        Starts("main.rs", "usual name", &[], "./agon-bot")),
    // A script that plays matches starts no bot.
    ("thing", &[("run.sh", "#!/bin/sh\njava -jar tools/PlayGame.jar maps/map7.txt 1000 100 log.txt \"python3 bot.py\" \"./x\"\n"),
        ("bot.py", ""), ("tools/PlayGame.jar", "PK")],
        Starts("bot.py", "only one", &[], "python3 bot.py")),
    // The file of a build tool names the class.
    ("thing", &[("build.gradle", "application {\n    mainClass = 'wars.App'\n}\n"), ("src/main/java/wars/App.java", GRADLE),
        ("src/main/java/wars/Simulator.java", GRADLE)],
        Starts("src/main/java/wars/App.java", "`build.gradle` names the class `wars.App`",
            &[], "java -cp agon-bot:. wars.App")),
    ("thing", &[("pom.xml", "<project>\n<mainClass>wars.App</mainClass>\n</project>\n"), ("src/main/java/wars/App.java", GRADLE),
        ("src/main/java/wars/Simulator.java", GRADLE), ("src/test/java/wars/AppTest.java", "broken")],
        Starts("src/main/java/wars/App.java", "`pom.xml` names the class `wars.App`",
            &[], "java -cp agon-bot:. wars.App")),
    // Plain searches are misled by comments and texts. Then nothing is guessed.
    ("thing", &[("one.c", MAIN), ("two.c", "/* int main() {} */")], Ambiguous(&["one.c", "two.c"])),
    ("thing", &[("player.py", ""), ("train.py", "\"\"\"Example:\n    import player\n\"\"\"")], Ambiguous(&["player.py", "train.py"])),
    ("thing", &[("bot.js", ""), ("player.js", "// const bot = require('./bot')")], Ambiguous(&["bot.js", "player.js"])),
    ("thing", &[("bot.py", ""), ("player.py", "# import bot")], Starts("bot.py", "usual name", &[], "python3 bot.py")),
    ("thing", &[("bot.py", ""), ("player.py", "from lib import (\n    x,\n)\nfrom . import (\n    y,\n    bot,\n)")],
        Starts("player.py", "only one that no other file imports", &[], "python3 player.py")),
    // Languages that are played as they are, with parts in others.
    ("thing", &[("MyBot.rb", "#!/usr/bin/env ruby\nrequire_relative 'wars'"), ("wars.rb", ""), ("tcp.c", MAIN)],
        Starts("MyBot.rb", "usual name", &[], "ruby MyBot.rb")),
    ("thing", &[("warrior.rb", "require './wars'"), ("wars.rb", ""), ("tcp.c", MAIN)], Ambiguous(&["tcp.c", "warrior.rb"])),
    ("thing", &[("warrior.rb", "require './wars'"), ("wars.rb", ""), ("fast.c", "int fast(void) { return 1; }")],
        Starts("warrior.rb", "only one that no other file imports", &[], "ruby warrior.rb")),
    ("thing", &[("MyBot", "#!/usr/bin/ruby\n"), ("tcp.c", MAIN)], Starts("MyBot", "`MyBot` is a program", &[], "./MyBot")),
    ("thing", &[("warrior", "#!/usr/bin/perl\n"), ("tcp.c", MAIN)], Ambiguous(&["tcp.c", "warrior"])),
    ("thing", &[("warrior", "#!/usr/bin/env python3\nimport util"), ("util.py", "")], Ambiguous(&["util.py", "warrior"])),
    ("thing", &[("a", "#!/usr/bin/ruby\n"), ("b", "#!/usr/bin/ruby\n")], Ambiguous(&["a", "b"])),
    ("thing", &[("MyBot", "#!/usr/bin/env ruby\nrequire './wars'"), ("wars.rb", "")], Starts("MyBot", "is a program", &[], "./MyBot")),
    ("thing", &[("gradlew", "#!/bin/sh\n"), ("MyBot.java", JAVA), ("PlanetWars.java", "")], Starts("MyBot.java", "only one", &[], "java")),
    ("thing", &[("MyBot.pl", "use PlanetWars;"), ("PlanetWars.pm", ""), ("tcp.c", MAIN), ("bot.jar", "PK")],
        Starts("MyBot.pl", "only one", &[], "perl -I. MyBot.pl")),
    ("thing", &[("bot.lua", "require 'map'"), ("map.lua", "")], Starts("bot.lua", "usual name", &[], "lua bot.lua")),
    ("thing", &[("src/bot.php", "<?php require 'map.php';"), ("src/map.php", "")], Starts("src/bot.php", "usual name", &[], "php src/bot.php")),
    ("thing", &[("a.rb", ""), ("b.rb", "")], Ambiguous(&["a.rb", "b.rb"])),
    ("thing", &[("player.py", ""), ("third_party/lz4.c", "int lz4(void) { return 1; }"), ("node_modules/x/bot.js", "")],
        Starts("player.py", "only one", &[], "python3 player.py")),
    ("thing", &[("player.py", ""), ("third_party/tool.c", MAIN)], Ambiguous(&["player.py", "third_party/tool.c"])),
    ("thing", &[("PlayGame.jar", "PK"), ("warrior.pl", ""), ("tools/playgame.py", "")], Starts("warrior.pl", "only one", &[], "perl -I. warrior.pl")),
    // The manifest of an old archive.
    ("thing", &[("upload/META-INF/MANIFEST.MF", "Main-Class: Old\n"), ("upload/Old.java", JAVA), ("nbproject/project.properties", "main.class=bot.MyBot\n"),
        ("src/bot/MyBot.java", "package bot;\npublic class MyBot { public static void main(String[] a) {} }")],
        Starts("src/bot/MyBot.java", "`nbproject/project.properties` names the class `bot.MyBot`", &["upload/Old.java"], "java -cp agon-bot:. bot.MyBot")),
    ("thing", &[("upload/MANIFEST.MF", "Main-Class: Old\n"), ("upload/Old.java", JAVA), ("src/MyBot.java", JAVA)],
        Ambiguous(&["src/MyBot.java", "upload/Old.java"])),
    ("thing", &[("starter/build.gradle", "mainClass = 'Start'\n"), ("starter/Start.java", JAVA), ("more/pom.xml", "<mainClass>Other</mainClass>\n"),
        ("more/Other.java", JAVA)],
        Ambiguous(&["starter/Start.java", "more/Other.java"])),
    ("thing", &[("MANIFEST.MF", "Main-Class: Warrior\n"), ("Warrior.java", JAVA), ("Tester.java", JAVA)],
        Starts("Warrior.java", "`MANIFEST.MF` names the class `Warrior`", &[], "java -cp agon-bot:. Warrior")),
    // Two classes in one file, and a package in a folder of another name.
    ("thing", &[("src/Bot.java", "package wars;\nclass Bot { public static void main(String[] a) {} }"), ("src/util/Map.java", "package wars.util;\nclass Map {}")],
        Starts("src/Bot.java", "only one", &[], "java -cp agon-bot:. wars.Bot")),
    ("thing", &[("bot.py", ""), ("bot.cpp", MAIN)], Ambiguous(&["bot.cpp", "bot.py"])),
];

fn plan(place: &Place, folder: &str, files: &[(&str, &str)]) -> Result<Plan, PlanError> {
    files.iter().for_each(|(name, text)| place.write(name, text));
    place.plan_of(folder, &place.tools(ALL, "v22.18.0"))
}

#[test]
fn the_start_of_a_real_bot_is_found() {
    for (folder, files, expected) in CASES {
        let place = Place::new();
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        match (plan(&place, folder, files), expected) {
            (Ok(plan), Starts(start, why, left_out, words)) => {
                assert_eq!(plan.start.as_deref(), Some(*start), "{names:?}: {}", plan.why);
                assert!(plan.why.contains(why), "{names:?}: {}", plan.why);
                assert_eq!(plan.left_out, *left_out, "{names:?}");
                assert_eq!(plan.candidates.first().map(String::as_str), Some(*start), "{names:?}");
                if let Run::Words(run) = &plan.run {
                    let run = run.join(" ").replace(&format!("{}/", place.path("installed/bin").display()), "");
                    assert!(run.starts_with(words), "{names:?}: {run}");
                }
                let built = plan.lines.join("\n");
                for file in *left_out {
                    assert!(!built.contains(file), "{names:?}: {built}");
                }
            }
            (Err(PlanError::Ambiguous(flaw, candidates)), Ambiguous(expected)) => {
                assert_eq!(candidates, *expected, "{names:?}: {flaw}");
                assert!(flaw.hint.is_some(), "{names:?}: {flaw}");
            }
            (other, _) => panic!("{names:?}: {other:?}"),
        }
    }
}
