// The energy of this translation: bars of whole models, the two accountings, and a table.
import { accountingCards } from "./accountings.js";
import { modelBars, operationBars, verdict } from "./bars.js";
import { byId, fillChoice, make } from "./dom.js";
import { capitalized, count, energy } from "./format.js";

/** @typedef {import("./api.js").ModelEnergy} ModelEnergy */

const figure = byId("energy"),
  parts = byId("parts");
const kParts = [
  { value: "all", label: "Arithmetic and memory" },
  { value: "arithmetic", label: "Arithmetic alone" },
];

/** @type {import("./api.js").Energy | null} */
let shown = null;
let withMemory = true;

/** @param {ModelEnergy} model */
function tableRow({ name, precision, arithmetic, memory }) {
  const joules = (value) => make("td", {}, value == null ? "no price" : energy(value));
  const head = make("th", { scope: "row" }, capitalized(name));
  return make("tr", {}, head, make("td", {}, precision), joules(arithmetic), joules(memory));
}

function numbers() {
  const columns = ["precision", "arithmetic", "memory"];
  const { add, multiply } = shown.operations;
  const table = make(
    "table",
    {},
    make("caption", { class: "hidden" }, `Energy on ${shown.title}`),
    make(
      "thead",
      {},
      make("tr", {}, make("td"), ...columns.map((name) => make("th", { scope: "col" }, name))),
    ),
    make("tbody", {}, ...shown.models.map(tableRow)),
  );
  return make(
    "details",
    {},
    make("summary", {}, "The numbers as a table"),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Energy by model" },
      table,
    ),
    make(
      "p",
      { class: "soft" },
      `This model: ${count(add)} additions, ${count(multiply)} multiplications.`,
    ),
  );
}

function draw() {
  const details = numbers();
  details.open = Boolean(figure.querySelector("details")?.open);
  figure.replaceChildren(
    make("p", { class: "verdict" }, verdict(shown, withMemory)),
    modelBars(shown.models, withMemory),
    operationBars(shown.models),
    accountingCards(shown.accountings),
    details,
  );
}

/** @param {import("./api.js").Energy} next */
export function showEnergy(next) {
  shown = next;
  draw();
  parts.hidden = !next.models.some(({ memory }) => memory != null);
}

/** Shows a sentence instead of the chart. @param {string} why */
export function hideEnergy(why) {
  shown = null;
  parts.hidden = true;
  figure.replaceChildren(make("p", { class: "readout" }, why));
}

/**
 * @param {import("./api.js").Chip[]} chips
 * @param {string} chosen its name
 * @param {(name: string) => void} choose
 */
export function showChips(chips, chosen, choose) {
  const options = chips.map(({ name, title }) => ({ value: name, label: title }));
  fillChoice(byId("chips"), options, chosen, choose);
}

fillChoice(parts, kParts, "all", (value) => {
  withMemory = value === "all";
  draw();
});
parts.hidden = true;
