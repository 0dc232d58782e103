// The place in a match as part of the address: `#ply=57&seat=1`. Seats count from 1.

export interface Place {
  ply: number | null;
  seat: number | null;
}

export function readPlace(hash: string): Place {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const whole = (name: string): number | null => {
    const text = words.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
  };
  const seat = whole("seat");
  return { ply: whole("ply"), seat: seat === 0 ? null : seat };
}

export const writePlace = (ply: number, seat: number | null): string =>
  `#ply=${ply}${seat === null ? "" : `&seat=${seat}`}`;
