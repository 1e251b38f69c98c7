// Shows which words belong together: point at a word of the translation and its source words are
// highlighted, or the other way round. Keyboard: arrow keys in the translation, the caret in the text.
import { byId, moveByArrows } from "./dom.js";
import { percent } from "./format.js";
import { joinSentences, writeWords } from "./words.js";

/** @typedef {"source" | "target"} Side */

const source = byId("source"),
  backdrop = byId("backdrop"),
  target = byId("target");
const about = byId("about-word");
const kHint = "Point at a word to see where it comes from; click to keep the highlight.";

/** @type {import("./words.js").WordPair} */
let pair = joinSentences([]);
/** @type {Record<Side, (HTMLElement | null)[]>} */
let spans = { source: [], target: [] };
/** A word of the translation whose highlight stays until it is released. @type {number | null} */
let pinned = null;

/** The words on the other side. @param {Side} side @param {number} word */
function partners(side, word) {
  const [own, other] = side === "source" ? [0, 1] : [1, 0];
  return pair.links.filter((link) => link[own] === word).map((link) => link[other]);
}

/** @param {Side} side @param {number} word */
function describe(side, word) {
  const others = partners(side, word);
  const list = others.map((i) => pair[side === "source" ? "target" : "source"][i]).join(" ");
  if (side === "source") return `${pair.source[word]} → ${list || "no word"}`;
  const score = pair.scores[word];
  const sure = score === undefined ? "" : ` · ${percent(100 * Math.exp(score))} sure`;
  return `${pair.target[word]} ← ${list || "no word"}${sure}`;
}

/**
 * Highlights a word and its partners.
 * @param {Side} side
 * @param {number | null} word null: the pinned one, if any
 */
function highlight(side, word) {
  if (word === null) [side, word] = ["target", pinned];
  for (const span of [...spans.source, ...spans.target]) span?.classList.remove("on", "linked");
  about.textContent = word === null ? (pair.links.length ? kHint : "") : describe(side, word);
  if (word === null) return;
  spans[side][word]?.classList.add("on");
  const other = side === "source" ? spans.target : spans.source;
  for (const i of partners(side, word)) other[i]?.classList.add("linked");
}

function highlightOfEvent(event) {
  const span = event.target.closest("[data-word]");
  highlight("target", span ? Number(span.dataset.word) : null);
}

/** Pins a word, or releases it; null releases. @param {number | null} word */
function pin(word) {
  pinned = word === pinned ? null : word;
  spans.target.forEach((span, i) => span?.setAttribute("aria-pressed", String(i === pinned)));
  highlight("target", null);
}

/** The source word at a point of the window. The text area lies above the spans, so rectangles tell. */
function sourceWordAt(x, y) {
  const found = spans.source.findIndex((span) =>
    [...(span?.getClientRects() ?? [])].some(
      (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
    ),
  );
  return found < 0 ? null : found;
}

/** The source word around the caret. */
function sourceWordAtCaret() {
  const caret = source.selectionStart;
  let end = 0;
  for (const node of backdrop.childNodes) {
    end += node.textContent.length;
    if (caret < end || (caret === end && node.dataset))
      return node.dataset ? Number(node.dataset.word) : null;
  }
  return null;
}

/** Shows the text alone; its words are not known yet. @param {string} text */
export function showSource(text) {
  // A last line break is only as high as a line if something follows it.
  backdrop.textContent = `${text}\u200b`;
  spans.source = [];
  highlight("source", null);
}

export function clearTarget() {
  pinned = null;
  pair = joinSentences([]);
  spans.target = [];
  target.replaceChildren();
  highlight("target", null);
}

/** @param {string} text @param {import("./api.js").Translation} translation */
export function showWords(text, translation) {
  pair = joinSentences(translation.sentences ?? []);
  spans = {
    source: writeWords(backdrop, text, pair.source),
    target: writeWords(target, translation.text, pair.target),
  };
  backdrop.append("\u200b");
  pinned = null;
  let first = true;
  spans.target.forEach((span, i) => {
    if (!span) return;
    span.tabIndex = first ? 0 : -1;
    first = false;
    span.dataset.stop = "";
    span.setAttribute("role", "button");
    span.setAttribute("aria-pressed", "false");
    span.setAttribute(
      "aria-label",
      describe("target", i).replace("←", "from").replace(" · ", ", "),
    );
  });
  highlight("target", null);
}

/** The word that a key leads to. @param {HTMLElement} stop @param {string} key */
function wordByKey(stop, key) {
  const stops = spans.target.filter(Boolean),
    at = stops.indexOf(stop);
  const to = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: stops.length - 1,
  }[key];
  return to === undefined ? null : stops[to];
}

target.addEventListener("pointerover", highlightOfEvent);
target.addEventListener("pointerleave", () => highlight("target", null));
target.addEventListener("focusin", highlightOfEvent);
target.addEventListener("focusout", () => highlight("target", null));
target.addEventListener("click", (event) => {
  const span = event.target.closest("[data-word]");
  if (span) pin(Number(span.dataset.word));
});
target.addEventListener("keydown", (event) => {
  if (event.key === "Escape") pin(null);
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.target.click();
});
moveByArrows(target, wordByKey);
source.addEventListener("pointermove", (event) =>
  highlight("source", sourceWordAt(event.clientX, event.clientY)),
);
source.addEventListener("pointerleave", () => highlight("source", null));
source.addEventListener("blur", () => highlight("source", null));
source.addEventListener("keyup", (event) => {
  if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")
    highlight("source", sourceWordAtCaret());
});
