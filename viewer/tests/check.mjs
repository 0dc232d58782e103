// Checks that go on after one has failed.

let passed = 0;
let failed = 0;

/** Does a piece of work, and tells if it throws. */
export function check(name, work) {
  try {
    work();
    passed++;
  } catch (why) {
    failed++;
    console.error(`${name}: ${why.stack}`);
  }
}

/** Tells the outcome and ends the program. `words` say what is true if every check has passed. */
export function finish(words) {
  if (failed === 0) console.log(words);
  // The project's test runner adds these lines up.
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
