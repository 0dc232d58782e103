// What follows the board by a frame, so that the board has the frame of its turn to itself.
import { untrack } from "svelte";

/** Returns something whose `now` is what `value` gives, a frame later. At first it is there at once. */
export function behind<T>(value: () => T): { readonly now: T } {
  let now = $state.raw(untrack(value));
  let isDue = false;
  $effect(() => {
    if (value() === now || isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      now = value();
    });
  });
  return {
    get now() {
      return now;
    },
  };
}
