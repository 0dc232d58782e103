// Checks how the page follows a session of `agon console`, without a browser: `node tests/served.mjs MODULE`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";
import { Session } from "./session.mjs";

const wasm = readFileSync(process.argv[2]);
const { loadPlay } = await compile("engine/play.ts");
const { ServedDesk } = await compile("console/served.svelte.ts");
const { Wire, wireOfAddress } = await compile("console/wire.ts");
const { Dialogue } = await compile("console/dialogue.svelte.ts");

/** One side of a line: what was sent into it, and a way to say something. */
class Pipe {
  sent = [];
  isClosed = false;

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.isClosed = true;
  }

  say(message) {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  break(reason = "") {
    this.onclose?.({ reason });
  }
}

/** A wire whose messages are kept. */
function wired() {
  const pipes = [];
  const heard = [];
  const wire = new Wire(
    () => {
      pipes.push(new Pipe());
      return pipes.at(-1);
    },
    () => {},
  );
  wire.hears = (message) => heard.push(message.kind);
  wire.lost = (why) => heard.push(`lost: ${why}`);
  wire.connect();
  return { wire, pipes, heard };
}

const pass = () => new Promise((resolve) => setImmediate(resolve));
const answer = (id, more = {}) => ({ kind: "answer", id, document: { ok: true, command: "status", ...more } });

await check("answers find their askers in any order, after everybody else has heard them", async () => {
  const { wire, pipes: [pipe], heard } = wired();
  const order = [];
  const first = wire.send("go").then((document) => order.push(["go", document.ply, heard.length]));
  const second = wire.send("status").then((document) => order.push(["status", document.ply, heard.length]));
  assert.deepEqual(pipe.sent, [{ id: 1, command: "go" }, { id: 2, command: "status" }]);
  pipe.say(answer(2, { ply: 20 }));
  await second;
  pipe.say({ kind: "line", line: "{}\n" });
  pipe.say(answer(1, { ply: 10 }));
  pipe.say(answer(9, { ply: 90 }));
  await first;
  assert.deepEqual(order, [["status", 20, 1], ["go", 10, 4]]);
});

await check("a lost line ends every command, and another one can be opened", async () => {
  const { wire, pipes, heard } = wired();
  const unheard = assert.rejects(wire.send("go"), /is lost/);
  pipes[0].break("too slow");
  await unheard;
  assert.equal(heard.at(-1), "lost: the connection to the console is lost: too slow");
  await assert.rejects(wire.send("status"), /no connection/);
  wire.connect();
  pipes[0].say(answer(1));
  assert.equal(heard.length, 1, "what the old line still says is not heard");
  const again = wire.send("status");
  assert.deepEqual(pipes[1].sent, [{ id: 2, command: "status" }]);
  pipes[1].say(answer(2));
  assert.equal((await again).ok, true);
});

await check("a session of another version is told", () => {
  const { pipes: [pipe], heard } = wired();
  pipe.say({ kind: "hello", schema: 2 });
  assert.deepEqual(heard, ["lost: the page could not follow the console: it is of another version; load the page again"]);
});

await check("a message that cannot be read closes the line and is told", async () => {
  const { wire, pipes, heard } = wired();
  pipes[0].say("{");
  assert.match(heard.at(-1), /^lost: the page could not follow/);
  assert.equal(pipes[0].isClosed, true);
  wire.hears = () => {
    throw new Error("there is no turn 3");
  };
  wire.connect();
  pipes[1].say({ kind: "line", line: "{}\n" });
  assert.equal(heard.at(-1), "lost: the page could not follow the console: there is no turn 3");
});

