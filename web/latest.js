// Requests of which only the newest matters.

/**
 * Runs one task at a time. A newer task aborts the older one, whose result is then never delivered:
 * results cannot arrive out of order.
 */
export class Latest {
  /** @type {AbortController | null} */
  #controller = null;
  #timer = 0;

  cancel() {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#controller = null;
  }

  /**
   * @template T
   * @param {(signal: AbortSignal) => Promise<T>} task
   * @param {{ delay?: number, done: (result: T) => void, failed: (error: Error) => void }} then
   */
  run(task, { delay = 0, done, failed }) {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = setTimeout(async () => {
      let deliver;
      try {
        const result = await task(controller.signal);
        deliver = () => done(result);
      } catch (error) {
        deliver = () => failed(error);
      }
      if (!controller.signal.aborted) deliver();
    }, delay);
  }
}
