// A page that nobody watches. While a page of Playwright is open, the browser keeps the places of all errors and runs scripts of the
// driver in it: a page opens a third faster without.

/** A page in a tab of its own, as a person opens it. Only commands that are asked for reach it. */
export class Unwatched {
  #session;
  #target;
  #attached;
  #last = 0;

  constructor(session, target, attached) {
    [this.#session, this.#target, this.#attached] = [session, target, attached];
  }

  /** Opens an empty page. `session` is one of the browser. */
  static async open(session, { width, height }) {
    const { targetId } = await session.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    const page = new Unwatched(session, targetId, sessionId);
    await page.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    return page;
  }

  /** Goes to an address, and waits until the page has a title that `isTitle` accepts. */
  async goto(url, isTitle, { timeout = 20_000 } = {}) {
    const titled = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${url} has no title`)), timeout);
      const hear = ({ targetInfo }) => {
        if (targetInfo.targetId !== this.#target || !isTitle(targetInfo.title)) return;
        clearTimeout(late);
        this.#session.off("Target.targetInfoChanged", hear);
        resolve();
      };
      this.#session.on("Target.targetInfoChanged", hear);
    });
    await this.#send("Page.navigate", { url });
    await titled;
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  close() {
    return this.#session.send("Target.closeTarget", { targetId: this.#target });
  }

  /** Sends a command, and returns its result. */
  #send(method, params) {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise((resolve, reject) => {
      const hear = ({ sessionId, message }) => {
        const heard = sessionId === this.#attached ? JSON.parse(message) : {};
        if (heard.id !== id) return;
        this.#session.off("Target.receivedMessageFromTarget", hear);
        if (heard.error) reject(new Error(`${method}: ${heard.error.message}`));
        else resolve(heard.result);
      };
      this.#session.on("Target.receivedMessageFromTarget", hear);
    });
    const sent = this.#session.send("Target.sendMessageToTarget", { sessionId: this.#attached, message: JSON.stringify({ id, method, params }) });
    return sent.then(() => answer);
  }
}
