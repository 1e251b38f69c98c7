// Asks the server for the energy of a translation, on the chip that the reader chose.
import { translate } from "./api.js";
import { hideEnergy, showChips, showEnergy } from "./energy.js";
import { Latest } from "./latest.js";
import { recall, remember } from "./storage.js";

const counting = new Latest();

/** @type {import("./api.js").Chip[]} */
let chips = [];
let chip = "";
let chipIsChosen = false; // Until then it is the first that has prices for the model.
/** What to count, as the server wants it. @type {object | null} */
let request = null;

/** @param {string} name */
function useChip(name) {
  chip = name;
  showChips(chips, chip, (chosen) => {
    chip = chosen;
    chipIsChosen = true;
    remember("chip", chosen);
    if (request) countEnergy(request);
  });
}

/** @param {import("./api.js").Energy | undefined} energy */
function show(energy) {
  if (!energy) return hideEnergy("There are no counts for this model.");
  const next = chips[chips.findIndex(({ name }) => name === chip) + 1]?.name;
  if (energy.models[0].arithmetic != null || chipIsChosen || !next) return showEnergy(energy);
  useChip(next);
  countEnergy(request);
}

/** @param {import("./api.js").Chip[]} list of the server; the one chosen last time is chosen again */
export function offerChips(list) {
  chips = list;
  const last = chips.find(({ name }) => name === recall("chip"))?.name;
  chipIsChosen = last !== undefined;
  useChip(last ?? chips[0]?.name ?? "");
}

/** @param {object} next the request, without energy @param {number} [pause] milliseconds */
export function countEnergy(next, pause = 0) {
  request = next;
  if (!chip) return hideEnergy("The server has no chips to count for.");
  counting.run((signal) => translate({ ...next, energy: { chip } }, signal), {
    delay: pause,
    done: ({ energy }) => show(energy),
    failed: (error) => hideEnergy(error.message),
  });
}

export function stopCounting() {
  request = null;
  counting.cancel();
}