await check("the token of the first message opens the next line, and that message is read once", () => {
  const sockets = [];
  const store = new Map();
  const globals = {
    location: { hash: "#ticket", host: "127.0.0.1:8080", pathname: "/" },
    history: { replaceState: () => {} },
    addEventListener: () => {},
    sessionStorage: { getItem: (name) => store.get(name) ?? null, setItem: (name, value) => store.set(name, value) },
    WebSocket: class extends EventTarget {
      constructor(url, protocols) {
        super();
        sockets.push(this);
        this.opened = [url, ...protocols];
      }

      close() {}

      say(data) {
        const event = Object.assign(new Event("message"), { data });
        this.dispatchEvent(event);
        this.onmessage(event);
      }
    },
  };
  const before = Object.fromEntries(Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  const { parse } = JSON;
  let read = 0;
  try {
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
    JSON.parse = (text) => ((read += 1), parse(text));
    const wire = wireOfAddress();
    wire.connect();
    // Also a page of another version is loaded again with it.
    sockets[0].say(JSON.stringify({ kind: "hello", schema: 2, token: "lasting" }));
    wire.connect();
  } finally {
    JSON.parse = parse;
    for (const [name, was] of Object.entries(before)) if (was) Object.defineProperty(globalThis, name, was); else delete globalThis[name];
  }
  assert.equal(read, 1);
  assert.deepEqual(sockets.map(({ opened }) => opened.at(-1)), ["token.ticket", "token.lasting"]);
  assert.equal([...store.values()].join(), "lasting");
});

const engines = [await loadPlay(wasm), await loadPlay(wasm)];

/** A desk that follows a session. `flow` carries what both have said to each other. */
async function sit(bots, game = "triangles") {
  const session = new Session(engines[0], { game, seed: 5, seats: bots.map((bot, i) => ({ name: `seat ${i + 1}`, bot })) });
  const pipes = [];
  const wire = new Wire(
    () => {
      pipes.push(new Pipe());
      return pipes.at(-1);
    },
    () => {},
  );
  const later = [];
  let desk;
  wire.hears = (message) => (desk = new ServedDesk(engines[1], game, wire, message, (work) => later.push(work)));
  wire.connect();
  pipes[0].say(session.hello());
  /** Lets the session answer until nobody says anything more. `goesOn` lets the bots go on as the page would. */
  const flow = async (goesOn = true) => {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      await pass();
      const pipe = pipes.at(-1);
      const asked = pipe.sent.splice(0);
      for (const request of asked) for (const message of session.take(request)) pipe.say(message);
      await pass();
      const before = pipe.sent.length;
      if (goesOn) desk.goOn();
      if (asked.length === 0 && pipe.sent.length === before) return;
    }
    throw new Error("the page and the session never come to rest");
  };
  const played = () => session.commands.filter((command) => !command.startsWith("branch"));
  await flow();
  return { desk, session, pipes, flow, played, later };
}

const first = (desk) => desk.play.legal(desk.hand).orders[0];

await check("a person and a bot play, and the page shows what the session has", async () => {
  const { desk, session, flow, played } = await sit(["human", "./bot"]);
  assert.equal(desk.hand, 1);
  assert.equal(desk.paused, false);
  for (let ply = 2; ply <= 6; ply += 2) {
    desk.order(first(desk));
    assert.equal(desk.hand, null, "nothing more is composed while the decision is on its way");
    await flow();
    assert.equal(desk.ply, ply);
    assert.equal(desk.fingerprint, session.engine.fingerprint());
    assert.equal(desk.hand, 1);
  }
  assert.equal(played().filter((command) => command === "go").length, 3);
  assert.deepEqual(desk.orders, []);
  assert.equal(desk.name(2), "seat 2");
});

await check("who looks back stays there while the bots play on", async () => {
  const { desk, flow } = await sit(["human", "@random"]);
  for (let i = 0; i < 2; i += 1) {
    desk.order(first(desk));
    await flow();
  }
  desk.pauseAt(1);
  desk.sit(1, "@random");
  await flow(false);
  desk.pause(false);
  for (let i = 0; i < 3; i += 1) {
    desk.goOn();
    await flow(false);
  }
  assert.deepEqual([desk.ply, desk.match.plies], [1, 7]);
  assert.equal(desk.hand, null);
});

await check("undo and redo lead to a person, or as far as there is anything", async () => {
  const { desk, session, flow, played } = await sit(["human", "@random"]);
  for (let i = 0; i < 2; i += 1) {
    desk.order(first(desk));
    await flow();
  }
  const end = desk.fingerprint;
  desk.undo();
  await flow();
  assert.equal(desk.ply, 2);
  desk.undo();
  await flow();
  assert.equal(desk.ply, 0);
  assert.equal(desk.canUndo, false);
  desk.status = { ...desk.status, seats: desk.status.seats.map((seat) => ({ ...seat, decided: true })) };
  assert.equal(desk.canUndo, true, "a decision of a turn that is not over can be taken back");
  desk.status = { ...desk.status, seats: desk.status.seats.map((seat) => ({ ...seat, decided: false })) };
  desk.undo();
  await flow();
  assert.equal(desk.canRedo, true);
  desk.redo();
  await flow();
  assert.equal(desk.ply, 4, "no person decides between");
  assert.equal(desk.fingerprint, end);
  assert.equal(desk.refusal, "");
  desk.pauseAt(1);
  desk.fromHere();
  await flow(false);
  assert.equal(desk.ply, 1);
  assert.equal(desk.paused, true, "only bots are awaited there");
  assert.equal(session.engine.match().plies, 1);
  const moves = played().filter((command) => /^(un|re)do/.test(command));
  assert.deepEqual(moves, ["undo person", "undo person", "redo person", "redo 4", "undo 3"]);
});

