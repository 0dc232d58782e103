// Checks that go on after one has failed.

let passed = 0;
let failed = 0;

/** Does a piece of work, and tells if it throws. Who waits for it may give one that takes its time. */
export function check(name, work) {
  const failing = (why) => {
    failed++;
    console.error(`${name}: ${why.stack}`);
  };
  try {
    const done = work();
    if (done instanceof Promise) return done.then(() => passed++, failing);
    passed++;
  } catch (why) {
    failing(why);
  }
  return undefined;
}

/** Tells the outcome and ends the program. `words` say what is true if every check has passed. */
export function finish(words) {
  if (failed === 0) console.log(words);
  // The project's test runner adds these lines up.
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
