// `agon replay view`: who is answered, and how it ends.
import { spawn } from "node:child_process";
import { request } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Watched } from "./browser.mjs";

/** The status that the server gives to a request of this path with these headers. */
function status(port, path, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("error", reject);
    asked.end();
  });
}

export async function checkServer(browser, agon, checks) {
  const server = spawn(agon.program, ["replay", "view", "grid.jsonl", "--no-open", "--format", "json"], { cwd: agon.folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const ended = once(server, "exit").then(([code]) => {
      throw new Error(`the server ended with ${code}`);
    });
    const [line] = await Promise.race([once(createInterface({ input: server.stdout }), "line"), ended]);
    ended.catch(() => {});
    const { schema, url } = JSON.parse(line);
    const { port, pathname } = new URL(url);
    checks.equal(schema, 1, "the document has the version of its schema");
    checks.equal(await status(port, pathname), 200, "who knows the address is answered");
    checks.equal(await status(port, "/"), 403, "who does not know it is refused");
    checks.equal(await status(port, pathname, { Host: `evil.example:${port}` }), 403, "another host is refused");
    checks.equal(await status(port, pathname, { Origin: "http://evil.example" }), 403, "another origin is refused");
    const watched = await Watched.open(browser, `${url}#ply=5`);
    await watched.until("verified", "true");
    checks.equal(await watched.data("ply"), "5", "the served page opens");
    checks.equal(watched.wrongs.join("; "), "", "nothing goes wrong in the served page");
    await watched.close();
  } finally {
    server.kill("SIGTERM");
  }
  const [code] = server.exitCode === null ? await once(server, "exit") : [server.exitCode];
  checks.equal(code, 0, "SIGTERM ends it with 0");
}
