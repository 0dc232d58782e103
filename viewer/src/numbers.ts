// Numbers and names as people read them.

/** Returns a number with at most one decimal, and with a comma at each thousand. `Intl` would do the same, but the first board would
 *  wait for its data. */
export function number(value: number): string {
  if (Number.isNaN(value)) return "?";
  const isWhole = Number.isInteger(value) || Math.abs(value) >= 100;
  const [digits = "", part = "0"] = Math.abs(value).toFixed(isWhole ? 0 : 1).split(".");
  const text = digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + (part === "0" ? "" : `.${part}`);
  return value < 0 && text !== "0" ? `-${text}` : text;
}

/** Returns a number in little room: from ten millions on with a letter for its size. */
export function short(value: number): string {
  if (!(Math.abs(value) >= 1e7)) return number(value);
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 }).format(value);
}

export const gain = (value: number): string => (value < 0 ? `−${number(-value)}` : `+${number(value)}`);

/** Returns a time in the unit that suits it. */
export function time(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 100 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`;
}

export const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns round numbers from 0 to at least `most`, at most `count` of them beside 0. */
export function ticks(most: number, count: number): number[] {
  if (!(most > 0)) return [];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? 10 * power;
  const all: number[] = [];
  for (let value = step; value <= most; value += step) all.push(value);
  return all;
}
