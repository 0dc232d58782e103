// Who reaches a console that is served: the page with its token, and nobody else.
import { request } from "node:http";
import { Session } from "./session.mjs";

/** A page of another origin does not reach the console, with the token or without it. */
export async function checkStrangers(browser, agon, checks) {
  const session = await Session.start(agon, "triangles", "human", "@greedy");
  const other = await Session.start(agon, "grid", "human", "@greedy");
  const token = new URL(session.url).hash.slice(1);
  const context = await browser.newContext();
  const page = await context.newPage();
  const reaches = (url, protocols) =>
    page.evaluate(
      ([address, names]) =>
        new Promise((done) => {
          const socket = new WebSocket(address, names);
          socket.onopen = () => done(true);
          socket.onerror = () => done(false);
        }),
      [url, protocols],
    );
  const wire = `ws://127.0.0.1:${session.port}/wire`;
  await page.goto("about:blank");
  checks.equal(await reaches(wire, ["agon-console.1", `token.${token}`]), false, "a page without an origin does not reach the console");
  // The page of another console has an address on this machine, and a policy that keeps it to its own.
  const stranger = await context.newPage();
  await stranger.goto(`http://127.0.0.1:${other.port}/`);
  const read = await stranger.evaluate(
    (url) => fetch(url).then((answer) => answer.text(), () => "refused"),
    `http://127.0.0.1:${session.port}/`,
  );
  checks.equal(read, "refused", "and cannot read its page");
  const { status, wires } = await asked(session.port, token);
  checks.equal(status, 403, "another host is refused");
  checks.equal(wires.join(" "), "101 403 403 403", "only the own origin with the token is let in");
  await context.close();
  await Promise.all([session.end(), other.end()]);
}

/** What the server answers to a request of its page under another name, and to wires: one as it should be, one of another
 *  origin, one with another token, and one without. */
async function asked(port, token) {
  const status = (path, headers) =>
    new Promise((done, failed) => {
      const sent = request({ host: "127.0.0.1", port, path, headers });
      sent.on("upgrade", (answer, socket) => {
        socket.destroy();
        done(answer.statusCode);
      });
      sent.on("response", (answer) => {
        answer.resume();
        done(answer.statusCode);
      });
      sent.on("error", failed);
      sent.end();
    });
  const wire = (origin, protocols) =>
    status("/wire", {
      Origin: origin,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol": protocols,
    });
  const own = `http://127.0.0.1:${port}`;
  const words = (secret) => `agon-console.1, token.${secret}`;
  const tried = [[own, words(token)], ["http://evil.example", words(token)], [own, words("0".repeat(32))], [own, "agon-console.1"]];
  return {
    status: await status("/", { Host: `evil.example:${port}` }),
    wires: await Promise.all(tried.map(([origin, protocols]) => wire(origin, protocols))),
  };
}
