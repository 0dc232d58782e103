// A session of `agon console`, which the page follows: the lines of its replay are played here again, so that the board, lawful
// places, charts and looks back come from the same rules. What the person wants goes out as commands.
import type { PlayEngine } from "../engine/play.ts";
import { time } from "../numbers.ts";
import { sayError } from "../player.svelte.ts";
import { visible } from "../transcript.ts";
import { Desk, GLANCE, PERSON, type Line, type SavedMap } from "./desk.svelte.ts";
import { Dialogue } from "./dialogue.svelte.ts";
import { setTimer, type Later } from "./later.ts";
import type { BotAnswer, CommandError, Connection, Session, Status } from "./session.ts";
import type { Items, Value } from "./state/shapes.ts";
import type { Message, Wire } from "./wire.ts";

/** How long the page may show another position than the session has, in milliseconds. */
const ASTRAY = 1000;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const flaw = (text: string): CommandError => ({ text, hint: null, line: null, column: null, length: null, in: "command" });

type Hello = Extract<Message, { kind: "hello" }>;

export class ServedDesk extends Desk implements Session {
  override readonly session: Session = this;
  readonly dialogue = new Dialogue();
  connection = $state<Connection>("open");
  status = $state.raw<Status>() as Status;
  /** Why the connection is lost. */
  why = $state("");
  answered = $state("");
  misled = $state.raw<ReadonlySet<number>>(new Set());
  #substitute = $state<number | null>(null);
  #lines = $state.raw<readonly Line[]>([]);
  /** How many commands have no answer yet, and how many there were in all. */
  #pending = $state(0);
  #commands = 0;
  /** The positions that edits in this page led to, by how many steps can be taken back there. */
  readonly #edits = new Map<number, string>();
  /** The seat whose decision is on its way. */
  #sent = $state<number | null>(null);
  #isGoing = false;
  /** Lines of the replay that have come, and are not played yet. */
  #come: string[] = [];
  readonly #wire: Wire;
  readonly #later: Later;
  protected readonly seed = 1;

  constructor(play: PlayEngine, game: string, wire: Wire, hello: Hello, later: Later = setTimer) {
    super(play, bytes(hello.replay), game);
    [this.#wire, this.#later] = [wire, later];
    this.#begin(hello);
    wire.hears = (message) => this.#hear(message);
    wire.lost = (why) => this.#lose(why);
  }

  #hear(message: Message): void {
    switch (message.kind) {
      case "hello":
        this.reopen(bytes(message.replay));
        this.#begin(message);
        break;
      case "line":
        this.#come.push(message.line);
        break;
      case "state":
        this.#settle(message.state);
        break;
      case "answer":
        // Its state may be older than the one that came before it.
        this.#settle(this.status);
        break;
      case "said":
        this.dialogue.add(message.said);
        break;
      case "end":
        this.connection = "ended";
        break;
    }
  }

  #begin({ state, said, forgotten }: Hello): void {
    [this.connection, this.#come] = ["open", []];
    this.dialogue.begin(said, forgotten);
    this.#settle(state, true);
    void this.#list();
    // Nothing is played before somebody wants it.
    if (!this.#personDecides) this.paused = true;
  }

  #lose(why: string): void {
    if (this.connection === "ended") return;
    this.connection = "lost";
    this.why = why;
  }

  /** Plays the lines that have come, and takes over who sits where and what can be done. */
  #settle(status: Status, isNew = false): void {
    const before = { changes: this.match.changes, branch: this.status?.branch };
    const moved = this.#come.length > 0;
    const lines = this.#come.join("");
    this.#come = [];
    if (moved) this.append(bytes(lines));
    this.status = status;
    const isMisled = (seat: number): boolean => status.seats[seat - 1]?.in_step === false;
    if ([...this.misled].some((seat) => !isMisled(seat))) this.misled = new Set([...this.misled].filter(isMisled));
    this.bots = status.seats.map((seat) => seat.bot);
    this.match = { ...this.match, seats: status.seats.map(({ name, bot }) => ({ name: visible(name), bot: visible(bot) })) };
    if (moved || isNew) {
      [this.#sent, this.#substitute, this.answered] = [null, null, ""];
      this.#drop();
      this.stand();
      this.survey();
      if (!this.#isTrue) this.#later(() => this.#compare(), ASTRAY);
    }
    this.changes += 1;
    if (!isNew && (this.match.changes !== before.changes || status.branch !== before.branch)) void this.#list();
  }

  /** Lets go of the orders. What was told of them stays. */
  #drop(): void {
    const { refusal, hint } = this;
    this.compose([]);
    this.refuse(refusal, hint);
  }