await check("bots alone begin paused, go turn by turn or on, and stop", async () => {
  const { desk, session, pipes, flow, played } = await sit(["@random", "@random"]);
  assert.equal(desk.paused, true);
  await flow();
  assert.deepEqual(played(), []);
  desk.oneTurn();
  desk.pause(false);
  assert.equal(desk.goOn(), null);
  assert.deepEqual(pipes[0].sent.map(({ command }) => command), ["go"], "a command has no answer yet");
  desk.pause(true);
  await flow();
  assert.equal(desk.ply, 1);
  desk.pause(false);
  pipes[0].say({ kind: "state", state: { ...desk.status, waiting: "raw" } });
  desk.goOn();
  assert.deepEqual(pipes[0].sent, [], "another page waits for a bot");
  pipes[0].say({ kind: "state", state: { ...desk.status, waiting: null } });
  session.holds = true;
  desk.pause(false);
  desk.goOn();
  await flow(false);
  assert.equal(desk.status.waiting, "go");
  assert.equal(desk.status.seats[1].state, "thinking");
  assert.equal(desk.goOn(), null);
  await flow(false);
  assert.deepEqual(played(), ["go", "stop", "go"], "nobody is asked twice");
  desk.pause(true);
  await flow();
  assert.deepEqual(played(), ["go", "stop", "go", "stop"]);
  assert.equal(desk.ply, 1);
  assert.equal(desk.status.waiting, null);
});

await check("clocks that are stopped do not run again because bots go on", async () => {
  const { desk, flow, played } = await sit(["@random", "@random"]);
  desk.pause(false);
  desk.setClocks(false);
  desk.goOn();
  await flow();
  assert.deepEqual([desk.paused, ...played()], [true, "clock stop"]);
  const { desk: mine, flow: on, played: sent } = await sit(["human", "@random"]);
  mine.setClocks(false);
  mine.setClocks(true);
  await on();
  assert.deepEqual([mine.paused, ...sent()], [false, "clock stop", "clock start"], "who decides goes on when it likes");
});

await check("a bot that cannot decide makes the page wait and say why", async () => {
  const { desk, flow, played } = await sit(["human", "./bot"]);
  desk.kill(2);
  await flow();
  assert.equal(desk.status.seats[1].state, "dead");
  desk.order(first(desk));
  await flow();
  assert.equal(desk.paused, true);
  assert.equal(desk.refusal, "the bot is dead");
  assert.equal(desk.hint, "try another");
  assert.equal(played().filter((command) => command === "go").length, 1);
  desk.decideFor(2);
  assert.equal(desk.hand, 2, "a person decides in its place");
  desk.ask(2);
  await flow();
  assert.equal(desk.orders.length, 1, "what the bot would do is filled in");
  desk.give();
  await flow();
  assert.equal(desk.ply, 2);
  assert.equal(desk.substitute, null);
  assert.equal(desk.hand, 1);
});

await check("an undo while a bot thinks ends the wait, and the page goes on afterwards", async () => {
  const { desk, session, flow } = await sit(["human", "@random"]);
  session.holds = true;
  desk.order(first(desk));
  await flow();
  assert.equal(desk.status.waiting, "go");
  desk.undo();
  await flow();
  assert.deepEqual([desk.ply, desk.paused, desk.hand], [0, false, 1]);
  session.holds = false;
  desk.order(first(desk));
  await flow();
  assert.equal(desk.ply, 2);
});

await check("an edit is refused at its line, or taken, and nothing is played over it", async () => {
  const { desk, flow } = await sit(["@random", "@random"]);
  desk.pause(false);
  for (let i = 0; i < 3; i += 1) {
    desk.goOn();
    await flow(false);
  }
  const before = desk.fingerprint;
  const refused = desk.edit("no map");
  await flow(false);
  assert.deepEqual([(await refused).line, (await refused).text, desk.fingerprint], [1, "no map", before]);
  const { text, leftOut } = await Promise.all([desk.map(), flow(false)]).then(([map]) => map);
  assert.deepEqual(leftOut, ["the time"]);
  const taken = desk.edit(text.split("\n").filter((line) => line.startsWith("point")).join("\n") + "\n");
  await flow();
  assert.equal(await taken, null);
  assert.deepEqual([desk.ply, desk.paused], [0, true]);
  assert.match(desk.answered, /begin anew: players\[2\]\.keys\./);
});

