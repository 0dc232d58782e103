// Work in the time that drawing leaves.

/** How long the work may wait while the page is busy, in milliseconds. */
const WAIT = 200;

/** Calls `work` again and again until it returns `false`, each time when the page has nothing else to do. Returns what ends it. */
export function whenIdle(work: () => boolean): () => void {
  let ended = false;
  const next = (): void => {
    // Safari has no idle time to ask for.
    if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: WAIT });
    else setTimeout(run, 8);
  };
  const run = (): void => {
    if (!ended && work()) next();
  };
  next();
  return () => {
    ended = true;
  };
}