  /** Whether the page has the position of the session. */
  get #isTrue(): boolean {
    this.play.seek(this.match.plies);
    const mine = this.play.fingerprint();
    this.play.seek(this.ply);
    return mine === this.status.fingerprint;
  }

  #compare(): void {
    if (this.connection === "open" && !this.#isTrue) this.#wire.close("the page shows another position than the console has");
  }

  /** Asks for the lines of play. */
  async #list(): Promise<void> {
    const listed = await this.#wire.send("branch").catch(() => null);
    if (!listed?.branches) return;
    this.#lines = listed.branches.map(({ branch, ply, current }) => ({ id: branch, plies: ply, parts: null, current }));
  }

  /** Sends a command and returns its answer. If it is refused or not heard, that is told, and `null` returned. */
  async #command(command: string, isOfPerson = true): Promise<Status | null> {
    if (isOfPerson) this.refuse("");
    this.#pending += 1;
    this.#commands += 1;
    try {
      const document = await this.#wire.send(command);
      if (document.ok) return document;
      this.refuse(document.error?.text ?? "the console refuses the command", document.error?.hint ?? "");
      return null;
    } catch (error) {
      this.refuse(sayError(error));
      return null;
    } finally {
      this.#pending -= 1;
    }
  }

  /** Sends a command that leads to another position, and shows it. */
  async #move(command: string): Promise<Status | null> {
    const document = await this.#command(command);
    if (document) this.#arrive();
    return document;
  }

  /** Shows the position to which a command has led. Nothing is played over what the person wanted to see. */
  #arrive(): void {
    this.show(this.match.plies);
    if (!this.#personDecides) this.paused = true;
  }

  get #personDecides(): boolean {
    return this.awaited.some((seat) => this.bots[seat - 1] === PERSON && !this.status.seats[seat - 1]?.decided);
  }

  get substitute(): number | null {
    return this.#substitute;
  }

  protected composes(seat: number): boolean {
    const isHis = this.bots[seat - 1] === PERSON || this.#substitute === seat;
    return isHis && this.#sent === null && !this.status.seats[seat - 1]?.decided;
  }

  protected decide(seat: number, orders: string): void {
    this.#sent = seat;
    void this.#command(`play ${seat} ${orders}`).then(() => {
      this.#sent = null;
      // The others in the turn have not decided yet, or cannot.
      if (this.status.seats[seat - 1]?.decided) this.#drop();
      if (this.refusal && !this.#personDecides) this.paused = true;
    });
  }

  oneTurn(): void {
    this.refuse("");
    if (!this.#isGoing) void this.#go();
  }

  override pause(paused: boolean): void {
    super.pause(paused);
    if (paused && (this.#isGoing || this.status.waiting !== null)) void this.#command("stop", false);
    if (!paused) {
      this.refuse("");
      this.#substitute = null;
    }
  }

  get pace(): number {
    void [this.changes, this.paused, this.#pending, this.connection, this.#substitute];
    return this.bots.includes(PERSON) ? 0 : GLANCE;
  }

  goOn(): number | null {
    const isFree = this.connection === "open" && this.#pending === 0 && this.status.waiting === null;
    const isForBots = !this.over && this.awaited.length > 0 && !this.#personDecides && this.#substitute === null;
    if (isFree && isForBots && !this.paused) void this.#go();
    return null;
  }

  async #go(): Promise<void> {
    this.#isGoing = true;
    const answer = this.#command("go", false);
    const mine = this.#commands;
    const document = await answer;
    this.#isGoing = false;
    // Another command has ended the wait, and says what comes next.
    if (this.#commands !== mine) return;
    const isThinking = document?.seats.some((seat) => seat.state === "thinking") ?? false;
    // A bot that cannot decide would be asked for ever.
    if (!document || (!document.turns?.length && !isThinking)) this.paused = true;
  }

  undo(): void {
    if (!this.canUndo) return;
    // Nobody decided in an edit, and undo takes back no more than it.
    const isEdit = this.#edits.get(this.status.undo) === this.status.fingerprint;
    if (isEdit) void this.#move("undo");
    else void this.#walk("undo", 1);
  }

  redo(): void {
    if (this.canRedo) void this.#walk("redo", this.status.redo);
  }

  /** Goes to the next decision of a person. If there is none, goes so many steps. */
  async #walk(word: string, steps: number): Promise<void> {
    const toPerson = `${word} person`;
    if (!this.bots.includes(PERSON)) void this.#move(word);
    else if (!(await this.#move(toPerson))) void this.#move(`${word} ${steps}`);
  }

  get canUndo(): boolean {
    // What was decided in a turn that is not over can be taken back, too.
    return this.status.undo > 0 || this.status.seats.some((seat) => seat.decided);
  }

  get canRedo(): boolean {
    return this.status.redo > 0;
  }

  fromHere(): void {
    const steps = this.match.plies - this.ply;
    if (steps > 0) void this.#move(`undo ${steps}`);
  }

  get lines(): readonly Line[] {
    const { plies } = this.match;
    return this.#lines.map((line) => (line.current && !this.canRedo ? { ...line, plies } : line));
  }

  goTo(line: number): void {
    void this.#move(`branch ${line}`);
  }

  sit(seat: number, bot: string): void {
    void this.#command(`bot ${seat} ${bot}`);
  }

  async record(): Promise<string | null> {
    if (this.connection !== "open") return this.play.record();
    return (await this.#command("show replay"))?.replay ?? null;
  }

  async map(): Promise<SavedMap | null> {
    if (this.connection !== "open") return { text: this.#ownMap(), leftOut: null };
    const document = await this.#command("show map");
    return document?.map === undefined ? null : { text: document.map, leftOut: document.left_out ?? [] };
  }

  #ownMap(): string {
    this.play.seek(this.match.plies);
    const map = this.play.map();
    this.play.seek(this.ply);
    return map;
  }

  connect(): void {
    this.refuse("");
    this.#wire.connect();
  }

  restart(seat: number): void {
    this.misled = new Set([...this.misled].filter((other) => other !== seat));
    void this.#command(`restart ${seat}`);
  }

  kill(seat: number): void {
    void this.#command(`kill ${seat}`);
  }

  anyway(seat: number): void {
    void this.#command(`anyway ${seat}`);
  }

  decideFor(seat: number): void {
    if (!this.paused) this.pause(true);
    this.show(this.match.plies);
    this.#substitute = seat;
    this.compose([]);
  }

  ask(seat: number): void {
    this.answered = "";
    // The answer is about this position, so that the bots wait until it has been read.
    if (!this.paused && !this.#personDecides) this.pause(true);
    void this.#command(`ask ${seat}`).then((document) => {
      if (document?.answer) this.#tell(seat, document.answer);
    });
  }

  #tell(seat: number, { orders, refusal, complete, wall_us }: BotAnswer): void {
    const name = this.name(seat);
    const after = time(wall_us / 1000);
    if (!complete || !orders) {
      this.answered = `${name} has not answered within ${after}. It thinks on.`;
      return;
    }
    const list = orders.map((order) => JSON.stringify(order));
    if (this.hand === seat && !refusal) this.compose(list);
    const words = list.length === 0 ? "no orders" : list.join(" ");
    this.answered = `${name} would give ${words}, after ${after}.${refusal ? ` The rules refuse it: ${refusal}.` : ""}`;
  }

  async raw(seat: number, text: string): Promise<BotAnswer | null> {
    const answer = (await this.#command(`raw ${seat} ${text}`))?.answer ?? null;
    if (answer && this.status.seats[seat - 1]?.in_step === false) this.misled = new Set([...this.misled, seat]);
    return answer;
  }

  edit(map: string): Promise<CommandError | null> {
    return this.#change(`edit map ${JSON.stringify(map)}`);
  }

  load(kind: string, seed: number): Promise<CommandError | null> {
    return this.#change(`load gen:${kind}:${seed}`);
  }

  async beyond(): Promise<Items | null> {
    const document = await this.#wire.send("show state").catch(() => null);
    return document?.state ?? null;
  }

  put(path: string, value: Value): Promise<CommandError | null> {
    return this.#change(`edit put ${path} ${JSON.stringify(value)}`);
  }

  leaveOut(path: string): Promise<CommandError | null> {
    return this.#change(`edit drop ${path}`);
  }

  async editBeyond(state: string): Promise<CommandError | null> {
    try {
      JSON.parse(state);
    } catch (error) {
      return flaw(`this is not JSON: ${sayError(error)}`);
    }
    // Line ends are never within a text of JSON, and a command is one line. Numbers stay as they were written.
    return this.#change(`edit state ${state.replace(/\s*\n\s*/g, " ").trim()}`);
  }

  async #change(command: string): Promise<CommandError | null> {
    this.#commands += 1;
    try {
      const document = await this.#wire.send(command);
      if (!document.ok) return document.error;
      const anew = document.begun_anew ?? [];
      this.answered = anew.length === 0 ? "" : `These items do not fit the map and begin anew: ${anew.join(", ")}.`;
    } catch (error) {
      return flaw(sayError(error));
    }
    this.#edits.set(this.status.undo, this.status.fingerprint);
    this.#arrive();
    return null;
  }

  setClocks(run: boolean): void {
    // Bots that go on would let the clocks run again.
    if (!run && !this.#personDecides) this.paused = true;
    void this.#command(`clock ${run ? "start" : "stop"}`);
  }

  quit(): void {
    void this.#command("quit");
  }

  /** The words of the protocol that a program of this game may be sent. */
  get words(): readonly string[] {
    return this.game.protocol_words;
  }
}
