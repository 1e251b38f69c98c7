// Bars of energy and of operations, and what they say in a sentence.
import { make } from "./dom.js";
import { capitalized, energy, percent, roughly, times } from "./format.js";

/** @typedef {import("./api.js").ModelEnergy} ModelEnergy */

// Bars longer than this many times those of the same precision are cut and say so.
const kLongest = 1.5;

/** @param {ModelEnergy} model @param {boolean} withMemory @returns {number} joules */
const total = (model, withMemory) => model.arithmetic + (withMemory ? (model.memory ?? 0) : 0);

/** The same shape and precision with vanilla attention. @param {ModelEnergy[]} models */
const twinOf = ([own, ...others]) =>
  others.find(({ precision }) => precision === own.precision) ?? own;

/** A part of a bar. @param {string} kind @param {number} share of the full length */
export function part(kind, share) {
  const element = make("span", { class: `part ${kind}` });
  element.style.width = `${Math.max(0, 100 * share)}%`;
  return element;
}

/** @param {string} kinds classes @param {...HTMLElement} parts */
export const track = (kinds, ...parts) =>
  make("span", { class: `track ${kinds}`, "aria-hidden": "true" }, ...parts);

/**
 * The bar of a model.
 * @param {ModelEnergy} model
 * @param {{ full: number, own: boolean, withMemory: boolean }} look `full` joules fill the width
 */
function bar(model, { full, own, withMemory }) {
  const name = make("span", { class: "name" }, capitalized(model.name));
  if (model.arithmetic == null) {
    const why = `this chip has no prices for ${model.precision}`;
    return make("li", {}, name, make("span", { class: "soft" }, why));
  }
  const all = total(model, withMemory);
  const isCut = all > full;
  const value = make("span", { class: "value" }, energy(all));
  if (isCut) value.prepend(make("small", {}, `bar cut, ${times(all / full)} as long`));
  const length = track(
    `${own ? "" : "vanilla"} ${isCut ? "cut" : ""}`,
    part("arithmetic", model.arithmetic / full),
    part("memory", withMemory ? (model.memory ?? 0) / full : 0),
  );
  return make("li", { class: own ? "own" : null }, name, length, value);
}

/** The first of the models is this one. @param {ModelEnergy[]} models @param {boolean} withMemory */
export function modelBars(models, withMemory) {
  const priced = models.filter(({ arithmetic }) => arithmetic != null);
  const all = priced.map((model) => total(model, withMemory));
  const usual = Math.max(total(models[0], withMemory), total(twinOf(models), withMemory));
  const near = all.filter((joules) => joules <= kLongest * usual);
  const full = Math.max(...(near.length > 0 ? near : all), Number.MIN_VALUE);
  const keys = [["arithmetic", "arithmetic"]];
  if (withMemory && models.some(({ memory }) => memory != null))
    keys.push(["memory", "moving data to and from memory"]);
  return make(
    "div",
    { class: "bars" },
    make("ul", {}, ...models.map((model, i) => bar(model, { full, own: i === 0, withMemory }))),
    make(
      "p",
      { class: "key", "aria-hidden": "true" },
      ...keys.map(([kind, label]) => make("span", {}, make("i", { class: kind }), label)),
    ),
  );
}

/** What the bars say. @param {import("./api.js").Energy} of @param {boolean} withMemory */
export function verdict({ title, models }, withMemory) {
  const [own] = models;
  if (own.arithmetic == null)
    return `${title} has no prices for ${own.precision}: choose another chip.`;
  const joules = total(own, withMemory);
  const takes = `This translation takes ${energy(joules)} on this chip`;
  const what = withMemory && own.memory != null ? "" : ", memory not counted";
  const saved = 100 * (1 - joules / total(twinOf(models), withMemory));
  if (Math.abs(saved) < 0.05) return `${takes}${what}.`;
  const difference = `${percent(Math.abs(saved))} ${saved > 0 ? "less" : "more"}`;
  return `${takes}, ${difference} than with vanilla attention${what}.`;
}

/** @param {ModelEnergy} model @param {number} full operations that fill the width */
function operationBar({ name, operations: { add, multiply } }, full) {
  return make(
    "li",
    {},
    make("span", { class: "name" }, capitalized(name)),
    make(
      "p",
      {},
      make("span", { class: "add" }, `${roughly(add)} additions`),
      make("span", { class: "multiply" }, `${roughly(multiply)} multiplications`),
    ),
    track("", part("add", add / full), part("multiply", multiply / full)),
  );
}

/** What the model computes, above what vanilla attention would. @param {ModelEnergy[]} models */
export function operationBars(models) {
  const twin = twinOf(models);
  const shown = twin === models[0] ? [twin] : [models[0], twin];
  const full = Math.max(1, ...shown.map(({ operations: { add, multiply } }) => add + multiply));
  return make("ul", { class: "operations" }, ...shown.map((model) => operationBar(model, full)));
}
