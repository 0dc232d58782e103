// A stand-in for a session of `agon console`: it plays with the same rules, and says what a session would say. Seats that are
// people's wait for `play`; the others play the first lawful order when `go` asks them, unless `holds` is set.

export class Session {
  /** Every command, in the order in which they came. */
  commands = [];
  /** Whether `go` waits until another command ends it. */
  holds = false;
  ended = false;

  constructor(engine, start) {
    this.engine = engine;
    engine.start(start);
    this.start = start;
    this.seats = start.seats.map(({ name, bot }) => {
      const isPerson = bot === "human";
      const into_step = bot.startsWith("@") || isPerson ? null : "setup";
      return { name, bot, state: isPerson ? "human" : "ready", into_step, in_step: true, decided: false };
    });
    this.sent = this.lines().length;
    this.given = [];
    this.taken = [];
    this.held = null;
    this.out = [];
  }

  /** The replay so far. A session that goes on has no footer. */
  lines() {
    return this.engine.record().replace(/\{"end":.*\n$/, "");
  }

  hello() {
    const replay = this.lines();
    this.sent = replay.length;
    const said = [{ seat: 2, run: 1, at_us: 5, way: "note", text: "started" }];
    return { kind: "hello", schema: 1, replay, state: this.status("status"), said, forgotten: 0 };
  }

  status(command) {
    const { over } = this.engine.standing();
    return {
      schema: 1, command, ok: true, error: null, branch: 1, over,
      ply: this.engine.match().plies, fingerprint: this.engine.fingerprint(), awaiting: over ? [] : this.engine.awaited(),
      undo: this.given.length, redo: this.taken.length, waiting: this.held ? "go" : null,
      seats: this.seats.map((seat) => ({ ...seat })),
    };
  }

  /** Takes a command and returns the messages that follow it. */
  take({ id, command }) {
    this.commands.push(command);
    const [word, ...rest] = command.split(" ");
    const more = {};
    const out = [];
    if (this.held && ["play", "undo", "redo", "stop", "go"].includes(word)) out.push(...this.end(this.held));
    try {
      const held = this.carryOut(word, rest, command, more);
      if (held) {
        this.held = id;
        return [...out, { kind: "state", state: this.status("status") }];
      }
    } catch (error) {
      const { message: text, line = null, item } = error;
      const where = line === null ? (item ? "state" : "command") : "map";
      const told = { text, line, item, column: null, length: null, in: where, hint: "try another" };
      return [...out, { kind: "answer", id, document: { ...this.status(word), ok: false, error: told } }];
    }
    return [...out, ...this.answer(id, { ...this.status(word), ...more })];
  }

  /** The lines and the state since the last call, and an answer. */
  answer(id, document) {
    const record = this.lines();
    const lines = record.slice(this.sent).split(/(?<=\n)/).filter((line) => line !== "");
    this.sent = record.length;
    const state = { kind: "state", state: this.status("status") };
    return [...lines.map((line) => ({ kind: "line", line })), state, { kind: "answer", id, document }];
  }

  /** Ends a `go` that is held, without a turn. */
  end(id) {
    this.held = null;
    for (const seat of this.seats) if (seat.state === "thinking") seat.state = "ready";
    return this.answer(id, this.status("go"));
  }

  turn(person = null) {
    const decisions = this.engine.awaited().map((seat) => (person?.seat === seat ? person : { seat, orders: this.firstOrders(seat) }));
    this.engine.give(decisions);
    this.given.push(decisions);
    this.taken = [];
  }

  firstOrders(seat) {
    const [first] = this.engine.legal(seat).orders;
    return `[${first}]`;
  }

  carryOut(word, rest, command, more) {
    const seat = Number(rest[0]);
    switch (word) {
      case "play": {
        const orders = rest.slice(1).join(" ");
        const refusal = this.engine.check(seat, orders);
        if (refusal) throw new Error(refusal.why);
        this.turn({ seat, orders });
        more.turns = [{}];
        break;
      }
      case "go":
        if (this.seats[this.engine.awaited()[0] - 1].bot === "human") throw new Error("a person decides");
        if (this.seats[this.engine.awaited()[0] - 1].state === "dead") throw new Error("the bot is dead");
        if (this.holds) {
          this.seats[this.engine.awaited()[0] - 1].state = "thinking";
          return true;
        }
        this.turn();
        more.turns = [{}];
        break;
      case "undo": {
        const people = this.start.seats.flatMap(({ bot }, i) => (bot === "human" ? [i + 1] : []));
        const byPerson = this.given.findLastIndex((turn) => turn.some((one) => people.includes(one.seat)));
        if (rest[0] === "person" && byPerson < 0) throw new Error("there is no decision of a person to take back");
        const steps = rest[0] === "person" ? this.given.length - byPerson : Number(rest[0] ?? 1);
        for (let i = 0; i < steps; i += 1) this.taken.push(this.given.pop());
        this.engine.rewind(this.given.length);
        break;
      }
      case "redo":
        if (rest[0] === "person") throw new Error("there is no decision of a person to play again");
        for (let i = 0; i < Number(rest[0] ?? 1); i += 1) {
          const turn = this.taken.pop();
          this.engine.give(turn);
          this.given.push(turn);
        }
        break;
      case "branch":
        more.branches = [{ branch: 1, ply: this.given.length, current: true }];
        break;
      case "bot":
        this.seats[seat - 1] = { ...this.seats[seat - 1], bot: rest.slice(1).join(" "), name: "new", state: "ready" };
        break;
      case "kill":
        this.seats[seat - 1] = { ...this.seats[seat - 1], state: "dead", why: "it was killed by hand", in_step: false };
        break;
      case "ask":
        more.answer = { seat, orders: JSON.parse(this.firstOrders(seat)), refusal: null, text: null, complete: true, wall_us: 1500 };
        break;
      case "raw":
        more.answer = { seat, orders: null, refusal: null, text: `= ${rest.slice(1).join(" ")}\n`, complete: true, wall_us: 700 };
        break;
      case "show":
        if (rest[0] === "map") [more.map, more.left_out] = [this.engine.map(), ["the time"]];
        else if (rest[0] === "state") more.state = { round: 12, players: { 2: { keys: ["3,4"] } } };
        else more.replay = this.lines();
        break;
      case "edit": {
        if (rest[0] === "put" || rest[0] === "drop") {
          if (rest[1] === "nonsense") throw Object.assign(new Error("unknown item"), { item: rest[1] });
          break;
        }
        if (rest[0] === "state") {
          if (!("round" in JSON.parse(rest.slice(1).join(" ")))) throw Object.assign(new Error("it is missing"), { item: "round" });
          break;
        }
        const map = JSON.parse(command.slice("edit map ".length));
        more.begun_anew = ["players[2].keys"];
        if (map.startsWith("no")) throw Object.assign(new Error("no map"), { line: 1 });
        const { fingerprint } = JSON.parse(this.engine.record().split("\n")[0]);
        this.engine.append(new TextEncoder().encode(`${JSON.stringify({ event: "edited", map, fingerprint })}\n`));
        this.engine.seek(0);
        this.given = [];
        break;
      }
      case "quit":
        this.ended = true;
        break;
      case "clock":
      case "stop":
      case "status":
        break;
      default:
        throw new Error(`unknown command \`${word}\``);
    }
    return false;
  }
}
