// A match that is being played: the lines of its replay, as the server of the page has them.

/** The least time between two requests, in milliseconds. */
const PAUSE = 150;

export class LiveLines {
  #from = 0;

  /** Waits for further lines. Returns `null` if none will follow. */
  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const answer = await fetch(`lines?from=${this.#from}`);
      if (answer.status === 204) return null;
      if (!answer.ok) throw new Error(`the server of the page answers ${answer.status}`);
      const lines = new Uint8Array(await answer.arrayBuffer());
      this.#from += lines.length;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      if (lines.length > 0) return lines;
    }
  }
}
