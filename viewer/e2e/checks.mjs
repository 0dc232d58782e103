// What is counted: checks that passed or failed, and figures with their limits.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A time above its limit is told and fails nothing, because the machine may be busy. So many times its limit it fails: no machine
 *  is as busy as that, and something takes many steps that took few. */
const GUARD = 10;

export class Checks {
  passed = 0;
  failed = 0;
  /** What failed in the part that runs. */
  #failures = null;

  /** `folder` is where parts write their files, and `clean` ends what a failed part has left. */
  constructor(folder, clean) {
    this.folder = folder;
    this.clean = clean;
  }

  /** Counts a check. */
  that(holds, what) {
    if (holds) this.passed += 1;
    else if (this.#failures === null) this.#fail(what);
    else this.#failures.push(what);
  }

  #fail(what) {
    this.failed += 1;
    console.log(`FAILED: ${what}`);
  }

  equal(found, wanted, what) {
    this.that(found === wanted, `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }

  /** Prints a size, and counts whether it is within its limit. */
  size(name, value, limit) {
    console.log(`${name} ${value} ${limit}`);
    this.that(value <= limit, `${name} is ${value}, above ${limit}`);
  }

  /** Prints a time with the limit for a quiet machine, and counts whether it was measured, and is at most `GUARD` times that. */
  time(name, ms, limit) {
    console.log(`${name} ${ms.toFixed(1)} ${limit}${ms > limit ? " (above)" : ""}`);
    this.that(ms > 0, `${name} was not measured`);
    this.that(!(ms > GUARD * limit), `${name} is ${ms.toFixed(0)}, more than ${GUARD} times ${limit}`);
  }

  /** Runs a part. What it throws is a failed check. A part that fails runs once more, because a browser depends on the machine
   *  in many ways. If it passes then, the end of the run names it, so that nobody overlooks a race.
   *  A part within a part is repeated with it. */
  async part(name, work) {
    if (this.#failures !== null) return this.#attempt(name, work);
    const { passed } = this;
    const files = new Set(readdirSync(this.folder));
    let failures = await this.#run(name, work);
    if (failures.length > 0) {
      for (const what of failures) console.log(`failed at first: ${what}`);
      await this.clean();
      for (const file of readdirSync(this.folder)) {
        if (!files.has(file)) rmSync(join(this.folder, file), { recursive: true, force: true });
      }
      this.passed = passed;
      failures = await this.#run(name, work);
      if (failures.length === 0) console.log(`UNSTABLE: ${name} failed, and passed when it was repeated`);
    }
    for (const what of failures) this.#fail(what);
  }

  async #run(name, work) {
    this.#failures = [];
    await this.#attempt(name, work);
    const failures = this.#failures;
    this.#failures = null;
    return failures;
  }

  async #attempt(name, work) {
    try {
      await work();
    } catch (error) {
      this.that(false, `${name}: ${error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : error}`);
    }
  }
}
