// Asks the server where the model looks while it translates.
import { translate } from "./api.js";
import { characters } from "./format.js";
import { hideAttention, showAttention } from "./heatmap.js";
import { Latest } from "./latest.js";

const kMostCharacters = 300; // Longer texts have maps that nobody can read.
const looking = new Latest();

/** @param {{ text: string }} request without attention @param {number} pause milliseconds */
export function lookAt(request, pause) {
  if (characters(request.text) > kMostCharacters)
    return hideAttention(`The map is drawn for texts of up to ${kMostCharacters} characters.`);
  const hasParagraphs = request.text.trim().includes("\n");
  looking.run((signal) => translate({ ...request, attention: true }, signal), {
    delay: pause,
    done: ({ translations: [{ attention }] }) =>
      attention
        ? showAttention(attention, hasParagraphs ? "The map shows the first paragraph." : "")
        : hideAttention("This model reports no attention."),
    failed: (error) => hideAttention(error.message),
  });
}

export const stopLooking = () => looking.cancel();