await check("what a map does not say is edited item by item or as JSON, and a flaw names its item", async () => {
  const { desk, flow, played } = await sit(["human", "@random"]);
  const [state] = await Promise.all([desk.beyond(), flow()]);
  assert.deepEqual(state, { round: 12, players: { 2: { keys: ["3,4"] } } });
  const [put] = await Promise.all([desk.put("players[2].keys", ["3,4", "5,6"]), flow()]);
  const [gone] = await Promise.all([desk.leaveOut("round"), flow()]);
  assert.deepEqual([put, gone], [null, null]);
  const [unknown] = await Promise.all([desk.put("nonsense", "x"), flow()]);
  assert.deepEqual([unknown.item, unknown.in], ["nonsense", "state"]);
  assert.match((await desk.editBeyond("{")).text, /^this is not JSON/);
  const [refused] = await Promise.all([desk.editBeyond('{ "turn": 1 }'), flow()]);
  assert.deepEqual([refused.item, refused.in], ["round", "state"]);
  const [taken] = await Promise.all([desk.editBeyond('{\n "round": 3\n}'), flow()]);
  assert.equal(taken, null);
  const items = ['edit put players[2].keys ["3,4","5,6"]', "edit drop round", 'edit put nonsense "x"'];
  assert.deepEqual(played(), ["show state", ...items, 'edit state { "turn": 1 }', 'edit state { "round": 3 }']);
});

await check("undo takes an edit back alone, also where no person decides", async () => {
  const { desk, flow, played } = await sit(["human", "@random"]);
  desk.order(first(desk));
  await flow();
  await Promise.all([desk.put("to_move", 2), flow(false)]);
  desk.undo();
  await flow(false);
  desk.undo();
  await flow(false);
  const [put, ...undone] = played().slice(-3);
  assert.deepEqual([put, ...undone], ["edit put to_move 2", "undo", "undo person"]);
});

await check("a lost session is told, takes no commands, and is followed again", async () => {
  const { desk, session, pipes, flow } = await sit(["human", "@random"]);
  desk.order(first(desk));
  await flow();
  pipes[0].break();
  assert.equal(desk.connection, "lost");
  desk.order(first(desk));
  await flow();
  assert.match(desk.refusal, /no connection/);
  assert.equal(desk.ply, 2);
  session.turn({ seat: 1, orders: session.firstOrders(1) });
  desk.connect();
  pipes[1].say(session.hello());
  await flow(false);
  assert.deepEqual([desk.connection, desk.ply, desk.paused], ["open", 3, true]);
  assert.equal(desk.fingerprint, session.engine.fingerprint());
  desk.quit();
  await flow(false);
  pipes[1].say({ kind: "end" });
  pipes[1].break();
  assert.equal(desk.connection, "ended");
});

await check("what was played can be saved when the session is lost, and when it has ended", async () => {
  for (const part of [(pipe) => pipe.break(), (pipe) => pipe.say({ kind: "end" })]) {
    const { desk, session, pipes, flow } = await sit(["human", "@random"]);
    desk.order(first(desk));
    await flow();
    session.engine.seek(2);
    const [replay, map] = [session.engine.record(), session.engine.map()];
    part(pipes[0]);
    desk.pauseAt(1);
    assert.equal(await desk.record(), replay);
    assert.deepEqual(await desk.map(), { text: map, leftOut: null }, "the map is that of the end");
    assert.equal(desk.play.fingerprint(), desk.fingerprint, "and the page shows what it showed");
    assert.deepEqual([pipes[0].sent, desk.refusal], [[], ""]);
  }
});

await check("a page that has another position than the session says so", async () => {
  const { desk, pipes, flow, later } = await sit(["human", "@random"]);
  desk.order(first(desk));
  await flow();
  const { status } = desk;
  pipes[0].say({ kind: "line", line: '{"event":"rewound","ply":1,"fingerprint":"07d953eb5403e69e"}\n' });
  pipes[0].say({ kind: "state", state: status });
  for (const work of later.splice(0)) work();
  assert.equal(desk.connection, "lost");
  assert.match(desk.why, /another position/);
});

