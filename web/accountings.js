// The two ways to count, in percent of vanilla attention: what is needed, and the paper's formulas.
// They are never mixed, so each has a card of its own.
import { part, track } from "./bars.js";
import { make } from "./dom.js";
import { percent } from "./format.js";

/** @typedef {import("./api.js").Accounting} Accounting */

const kExact =
  "The arithmetic of this translation: every operation that the chip has a price for, counted.";
const kPaper =
  "What the formulas printed in the E-ATT paper give for these lengths; " +
  "they count fewer additions than are needed.";

/** @param {string} label @param {string} note @param {number} value @param {number} full */
function meter(label, note, value, full) {
  return make(
    "li",
    {},
    make("span", { class: "name" }, label, make("small", {}, note)),
    make("span", { class: "value" }, percent(value)),
    track("", part("arithmetic", value / full)),
  );
}

/** @param {Accounting} accounting @returns {HTMLElement[]} */
function meters(accounting) {
  const rows = [
    ["Alignment", "queries, keys, scores", accounting.alignment_percent],
    ["Attention", "with values and context", accounting.attention_percent],
    ["Whole model", "everything", accounting.model_percent],
  ].filter(([, , value]) => value != null);
  if (rows.length === 0) return [make("p", {}, "This chip has no prices for it.")];
  const full = Math.max(100, ...rows.map(([, , value]) => value));
  return [
    make("ul", { class: "meters" }, ...rows.map((row) => meter(...row, full))),
    make("p", {}, "The full width, 100 %, is vanilla attention."),
  ];
}

/** @param {{ exact: Accounting, paper: Accounting }} accountings */
export function accountingCards({ exact, paper }) {
  const card = (kind, title, text, accounting) =>
    make(
      "section",
      { class: `card ${kind}` },
      make("h3", {}, title),
      make("p", {}, text),
      ...meters(accounting),
    );
  return make(
    "div",
    { class: "cards" },
    card("exact", "Arithmetic alone, counted exactly", kExact, exact),
    card("by-paper", "Arithmetic alone, by the paper’s formulas", kPaper, paper),
  );
}
