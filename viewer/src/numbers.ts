// Numbers and names as people read them.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const PARTS = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const number = (value: number): string =>
  Number.isNaN(value) ? "?" : Number.isInteger(value) || Math.abs(value) >= 100 ? WHOLE.format(value) : PARTS.format(value);

const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

/** Returns a number in little room: from ten millions on with a letter for its size. */
export const short = (value: number): string => (Math.abs(value) >= 1e7 ? SHORT.format(value) : number(value));

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
