// Checks what the page makes of texts, drawings and keys, without a browser: `node tests/shown.mjs`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { check, finish } from "./check.mjs";
import { compile } from "./compile.mjs";

const { Decoder } = await compile("engine/decode.ts");
const { drawing, drawings, metric } = await compile("drawings.ts");
const { Transcript, visible } = await compile("transcript.ts");
const { number, short } = await compile("numbers.ts");
const { Cells } = await compile("boards/cells.ts");
const { beginning } = await compile("beginning.ts");
const { Layers, Space } = await compile("layers.ts");
const { following, nearest, ARROWS } = await compile("boards/walk.ts");

check("text of bots cannot turn its neighbours around", () => {
  const text = (words) => {
    const bytes = new TextEncoder().encode(words);
    return [bytes.length, 0, 0, 0, ...bytes];
  };
  // A decision: the seat, no orders, a refusal, a fault, no times and three flags.
  const decision = [1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, ...text("\u202eevil"), ...text("\u2067crashed\u0007"), 0, 0, 0, 0, 0, 0, 0];
  const [{ refused, fault }] = new Decoder(new Uint8Array(decision)).turn().decisions;
  assert.deepEqual([refused, fault], [["\u2426evil"], "\u2426crashed\u2407"]);
  const event = [1, 0, 0, 0, ...text("refusal"), 4, 1, 0, 0, 0, 0, ...text("seat 1: \u202eevil")];
  assert.equal(new Decoder(new Uint8Array(event)).events()[0].text, "seat 1: \u2426evil");
  const outcome = [1, 0, 0, 0, ...text("\u200fevil"), 0, 0, 0, 0];
  assert.deepEqual(new Decoder(new Uint8Array(outcome)).outcome().refused, ["\u2426evil"]);
  assert.equal(new Decoder(new Uint8Array(text("{\"name\":\"\u202e\"}\n"))).text(), "{\"name\":\"\u202e\"}\n", "a replay that is saved stays as it is");
});

check("every character that the terminal hides is a sign on the page, and no other is", () => {
  const rust = readFileSync(new URL("../../ground/agon-core/src/text.rs", import.meta.url), "utf8");
  const list = rust.slice(rust.indexOf("pub fn is_hidden"), rust.indexOf("pub fn clean"));
  const hidden = new Set();
  for (const [, low, high] of list.matchAll(/'\\u\{([0-9a-f]+)\}'(?:\.\.='\\u\{([0-9a-f]+)\}')?/g)) {
    for (let code = parseInt(low, 16); code <= parseInt(high ?? low, 16); code += 1) hidden.add(code);
  }
  assert.ok(hidden.size > 1000, `${hidden.size} characters in the list`);
  const stays = (code) => code === 9 || code === 10;
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const c = String.fromCodePoint(code);
    const wanted = hidden.has(code) || (/\p{Cc}/u.test(c) && !stays(code));
    assert.equal(visible(c) !== c, wanted, `U+${code.toString(16)}`);
  }
});

check("numbers of drawings are decimal and not too large", () => {
  for (const [word, number] of [["1", 1], ["-2.5", -2.5], ["+3.", 3], [".5", 0.5], ["1e3", 1000], ["2E-1", 0.2], ["1e15", 1e15]]) {
    assert.equal(metric(`agon: number depth ${word}`)?.value, number, word);
    assert.deepEqual(drawing(`agon: point ${word} 2`)?.at, [number, 2], word);
  }
  for (const word of ["0x10", "0b11", "0o7", "1e308", "-1e308", "1e16", "Infinity", "NaN", "1_000", "1,5", "--1", ".", "-", "e5", "1e", "١"]) {
    assert.equal(metric(`agon: number depth ${word}`), null, word);
    assert.equal(drawing(`agon: point 1 ${word}`), null, word);
  }
});

check("blanks of a drawing's line are free, and its words are not", () => {
  for (const line of ["agon: point 1 2", "  agon:point 1\t 2 ", "\tagon:   point 1 2"]) assert.deepEqual(drawing(line)?.at, [1, 2], line);
  for (const line of ["agon : point 1 2", "Agon: point 1 2", "agon: Point 1 2", "agon: point 1 2 3", "say agon: point 1 2"]) assert.equal(drawing(line), null, line);
});

