// Which model translates: the picker, the names of its languages, and its facts.
import { byId, make } from "./dom.js";
import { count, language, roughly } from "./format.js";

/** @typedef {import("./api.js").Model} Model */

const kMechanisms = { eatt: "E-ATT", vanilla: "Vanilla" };

const mechanism = (name) => kMechanisms[name] ?? name;

/** @param {Model} model */
const pairOf = (model) =>
  `${language(model.source, "source language")} → ${language(model.target, "target language")}`;

/** @param {Model[]} models @param {string} chosen name @param {(model: Model) => void} choose */
export function showPicker(models, chosen, choose) {
  const select = byId("model");
  const pairs = [...new Set(models.map(pairOf))];
  select.replaceChildren(
    ...pairs.map((pair) =>
      make(
        "optgroup",
        { label: pair },
        ...models
          .filter((model) => pairOf(model) === pair)
          .map((model) =>
            make(
              "option",
              { value: model.name, selected: model.name === chosen },
              `${pair} · ${model.name}`,
            ),
          ),
      ),
    ),
  );
  select.disabled = models.length === 0;
  select.onchange = () => choose(models.find((model) => model.name === select.value));
}

/** @param {Model} model */
export function showLanguages(model) {
  byId("source-language").textContent = language(model.source, "Text");
  byId("target-language").textContent = language(model.target, "Translation");
  byId("source").lang = model.source;
  byId("backdrop").lang = model.source;
  byId("source").setAttribute("aria-label", `Text in ${language(model.source, "any language")}`);
  for (const id of ["target", "spoken", "alternatives-list"]) byId(id).lang = model.target;
}

/** @param {Model["attention"]} attention */
function attentionFact({ encoder_self, decoder_self, cross }) {
  if (encoder_self === decoder_self && decoder_self === cross) return mechanism(cross);
  const places = [
    [encoder_self, "in the encoder"],
    [decoder_self, "in the decoder"],
    [cross, "between them"],
  ];
  return places.map(([name, where]) => `${mechanism(name)} ${where}`).join(", ");
}

/** @param {Model} model @param {number} beamSize of the page's requests */
export function showFacts(model, beamSize) {
  // Decides the color of the model: see style.css.
  const isVanilla = Object.values(model.attention).every((name) => name === "vanilla");
  document.body.dataset.attention = isVanilla ? "vanilla" : "other";
  const facts = [
    ["Name", model.name],
    ["Attention", attentionFact(model.attention)],
    ["Precision", model.precision],
    ["Parameters", roughly(model.parameters)],
    ["Layers", `${model.layers.encoder} encoder, ${model.layers.decoder} decoder`],
    ["Width", count(model.width)],
    ["Heads", count(model.heads)],
    ["Vocabulary", `${count(model.vocabulary)} pieces`],
    ["Search", beamSize > 1 ? `beam of ${beamSize}` : "greedy"],
  ];
  byId("facts").replaceChildren(
    ...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}
