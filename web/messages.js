// What went wrong, in plain words, and when the page will try again.
import { byId } from "./dom.js";
import { count } from "./format.js";

const box = byId("message");
let timer = 0;

export function hideMessage() {
  clearTimeout(timer);
  box.hidden = true;
  box.textContent = "";
}

/**
 * Shows a sentence; with `retry`, calls it after some seconds and says so.
 * @param {string} text
 * @param {{ seconds: number, retry: () => void }} [again]
 */
export function showMessage(text, again) {
  clearTimeout(timer);
  const seconds = again && `${again.seconds} second${again.seconds === 1 ? "" : "s"}`;
  const sentence = again ? `${text} The page will try again in ${seconds}.` : text;
  // An unchanged alert is not read aloud again.
  if (box.hidden || box.textContent !== sentence) box.textContent = sentence;
  box.hidden = false;
  if (again) timer = setTimeout(again.retry, 1000 * again.seconds);
}

/** @param {number} length @param {number} most */
export const tooLong = (length, most) =>
  `This text has ${count(length)} characters. ` +
  `The server takes at most ${count(most)}: please shorten it.`;

/**
 * Explains an error; calls `retry` after a while if that may help.
 * @param {import("./api.js").ApiError} error
 * @param {() => void} retry
 * @returns {boolean} whether it will
 */
export function showFailure(error, retry) {
  const passing = {
    0: ["The server does not answer.", 5],
    429: ["The server has had too many requests from you in a short time.", error.retryAfter || 5],
    503: ["The server is busy.", error.retryAfter || 2],
  }[error.status];
  const lasting = {
    403: "This server wants a key. Its operator can give you one.",
    413: "This text is too long for the server: please shorten it.",
    504: "The translation took too long. A shorter text may work.",
  }[error.status];
  if (passing) showMessage(passing[0], { seconds: passing[1], retry });
  else showMessage(lasting ?? error.message);
  return Boolean(passing);
}