check("numbers are those of the language, but for a minus before nothing", () => {
  const written = (value) => new Intl.NumberFormat("en", { maximumFractionDigits: Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1 }).format(value);
  for (const value of [0, 7, 99, 100, 999, 1000, 12_345, 1_234_567, 1e15, 0.04, 0.06, 0.25, 0.75, 9.94, 9.96, 99.94, 99.96, 100.5, 999.5, 1234.5, 999_999.5]) {
    for (const signed of [value, -value]) assert.equal(number(signed), written(signed).replace(/^-0$/, "0"));
  }
  assert.equal(number(Number.NaN), "?");
});

check("cells side by side are one rectangle, and the line between two areas one line", () => {
  const plane = { low: [-0.5, -0.5], high: [2.5, 1.5], cell: 1 };
  const grid = { width: 3, height: 2, cells: [1, 1, 2, 0, 1, 2] };
  const drawn = (yUp) => {
    const cells = new Cells(grid, new Space({ ...plane, yUp }, 30, 20, 0));
    const owner = (index) => grid.cells[index] ?? 0;
    return [[...cells.areas(owner, 0)], cells.borders((one, other) => owner(one) === 1 && owner(other) === 2)];
  };
  assert.deepEqual(drawn(false), [[[1, "M0 0h20v10h-20zM10 10h10v10h-10z"], [2, "M20 0h10v10h-10zM20 10h10v10h-10z"]], "M20 0V20"]);
  assert.deepEqual(drawn(true)[0][0], [1, "M10 0h10v10h-10zM0 10h20v10h-20z"], "rows from below");
});

check("a thing that has not changed stays the same object", () => {
  const item = (key, x) => ({ key, cls: 0, seat: 1, shape: "disc", points: Float32Array.of(x, 0), radius: 1, strength: 1, values: Float64Array.of(Number.NaN), text: "" });
  const scene = { classes: [{ name: "planet", values: [] }], items: [], grids: [] };
  const first = new Layers(scene, { items: [item(1, 0), item(2, 0)], grids: [] });
  const [one, other] = new Layers(scene, { items: [item(1, 0), item(2, 5)], grids: [] }, first).items("planet");
  assert.equal(one, first.items("planet")[0]);
  assert.equal(other.points[0], 5);
});

check("numbers of charts are short", () => {
  for (const [value, written] of [[0, "0"], [1234567, "1,234,567"], [12345678, "12.35M"], [-2e9, "-2B"], [1e15, "1000T"]]) assert.equal(short(value), written);
});

await check("what was written in turns is found among many", async () => {
  const plies = [5, 1, 1, 3, 3, 3, 9, 2];
  const lines = plies.map((ply, i) => JSON.stringify({ ply, seat: (i % 2) + 1, stream: i === 3 ? "out" : "err", bytes: `agon: point ${i} 0\n` }));
  const transcript = await Transcript.read(new Blob([lines.join("\n")]).stream());
  for (let first = 0; first <= 10; first += 1) {
    for (let last = first; last <= 10; last += 1) {
      const wanted = transcript.pieces.filter((piece) => piece.ply >= first && piece.ply <= last && piece.stream === "err");
      assert.deepEqual(transcript.between(["err"], first, last), wanted, `${first} to ${last}`);
    }
  }
  assert.deepEqual(drawings(transcript, 3, 1).map((one) => one.at[0]), [4]);
});

/** A stream of these texts, each in one piece. */
const streamed = (texts) => new ReadableStream({
  pull(controller) {
    const { value, done } = texts.next();
    if (done) controller.close();
    else controller.enqueue(typeof value === "string" ? new TextEncoder().encode(value) : value);
  },
});

