// Figures of the page in this machine's Chromium, without a GPU.
import { readFileSync, statSync } from "node:fs";
import { Watched } from "./browser.mjs";
import { Unwatched } from "./unwatched.mjs";

/** Limits in milliseconds, bytes and, for memory, MiB. */
const LIMITS = { first: 300, seek: 50, frame: 8, wideFrame: 16, task: 50, page: 1_500_000, replay: 300_000, memory: 768 };
/** How often a page is opened. The figure is the median. */
const OPENINGS = 9;
/** How many turns are drawn for the figure of a frame. */
const TURNS = 240;
/** The length of a large replay, in bytes. */
const LARGE = 100_000_000;

const BOARDS = [
  { name: "wide-lighthouses", words: ["lighthouses", "@strategist", "@weaver", "@lamplighter", "@weaver", "--map", "wide.txt", "--rounds", "100"] },
  { name: "wide-grid", words: ["grid", "@warden", "@frontier", "--map", "gen:100x100:5"] },
];

export async function measure(browser, agon, checks) {
  agon.run("match", "lighthouses", "@strategist", "@weaver", "@lamplighter", "@weaver", "--rounds", "1200", "--seed", "3", "--replay", "long.jsonl.zst", "--quiet");
  agon.run("replay", "html", "long.jsonl.zst", "--output", "long.html", "--quiet");
  checks.that(statSync(agon.path("long.jsonl.zst")).size <= LIMITS.replay, "the long replay is one of those that the limit is for");
  checks.size("page_bytes", statSync(agon.path("long.html")).size, LIMITS.page);
  checks.time("first_board_ms", percentile(await firstBoards(browser, `file://${agon.path("long.html")}`), 0.5), LIMITS.first);
  const long = await Watched.open(browser, `file://${agon.path("long.html")}`);
  await long.until("plies", 4800);
  checks.time("seek_ms", await worst(long.page, [0.9, 0.1, 0.5, 0.99, 0.3, 0.77, 0.05, 0.61]), LIMITS.seek);
  await long.close();
  checks.size("memory_large_replay_mib", await memory(browser, agon), LIMITS.memory);
  agon.write("wide.txt", wideMap());
  for (const { name, words } of BOARDS) {
    agon.play(name, ...words, "--seed", "3");
    const watched = await Watched.open(browser, agon.html(name));
    // What is verified, drawn and surveyed at the same time takes turns.
    checks.time(`${name}_task_ms_max`, await longest(watched), LIMITS.task);
    await watched.until("verified", "true");
    checks.time(`${name}_frame_ms_p95`, await frames(watched.page), LIMITS.frame);
    await watched.page.setViewportSize({ width: 3840, height: 2160 });
    checks.time(`${name}_4k_frame_ms_p95`, await frames(watched.page), LIMITS.wideFrame);
    checks.equal(watched.wrongs.join("; "), "", `${name}: nothing goes wrong in the page`);
    await watched.close();
  }
}

/** How long the first boards of a page take, in milliseconds, in an open window: a new one loads pages of the browser's own. The
 *  title comes after the board. */
async function firstBoards(browser, url) {
  const size = { width: 1280, height: 800 };
  const session = await browser.newBrowserCDPSession();
  await session.send("Target.setDiscoverTargets", { discover: true });
  const { targetId } = await session.send("Target.createTarget", { url: "about:blank", newWindow: true, ...size });
  const firsts = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    const page = await Unwatched.open(session, size);
    await page.goto(url, (title) => title.endsWith("· Agon"));
    firsts.push(await page.value("performance.getEntriesByName('agon-first-board')[0]?.startTime ?? Infinity"));
    await page.close();
  }
  await session.send("Target.closeTarget", { targetId });
  await session.detach();
  return firsts;
}

/** The most memory of the process of a page whose replay has 100 MB, in MiB. */
async function memory(browser, agon) {
  agon.play("long", "lighthouses", "@strategist", "@weaver", "@lamplighter", "@weaver", "--rounds", "1200", "--seed", "3");
  const lines = agon.lines("long.jsonl");
  const more = "x".repeat(Math.ceil(LARGE / lines.length));
  // A key that this version does not know may come with every turn, and fills the file.
  agon.write("large.jsonl", lines.map((line) => line.replace(/^\{"ply":/, `{"more":"${more}","ply":`)).join("\n"));
  const watched = await Watched.open(browser, agon.html("large"));
  await watched.until("verified", "true");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const pages = processInfo.filter(({ type }) => type === "renderer");
  const used = pages.map(({ id }) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]));
  await session.detach();
  await watched.close();
  return Math.round(Math.max(...used) / 1024);
}

