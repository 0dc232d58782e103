// The clock of a seat in a session: what was left when the page was told, and what is left now.

/** A clock as it was when the session told of it. */
export interface SeatClock {
  /** What is left for the decision, or for the next one. `null` without a limit. */
  left_us: number | null;
  /** What is left in the bank, if there is one. */
  bank_us?: number;
  runs: boolean;
}

/** What is left of so many microseconds after so many milliseconds: minutes and seconds, and tenths when it is urgent. */
export function left(micros: number, passed: number): string {
  const tenths = Math.max(0, Math.floor(micros / 1e5 - passed / 100));
  const seconds = Math.floor(tenths / 10);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}${seconds < 10 ? `.${tenths % 10}` : ""}`;
}
