#!/usr/bin/env python3
"""Builds every starter kit and holds a conversation with it: `python3 examples/test_kits.py [GAME] [LANG]`.

A kit passes if it builds without a warning, answers each message of the conversation lawfully, in time and never
unasked, takes the same decisions as the kits of the same game in the other languages, and ends by itself when its
input ends. The conversations, each with a tiny referee of its own, are in `conversations/`.
"""

import concurrent.futures
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
from conversations import GAMES, Wrong, champions  # noqa: E402

EXAMPLES = Path(__file__).resolve().parent
ANSWER_LIMIT = 20.0  # seconds; generous, as a loaded machine is no fault of the kit
END_LIMIT = 2.0  # seconds from the end of input to the end of the process
SILENCE = 0.03  # seconds in which an unasked answer would show itself

# For each language: the program that must be there, the build line as its README gives it, what makes warnings errors
# (arguments, environment), and the command that starts the bot.
LANGUAGES = {
    "python": ("python3", "", [], {}, "python3 bot.py"),
    "javascript": ("node", "", [], {}, "node bot.js"),
    "cpp": ("g++", "g++ -std=c++17 -O2 -o bot bot.cpp", ["-Wall", "-Wextra", "-Werror"], {}, "./bot"),
    "java": ("javac", "javac Bot.java", ["-Xlint:all", "-Werror"], {}, "java Bot"),
    "rust": ("cargo", "cargo build --release", ["--offline"], {"RUSTFLAGS": "-D warnings"}, "target/release/bot"),
}
# The champions of Portals: the program that must be there, the build line and the command, each with the host of
# `conversations/champions.py`.
CHAMPIONS = {
    "champion-c": ("gcc", "gcc -std=c99 -O2 -o bot host.c prologin.c", "./bot"),
    "champion-cpp": ("g++", "g++ -std=c++11 -O2 -o bot host.cc prologin.cc", "./bot"),
    "champion-python": ("python3", "", "python3 host.py"),
}


class Bot:
    """A running kit: what a conversation talks to."""

    def __init__(self, command, folder):
        self.log = tempfile.TemporaryFile()
        # Python must not be told from outside to flush each line: that is the kit's own duty.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        self.process = subprocess.Popen(
            command.split(), cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(line.decode("utf-8", "backslashreplace"))
        self.lines.put(None)

    def say(self, text, pieces=1):
        """Writes `text`, in several writes if asked; the bot must not have said anything that nobody heard."""
        if not self.lines.empty():
            raise Wrong(f"said {self.lines.get()!r} without being asked")
        self.answer(text, pieces)

    def answer(self, text, pieces=1):
        """Writes `text` whether or not the bot has written on."""
        data = text.encode()
        step = -(-len(data) // pieces)
        try:
            for start in range(0, len(data), step):
                self.process.stdin.write(data[start:start + step])
                self.process.stdin.flush()
        except BrokenPipeError:
            raise Wrong(f"closed its input or ended early{self.last_words()}") from None

    def hear(self):
        """The next line of the bot, without its line end."""
        try:
            line = self.lines.get(timeout=ANSWER_LIMIT)
        except queue.Empty:
            raise Wrong(f"no answer within {ANSWER_LIMIT:.0f} s") from None
        if line is None:
            raise Wrong(f"ended instead of answering{self.last_words()}")
        if not line.endswith("\n"):
            raise Wrong(f"its last line is not complete: {line!r}")
        return line[:-1]

    def stays_silent(self):
        """Checks that the bot does not answer before it was asked."""
        time.sleep(SILENCE)
        if not self.lines.empty():
            raise Wrong(f"answered too early: {self.lines.get()!r}")

    def ends(self):
        """Ends the input and checks that the bot ends too, in peace and without another word."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            code = self.process.wait(timeout=END_LIMIT)
        except subprocess.TimeoutExpired:
            raise Wrong(f"still running {END_LIMIT:.0f} s after the end of its input") from None
        if code != 0:
            raise Wrong(f"ended with exit code {code}{self.last_words()}")
        if (line := self.lines.get(timeout=ANSWER_LIMIT)) is not None:
            raise Wrong(f"said {line!r} after the end of its input")

    def last_words(self):
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "backslashreplace").strip().splitlines()
        return "".join(f"\n    stderr: {line}" for line in lines[-5:])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def check_readme(source, shown):
    """The README must be short and show the commands that this test uses."""
    text = (source / "README.md").read_text()
    if len(text.splitlines()) > 40:
        raise Wrong("README.md has more than 40 lines")
    for line in shown:
        if line not in text:
            raise Wrong(f"README.md does not show the command `{line}`")


def build_kit(line, strict, environment, folder):
    """Runs the build line, warnings being errors."""
    command = line.split()
    command[1:1] = strict if command[0] != "cargo" else []
    command[2:2] = strict if command[0] == "cargo" else []
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")


def check_kit(game, language):
    """Builds one kit and talks to it. Returns (None, its decisions) or (what is wrong, None)."""
    if language in CHAMPIONS:
        program, build, run = CHAMPIONS[language]
        strict, environment, shown = ["-Wall", "-Wextra", "-Werror"], {}, []
    else:
        program, build, strict, environment, run = LANGUAGES[language]
        command = f'"{run}"' if " " in run else run
        shown = [build, f"agon match {game} {command} @random", f"agon check {game} {command}"]
    try:
        if shutil.which(program) is None:
            raise Wrong(f"MISSING COMPILER: `{program}` is not on the PATH, so this kit CANNOT BE TESTED")
        source = EXAMPLES / game / language
        check_readme(source, shown)
        with tempfile.TemporaryDirectory(prefix="agon-kit-") as folder:
            shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target", "*.class"))
            if language in CHAMPIONS:
                for name, text in champions.host(language).items():
                    (Path(folder) / name).write_text(text)
            if build:
                build_kit(build, strict, environment, folder)
            bot = Bot(run, folder)
            try:
                decisions = GAMES[game](bot)
                bot.ends()
            finally:
                bot.kill()
        return None, decisions
    except (Wrong, OSError) as why:
        return str(why), None


def first_difference(a, b):
    for turn, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"decision {turn + 1} is {y}, not {x}"
    return f"{len(b)} decisions instead of {len(a)}"


def main():
    chosen = sys.argv[1:]
    if unknown := set(chosen) - set(GAMES) - set(LANGUAGES) - set(CHAMPIONS):
        sys.exit(f"error: neither a game nor a language: {', '.join(sorted(unknown))}")
    games = [g for g in GAMES if g in chosen] or list(GAMES)
    languages = [name for name in [*LANGUAGES, *CHAMPIONS] if name in chosen] or [*LANGUAGES, *CHAMPIONS]
    kits = [(game, kit) for game in games for kit in languages if kit in LANGUAGES or game == "portals"]
    passed, reference = 0, {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        for (game, language), (wrong, decisions) in zip(kits, pool.map(lambda kit: check_kit(*kit), kits)):
            if wrong is None:
                first, expected = reference.setdefault(game, (language, decisions))
                if decisions != expected:
                    wrong = f"plays differently from {first}: {first_difference(expected, decisions)}"
            passed += wrong is None
            print(f"{game}/{language}: {'ok' if wrong is None else 'FAILED: ' + wrong}", flush=True)
    print(f"{passed} passed, {len(kits) - passed} failed")
    return 0 if passed == len(kits) else 1


if __name__ == "__main__":
    sys.exit(main())
