// The line to a session of `agon console`: commands go out, each with a number, and documents come in.
import type { Said } from "./dialogue.svelte.ts";
import type { Status } from "./session.ts";

/** What the session says. */
export type Message =
  | { kind: "hello"; schema: number; token: string; replay: string; state: Status; said: Said[]; forgotten: number }
  | { kind: "line"; line: string }
  | { kind: "state"; state: Status }
  | { kind: "answer"; id: number; document: Status }
  | { kind: "said"; said: Said[] }
  | { kind: "end" };

/** The version of the messages that this file knows. */
const SCHEMA = 1;

/** As much of a `WebSocket` as is used. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { reason?: string }) => void) | null;
}

export class Wire {
  /** Takes everything that the session says, before the asker of an answer has it. */
  hears: (message: Message) => void = () => {};
  /** Takes that the line is lost. */
  lost: (why: string) => void = () => {};
  readonly #open: () => Socket;
  readonly #keep: (token: string) => void;
  #socket: Socket | null = null;
  #count = 0;
  readonly #asked = new Map<number, { heard: (document: Status) => void; unheard: (why: Error) => void }>();

  /** `keep` takes the token that each `hello` brings. */
  constructor(open: () => Socket, keep: (token: string) => void) {
    [this.#open, this.#keep] = [open, keep];
  }

  /** Opens the line, also after it was lost. The first message is `hello`. */
  connect(): void {
    this.#drop("the page connects again");
    const socket = this.#open();
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (this.#socket === socket) this.#take(data);
    };
    socket.onclose = ({ reason }) => {
      const why = reason ? `: ${reason}` : "";
      if (this.#socket === socket) this.close(`the connection to the console is lost${why}`);
    };
  }

  /** Gives the line up. */
  close(why: string): void {
    if (!this.#socket) return;
    this.#drop(why);
    this.lost(why);
  }

  #drop(why: string): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { unheard } of asked) unheard(new Error(why));
  }

  /** Sends a command and waits for its answer. Throws why if none will come. */
  send(command: string): Promise<Status> {
    return new Promise((heard, unheard) => {
      if (!this.#socket) {
        unheard(new Error("there is no connection to the console"));
        return;
      }
      this.#count += 1;
      this.#asked.set(this.#count, { heard, unheard });
      this.#socket.send(JSON.stringify({ id: this.#count, command }));
    });
  }

  #take(data: unknown): void {
    try {
      const message = JSON.parse(String(data)) as Message;
      if (message.kind === "hello") {
        this.#keep(message.token);
        if (message.schema !== SCHEMA) throw new Error("it is of another version; load the page again");
      }
      this.hears(message);
      if (message.kind !== "answer") return;
      this.#asked.get(message.id)?.heard(message.document);
      this.#asked.delete(message.id);
    } catch (error) {
      // What the page cannot follow any more, a new `hello` mends.
      this.close(`the page could not follow the console: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Where the token is kept, so that the page can be loaded again. Each tab has its own. */
const KEPT = "agon-console";

/** Takes the token from the address, where nobody shall read it, and returns the line that it opens. */
export function wireOfAddress(): Wire {
  let token = location.hash.slice(1) || kept();
  if (!token) throw new Error("this address has no token; open the one that `agon console` has printed");
  keep(token);
  history.replaceState(null, "", location.pathname);
  // The address of another session on the same port differs in its token alone.
  addEventListener("hashchange", () => location.reload());
  const open = (): Socket => new WebSocket(`ws://${location.host}/wire`, ["agon-console.1", `token.${token}`]) as unknown as Socket;
  // The token of an address that Agon has opened itself works once. The first message brings one that lasts.
  return new Wire(open, (lasting) => {
    token = lasting;
    keep(lasting);
  });
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(KEPT, token);
  } catch {
    // The page then cannot be loaded again without its address.
  }
}
