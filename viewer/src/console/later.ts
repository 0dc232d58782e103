/** Does something in so many milliseconds. Tests do it when they want. */
export type Later = (work: () => void, ms: number) => void;

export const setTimer: Later = (work, ms) => void setTimeout(work, ms);
