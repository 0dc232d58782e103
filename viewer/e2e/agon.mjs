// The program under test.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export class Agon {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
  }

  run(...words) {
    return execFileSync(this.program, words, { cwd: this.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
  }

  path(name) {
    return join(this.folder, name);
  }

  lines(name) {
    return readFileSync(this.path(name), "utf8").split("\n");
  }

  write(name, text) {
    writeFileSync(this.path(name), text);
  }

  /** Plays a match and writes its replay. */
  play(name, ...words) {
    this.run("match", ...words, "--replay", `${name}.jsonl`, "--quiet");
  }

  /** Writes the page of a replay and returns its address. */
  html(name, ...more) {
    this.run("replay", "html", `${name}.jsonl`, "--output", `${name}.html`, "--quiet", ...more);
    return pathToFileURL(this.path(`${name}.html`)).href;
  }

  /** The last fingerprint by the referee's own rules. */
  fingerprint(name) {
    return JSON.parse(this.run("replay", "verify", `${name}.jsonl`, "--format", "json")).fingerprint;
  }
}
