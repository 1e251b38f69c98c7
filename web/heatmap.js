// Attention as a table of colored cells: a row for each target piece, a column for each source
// piece. It is a real table, so that screen readers read its numbers; arrow keys move between cells.
import { byId, fillChoice, make, moveByArrows } from "./dom.js";

const box = byId("attention-map"),
  readout = byId("attention-readout");
const kMean = "mean";
const kHint = "Point at a cell, or move with the arrow keys, to read its value.";

/** @type {import("./api.js").Attention | null} */
let attention = null;
let hint = kHint;
const shown = { layer: "", head: kMean };

/** The space of a piece is shown as a mark only where it is all there is. @param {string} piece */
const label = (piece) => (piece === "</s>" ? "end" : piece.replace(/^▁(?=.)/u, ""));

/** [target][source] of a layer: one head, or the mean of all. */
function weights() {
  const heads = attention.weights[Number(shown.layer)];
  if (shown.head !== kMean) return heads[Number(shown.head)];
  return heads[0].map((row, t) =>
    row.map((_, s) => heads.reduce((sum, head) => sum + head[t][s], 0) / heads.length),
  );
}

/** @param {number} t @param {number} s @param {number} value */
function cell(t, s, value) {
  const element = make(
    "td",
    { "data-stop": "", "data-row": t, "data-column": s, tabindex: t + s === 0 ? 0 : -1 },
    make("span", { class: "hidden" }, value.toFixed(2)),
  );
  element.style.setProperty("--strength", String(Math.min(1, Math.max(0, value)).toFixed(3)));
  return element;
}

function draw() {
  const rows = weights();
  const name = shown.head === kMean ? "mean of all heads" : `head ${Number(shown.head) + 1}`;
  const head = make(
    "tr",
    {},
    make("td", {}),
    ...attention.source_pieces.map((piece) =>
      make("th", { scope: "col" }, make("span", {}, label(piece))),
    ),
  );
  const table = make(
    "table",
    { class: "map" },
    make("caption", { class: "hidden" }, `Attention of layer ${Number(shown.layer) + 1}, ${name}`),
    make("thead", {}, head),
    make(
      "tbody",
      {},
      ...rows.map((row, t) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, label(attention.target_pieces[t])),
          ...row.map((value, s) => cell(t, s, value)),
        ),
      ),
    ),
  );
  box.replaceChildren(table);
  byId("attention-scale").hidden = false;
  readout.textContent = hint;
}

function showChoices() {
  const layers = Array.from({ length: attention.layers }, (_, i) => ({
    value: String(i),
    label: String(i + 1),
  }));
  const heads = Array.from({ length: attention.heads }, (_, i) => ({
    value: String(i),
    label: String(i + 1),
  }));
  if (!layers.some(({ value }) => value === shown.layer))
    shown.layer = String(attention.layers - 1);
  if (!heads.some(({ value }) => value === shown.head)) shown.head = kMean;
  fillChoice(byId("layers"), layers, shown.layer, (value) => {
    shown.layer = value;
    draw();
  });
  fillChoice(byId("heads"), [{ value: kMean, label: "Mean" }, ...heads], shown.head, (value) => {
    shown.head = value;
    draw();
  });
}

/** @param {import("./api.js").Attention} next @param {string} remark a sentence, or empty */
export function showAttention(next, remark) {
  const sameShape = attention?.layers === next.layers && attention.heads === next.heads;
  attention = next;
  hint = [remark, kHint].filter(Boolean).join(" ");
  // The buttons stay while one types, and keep the focus.
  if (!sameShape) showChoices();
  draw();
}

/** Shows a sentence instead of the map. @param {string} why */
export function hideAttention(why) {
  attention = null;
  byId("layers").hidden = byId("heads").hidden = true;
  box.replaceChildren();
  byId("attention-scale").hidden = true;
  readout.textContent = why;
}

/** @param {HTMLElement} stop */
function showCell(stop) {
  const t = Number(stop.dataset.row),
    s = Number(stop.dataset.column);
  const target = label(attention.target_pieces[t]),
    source = label(attention.source_pieces[s]);
  readout.textContent = `${target} ← ${source}: ${stop.textContent}`;
  box.querySelectorAll("th.on").forEach((old) => old.classList.remove("on"));
  box.querySelectorAll("tbody th")[t].classList.add("on");
  box.querySelectorAll("thead th")[s].classList.add("on");
}

function cellByKey(stop, key) {
  const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[key];
  if (!by) return null;
  const row = Number(stop.dataset.row) + by[0],
    column = Number(stop.dataset.column) + by[1];
  return box.querySelector(`[data-row="${row}"][data-column="${column}"]`);
}

for (const kind of ["pointerover", "focusin"]) {
  box.addEventListener(kind, (event) => {
    const stop = event.target.closest("[data-stop]");
    if (stop) showCell(stop);
  });
}
moveByArrows(box, cellByKey);