await check("a transcript is read in any pieces, and what has no room is told", async () => {
  const said = ["caf\u00c3\u00a9", "x".repeat(10), "", "y"];
  const lines = said.map((bytes, i) => JSON.stringify({ ply: 9 - i, seat: 1, stream: "err", at_us: 1, bytes }));
  const text = [...lines.slice(0, 2), "no line", "null", "[1]", ...lines.slice(2), JSON.stringify({ seat: 2, stream: "in", left_out: 7 })].join("\n");
  for (const size of [1, 2, 7, 1000]) {
    const bytes = new TextEncoder().encode(text);
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    const all = await Transcript.read(streamed(parts.values()));
    assert.deepEqual(all.pieces.map((piece) => [piece.ply, piece.text]), [[6, "y"], [7, ""], [8, said[1]], [9, "caf\u00e9"]], `pieces of ${size}`);
    assert.deepEqual([all.leftOut, all.cut], [null, 7]);
    const some = await Transcript.read(streamed(parts.values()), 7);
    assert.deepEqual(some.pieces.map((piece) => piece.ply), [6, 7, 9]);
    assert.deepEqual(some.leftOut, { bytes: 10, first: 8, last: 8 });
  }
  const written = await Transcript.read(streamed(['{"ply":3,"last":5,"left_out":40}\n', '{"ply":2,"last":4,"left_out":2}'].values()));
  assert.deepEqual([written.leftOut, written.cut], [{ bytes: 42, first: 2, last: 5 }, 0], "the page was written without it");
});

await check("a transcript may be longer than a text can be", async () => {
  const LONGEST = 2 ** 29;
  const line = (ply) => new TextEncoder().encode(`${JSON.stringify({ ply, seat: 1, stream: "in", at_us: 1, bytes: "z".repeat(2 ** 20) })}\n`);
  const count = LONGEST / 2 ** 20 + 1;
  function* lines() {
    for (let ply = 1; ply <= count; ply += 1) yield line(ply);
  }
  const transcript = await Transcript.read(streamed(lines()), 3 * 2 ** 20);
  assert.deepEqual(transcript.pieces.map((piece) => piece.ply), [1, 2, 3]);
  assert.deepEqual(transcript.leftOut, { bytes: (count - 3) * 2 ** 20, first: 4, last: count });
});

check("the keyboard reaches every thing of a board", () => {
  const things = [[7, 10, 50], [3, 90, 10], [4, 10, 10], [9, 50, 52], [2, 10, 50]].map(([key, x, y]) => ({ key, x, y }));
  const order = [4, 3, 2, 7, 9];
  let at = null;
  for (const key of [...order, ...order]) assert.equal((at = following(things, at, 1)), key);
  for (const key of [7, 2, 3, 4, 9]) assert.equal((at = following(things, at, -1)), key);
  assert.equal(following(things, null, -1), 9);
  assert.equal(following([], 4, 1), null);
  assert.equal(nearest(things, null, ARROWS.ArrowUp), 4, "it begins with the first");
  assert.equal(nearest(things, 4, ARROWS.ArrowRight), 3);
  assert.equal(nearest(things, 3, ARROWS.ArrowDown), 9);
  assert.equal(nearest(things, 9, ARROWS.ArrowLeft), 7);
  assert.equal(nearest(things, 3, ARROWS.ArrowRight), 3, "at the edge it stays");
  assert.equal(nearest([], 3, ARROWS.ArrowRight), null);
});

check("a long replay with an end is divided between its lines, and nothing of it is lost", () => {
  const text = (turns, end) => new TextEncoder().encode(`${["header", ...Array(turns).fill("turn".repeat(20))].join("\n")}\n${end}`);
  const long = text(8000, '{"end":"finished"}\n');
  const [first, rest] = beginning(long);
  const pieces = [first, ...rest];
  assert.ok(pieces.length > 3 && first.length < 20_000, `${pieces.map((piece) => piece.length)}`);
  for (const piece of pieces) assert.equal(piece.at(-1), 10, "every piece ends with a line");
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(long));
  for (const other of [text(80, '{"end":"finished"}\n'), text(8000, ""), text(8000, '{"end":"finished"}'), text(8000, '{"en')]) {
    assert.deepEqual(beginning(other), [other, null]);
  }
});

finish("texts, drawings and keys are shown as they should be");
