// What is counted: checks that passed or failed, and figures with their limits.

/** A time above its limit is told and fails nothing, because the machine may be busy. So many times its limit it fails: no machine
 *  is as busy as that, and something takes many steps that took few. */
const GUARD = 10;

export class Checks {
  passed = 0;
  failed = 0;

  /** Counts a check. A failed one is printed at once. */
  that(holds, what) {
    if (holds) {
      this.passed += 1;
    } else {
      this.failed += 1;
      console.log(`FAILED: ${what}`);
    }
  }

  equal(found, wanted, what) {
    this.that(found === wanted, `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }

  /** Prints a size, and counts whether it is within its limit. */
  size(name, value, limit) {
    console.log(`${name} ${value} ${limit}`);
    this.that(value <= limit, `${name} is ${value}, above ${limit}`);
  }

  /** Prints a time with the limit for a quiet machine, and counts whether it is at most `GUARD` times that. */
  time(name, ms, limit) {
    console.log(`${name} ${ms.toFixed(1)} ${limit}${ms > limit ? " (above)" : ""}`);
    this.that(ms <= GUARD * limit, `${name} is ${ms.toFixed(0)}, more than ${GUARD} times ${limit}`);
  }

  /** Runs a part. What it throws is a failed check. */
  async part(name, work) {
    try {
      await work();
    } catch (error) {
      this.that(false, `${name}: ${error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : error}`);
    }
  }
}