await check("the dialogue joins pieces to lines, shows signs, and forgets the oldest", () => {
  const due = [];
  const dialogue = new Dialogue(2000, (work) => due.push(work));
  dialogue.begin([{ seat: 1, run: 1, at_us: 1, way: "from", text: "na" }], 0);
  const [part] = dialogue.rows;
  dialogue.add([
    { seat: 2, run: 1, at_us: 2, way: "from", text: "other\n" },
    { seat: 1, run: 1, at_us: 3, way: "from", text: "me\r\nnext" },
    { seat: 1, run: 1, at_us: 4, way: "stderr", text: "\u202eodd\u0007\n" },
    { seat: 1, run: 2, at_us: 5, way: "from", text: "new\n" },
    { seat: 1, run: 2, at_us: 6, way: "note", text: "ended" },
    { seat: 1, run: 2, at_us: 7, way: "note", text: "started" },
  ]);
  assert.deepEqual(dialogue.rows.map((row) => row.text), ["name\u240d", "other", "next", "\u2426odd\u2407", "new", "ended", "started"]);
  assert.equal(part.text, "na", "a line that grows is another row, or a list would keep the one that it has drawn");
  assert.equal(dialogue.row(part.id), dialogue.rows[0]);
  assert.equal(due.length, 1, "the page draws once for what comes at once");
  const version = dialogue.version;
  due[0]();
  assert.equal(dialogue.version, version + 1);
  assert.deepEqual(dialogue.found(2, "").map((row) => row.text), ["other"]);
  assert.deepEqual(dialogue.found(null, "NEX").map((row) => row.at_us), [3]);
  for (let i = 0; i < 100; i += 1) dialogue.add([{ seat: 1, run: 2, at_us: i, way: "from", text: `line ${i}\n` }]);
  assert.ok(dialogue.dropped > 50);
  assert.equal(dialogue.row(part.id), null);
  assert.equal(dialogue.rows.at(-1).text, "line 99");
  assert.ok(dialogue.rows.reduce((sum, row) => sum + row.text.length + 40, 0) <= 2000);
});

await check("characters of two units are kept whole, and none is written twice", () => {
  const dialogue = new Dialogue(100_000, () => {});
  const texts = () => dialogue.rows.map((row) => row.text);
  const say = (text) => dialogue.add([{ seat: 1, run: 1, at_us: 1, way: "from", text }]);
  say("x\u{e0041}move 3\n");
  assert.deepEqual(texts(), ["x\u2426move 3"]);
  const odd = `x${"\u{1f600}".repeat(15_000)}`;
  say(`${odd}\n`);
  assert.ok(texts().length > 2, "a long line goes on in another row");
  assert.ok(texts().every((text) => text.isWellFormed()));
  assert.equal(texts().slice(1).join(""), odd);
});

await check("a page that connects again keeps the dialogue, and says what of it is missing", () => {
  const dialogue = new Dialogue(10_000, () => {});
  const said = (at_us, text) => ({ seat: 1, run: 1, at_us, way: "from", text });
  const [one, two, three, four] = [said(1, "one\ntw"), said(2, "o\nth"), said(3, "ree\nfo"), said(4, "ur\n")];
  const texts = () => dialogue.rows.map((row) => row.text);
  dialogue.begin([one], 1500);
  assert.equal(dialogue.forgotten, 1500, "what was said before the page came");
  dialogue.add([two]);
  dialogue.begin([two, three], 1700);
  assert.deepEqual(texts(), ["one", "two", "three", "fo"]);
  dialogue.begin([two, three], 0);
  dialogue.begin([three, four], 0);
  assert.equal(dialogue.forgotten, 1500, "what is forgotten later, the page has");
  assert.deepEqual(texts(), ["one", "two", "three", "four"], "what has come is not taken twice");
  assert.deepEqual(dialogue.missing, []);
  dialogue.add([said(5, "la")]);
  dialogue.begin([said(9, "st\n")], 0);
  assert.deepEqual(texts().slice(3), ["four", "la", "st"], "pieces of two lines are no line");
  assert.deepEqual(dialogue.missing, [{ from: 5, to: 9 }]);
});

await check("a flood of 50,000 lines is taken, searched and shortened", () => {
  const dialogue = new Dialogue(5_000_000, () => {});
  const before = performance.now();
  for (let i = 0; i < 50; i += 1) {
    dialogue.add([{ seat: 1, run: 1, at_us: i, way: "from", text: Array.from({ length: 1000 }, (_, k) => `line ${i * 1000 + k}\n`).join("") }]);
  }
  const taken = performance.now();
  assert.equal(dialogue.rows.length, 50_000);
  assert.equal(dialogue.found(null, "line 4999").length, 11);
  const searched = performance.now();
  console.log(`dialogue-50000-lines-ms ${(taken - before).toFixed(1)}, search-ms ${(searched - taken).toFixed(1)}`);
  dialogue.add([{ seat: 1, run: 1, at_us: 0, way: "from", text: "x".repeat(6_000_000) }]);
  assert.ok(dialogue.rows.reduce((sum, row) => sum + row.text.length, 0) <= 5_000_000);
});

finish("the page follows a session");