/** A map of Lighthouses of 60 by 40 cells, with a lighthouse at every tenth place and a player in each corner. */
function wideMap() {
  const [width, height] = [60, 40];
  const sign = (x, y) => {
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return "#";
    const corner = [[2, 2], [width - 3, 2], [2, height - 3], [width - 3, height - 3]].findIndex(([a, b]) => a === x && b === y);
    if (corner >= 0) return String(corner);
    return x % 9 === 5 && y % 9 === 5 ? "!" : " ";
  };
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (__, x) => sign(x, y)).join("")).join("\n") + "\n";
}

/** The longest way to one of these places, from the press on the time bar to the finished layout. */
const worst = (page, shares) =>
  page.evaluate(async (wanted) => {
    const bar = document.querySelector(".time");
    const box = bar.getBoundingClientRect();
    let most = 0;
    for (const share of wanted) {
      await new Promise(requestAnimationFrame);
      const at = { clientX: box.left + 8 + (box.width - 16) * share, clientY: box.top + 30, pointerId: 1, bubbles: true };
      const before = performance.now();
      bar.setPointerCapture = () => {};
      bar.dispatchEvent(new PointerEvent("pointerdown", at));
      bar.dispatchEvent(new PointerEvent("pointerup", at));
      await Promise.resolve();
      document.body.getBoundingClientRect();
      most = Math.max(most, performance.now() - before);
    }
    return most;
  }, shares);

/** Everything that a page does during some work. */
async function traced(page, work) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "devtools.timeline", "blink.user_timing"] } });
  await work();
  await session.send("Tracing.end");
  await ended;
  return events;
}

/** The longest task of the main thread while the match is played at eight turns a second, and verified from the start. */
async function longest(watched) {
  const { page } = watched;
  const events = await traced(page, async () => {
    await page.evaluate(() => performance.mark("agon-turn-0"));
    for (let i = 0; i < 3; i += 1) await watched.press("+");
    await watched.press(" ");
    await page.waitForFunction(() => Number(document.querySelector("main").dataset.ply) >= 24);
    await watched.press(" ");
  });
  const { pid, tid } = events.find(({ name }) => name === "agon-turn-0");
  const tasks = events.filter((event) => event.name === "RunTask" && event.pid === pid && event.tid === tid);
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

/** Script, layout and paint on the main thread for a frame in which the turn changes: the 95th percentile over many turns. What glides
 *  changes the frame after it, too; then the heavier one of both counts. */
async function frames(page) {
  const events = await traced(page, () => page.evaluate(async (turns) => {
    await new Promise(requestAnimationFrame);
    for (let i = 0; i < turns; i += 1) {
      performance.mark(`agon-frame-${2 * i}`);
      window.dispatchEvent(new KeyboardEvent("keydown", { key: i % 8 === 7 ? "Home" : "ArrowRight", shiftKey: i % 3 === 0, bubbles: true }));
      await new Promise(requestAnimationFrame);
      performance.mark(`agon-frame-${2 * i + 1}`);
      await new Promise(requestAnimationFrame);
    }
    performance.mark(`agon-frame-${2 * turns}`);
  }, TURNS));
  const each = costs(events);
  return percentile(each.flatMap((cost, i) => (i % 2 === 0 ? [Math.max(cost, each[i + 1])] : [])), 0.95);
}

/** How long the main thread worked between one frame and the next. Its own clock counts, because other programs may want the cores,
 *  too. */
function costs(events) {
  const marks = events.filter(({ name }) => /^agon-frame-\d+$/.test(name)).sort((a, b) => a.ts - b.ts);
  const thread = marks[0];
  const work = new Set(["FunctionCall", "EventDispatch", "FireAnimationFrame", "TimerFire", "RunMicrotasks", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "UpdateLayer"]);
  const own = events.filter(({ name, ph, pid, tid }) => ph === "X" && pid === thread.pid && tid === thread.tid && work.has(name)).sort((a, b) => a.ts - b.ts);
  return marks.slice(0, -1).map(({ tts }, i) => {
    const [from, to] = [tts, marks[i + 1].tts];
    let [busy, until] = [0, from];
    // Parts lie within one another, so that only what reaches beyond the one before counts.
    for (const { tts: begin, tdur: dur = 0 } of own) {
      if (begin + dur <= from || begin >= to) continue;
      const [start, end] = [Math.max(begin, until), Math.min(begin + dur, to)];
      if (end > start) [busy, until] = [busy + end - start, end];
    }
    return busy / 1000;
  });
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
