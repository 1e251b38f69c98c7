// Puts the page together: text → translation → attention and energy.
import { clearTarget, showSource, showWords } from "./alignment.js";
import { getServer, translate } from "./api.js";
import { countEnergy, offerChips, stopCounting } from "./counting.js";
import { byId, make } from "./dom.js";
import { hideEnergy } from "./energy.js";
import { exampleAfter, examplesOf, showExamples } from "./examples.js";
import { characters, count, milliseconds } from "./format.js";
import { hideAttention } from "./heatmap.js";
import { askForKey, hideKeyForm } from "./key.js";
import { Latest } from "./latest.js";
import { lookAt, stopLooking } from "./looking.js";
import { hideMessage, showFailure, showMessage, tooLong } from "./messages.js";
import { showFacts, showLanguages, showPicker } from "./model.js";
import { copyFrom, linkTo, onLink, readLink } from "./share.js";
import { setShortcuts } from "./shortcuts.js";
import { recall, remember } from "./storage.js";
import { toggleTheme } from "./theme.js";

const kTypingPause = 250; // Milliseconds without a key before a text is translated,
const kReadingPause = 350; // and then before attention and energy, which take longer, are asked for.
const kBeamSize = 4;
const kHypotheses = 3; // The translation and two others.

const source = byId("source"),
  spoken = byId("spoken");
const translating = new Latest();

/** @type {import("./api.js").Server} */
let server;
/** @type {import("./api.js").Model} */
let model;
let translation = "";

const beamSize = () => Math.min(kBeamSize, server.limits.beam_size ?? kBeamSize);

/** What every request of the current text says. */
function request(more) {
  return { text: source.value, model: model.name, beam_size: beamSize(), ...more };
}

function clearResults(why) {
  translating.cancel();
  stopLooking();
  stopCounting();
  translation = "";
  byId("took").textContent = "";
  clearTarget();
  showAlternatives([]);
  hideAttention(why);
  hideEnergy(why);
  setBusy(false);
}

function setBusy(busy) {
  byId("target").setAttribute("aria-busy", String(busy));
  for (const id of ["copy", "link"]) byId(id).disabled = translation === "";
}

/** @param {{ text: string }[]} others */
function showAlternatives(others) {
  const details = byId("alternatives");
  details.hidden = others.length === 0;
  details.querySelector("summary").textContent =
    others.length === 1 ? "Another translation" : `${others.length} other translations`;
  byId("alternatives-list").replaceChildren(...others.map(({ text }) => make("li", {}, text)));
}

/** Reads the text area; translates after a pause. */
function textChanged(pause = kTypingPause) {
  const text = source.value,
    length = characters(text),
    most = server?.limits.characters;
  showSource(text);
  byId("count").textContent = most ? `${count(length)} of ${count(most)} characters` : "";
  byId("source-pane").classList.toggle("long", length > 160);
  byId("target-pane").classList.toggle("long", length > 160);
  if (!model) return;
  hideMessage();
  if (text.trim() === "") return clearResults("Type a sentence to see this.");
  if (most && length > most) {
    clearResults("The text is too long.");
    return showMessage(tooLong(length, most));
  }
  setBusy(true);
  stopLooking();
  stopCounting();
  const n_best = Math.min(kHypotheses, 1 + (server.limits.alternatives ?? 0), beamSize());
  translating.run(
    (signal) => translate(request({ n_best, alignment: true, word_scores: true }), signal),
    {
      delay: pause,
      done: (reply) => showTranslation(text, reply),
      failed,
    },
  );
}

function failed(error) {
  const tryingAgain = showFailure(error, () => textChanged(0));
  if (!tryingAgain) clearResults("There is no translation of this text.");
  if (error.status === 403) askForKey(() => textChanged(0));
}

/** @param {string} text @param {import("./api.js").Reply} reply */
function showTranslation(text, reply) {
  const [best] = reply.translations;
  translation = best.text;
  hideMessage();
  hideKeyForm();
  setBusy(false);
  showWords(text, best);
  spoken.textContent = best.text;
  byId("took").textContent = milliseconds(reply.milliseconds);
  showAlternatives((best.alternatives ?? []).filter((other) => other.text !== best.text));
  lookAt(request(), kReadingPause);
  countEnergy(request(), kReadingPause);
}

/** @param {import("./api.js").Model} next */
function chooseModel(next) {
  const languageChanges = model?.source !== next.source;
  if (model && languageChanges && examplesOf(model.source).includes(source.value))
    source.value = examplesOf(next.source)[0] ?? "";
  model = next;
  remember("model", model.name);
  showLanguages(model);
  showFacts(model, beamSize());
  if (languageChanges) showExamples(model.source, tryExample);
  textChanged(0);
}

function tryExample(text) {
  source.value = text;
  textChanged(0);
}

function nextExample() {
  if (!model) return; // The server has not answered yet.
  const text = exampleAfter(model.source, source.value);
  if (text) tryExample(text);
}

/** A link to this page was opened in it. @param {{ text?: string, model?: string }} link */
function openLink(link) {
  if (!model || link.text === undefined) return; // Not a link to a text, such as the one to skip to it.
  source.value = link.text;
  const wanted = server.models.find(({ name }) => name === link.model) ?? model;
  byId("model").value = wanted.name;
  chooseModel(wanted);
}

/** Asks what the server has, until it answers. */
async function start() {
  try {
    server = await getServer();
  } catch (error) {
    return showFailure(error, start);
  }
  hideMessage();
  const link = readLink();
  const find = (name) => server.models.find((one) => one.name === name);
  const first = find(link.model) ?? find(recall("model")) ?? server.models[0];
  if (!first) return showMessage("The server has no models.");
  offerChips(server.chips);
  showPicker(server.models, first.name, chooseModel);
  byId("version").textContent = `eatt ${server.version}`;
  if (source.value === "") source.value = link.text ?? examplesOf(first.source)[0] ?? "";
  chooseModel(first);
}

source.addEventListener("input", () => textChanged());
onLink(openLink);
byId("clear").addEventListener("click", () => {
  tryExample("");
  source.focus();
});
byId("copy").addEventListener("click", () => copyFrom(byId("copy"), translation));
byId("link").addEventListener("click", () =>
  copyFrom(byId("link"), linkTo(source.value, model.name)),
);
setShortcuts([
  {
    keys: "Ctrl Enter",
    does: "Translate now",
    code: "Enter",
    control: true,
    run: () => textChanged(0),
  },
  { keys: "Alt Shift S", does: "Go to the text", code: "KeyS", run: () => source.focus() },
  { keys: "Alt Shift E", does: "Next example", code: "KeyE", run: nextExample },
  {
    keys: "Alt Shift C",
    does: "Copy the translation",
    code: "KeyC",
    run: () => byId("copy").click(),
  },
  { keys: "Alt Shift T", does: "Light or dark", code: "KeyT", run: toggleTheme },
]);
start();
