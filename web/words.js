// Words of a reply, and where they stand in a text.

/**
 * @typedef {{ source: string[], target: string[], links: [number, number][],
 *   scores: (number | undefined)[] }} WordPair all words of a text and its translation;
 *   links are [source word, target word], scores log-probabilities of target words
 */

/**
 * The sentences of a translation as one list of words each.
 * @param {import("./api.js").Sentence[]} sentences
 * @returns {WordPair}
 */
export function joinSentences(sentences) {
  const pair = { source: [], target: [], links: [], scores: [] };
  for (const sentence of sentences) {
    for (const [from, to] of sentence.alignment ?? [])
      pair.links.push([from + pair.source.length, to + pair.target.length]);
    pair.source.push(...sentence.source_words);
    pair.target.push(...sentence.target_words);
    pair.scores.push(...sentence.target_words.map((_, i) => sentence.word_scores?.[i]));
  }
  return pair;
}

// Characters that may stand between two words of the model: tags, placeholders, fixed terms.
const kWindow = 60;
const kLetter = /[\p{L}\p{N}]/u;
// Scripts that put no spaces between words.
const kJoined = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a word can begin or end here. @param {string} text @param {number} at */
function isBorder(text, at) {
  const before = text[at - 1] ?? "",
    after = text[at] ?? "";
  return (
    !kLetter.test(before) || !kLetter.test(after) || kJoined.test(before) || kJoined.test(after)
  );
}

/**
 * Where a whole word stands, or one that the next is written behind ("do" and "n't"); -1 if nowhere
 * near.
 * @param {string} text @param {string} word @param {string} next
 * @param {{ from: number, to: number }} room where it may begin
 */
function placeOf(text, word, next, { from, to }) {
  if (word === "") return -1;
  for (let at = text.indexOf(word, from); at >= 0 && at <= to; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const begins = at === from || isBorder(text, at);
    if (begins && (isBorder(text, end) || (next && text.startsWith(next, end)))) return at;
  }
  return -1;
}

/**
 * Writes a text into an element, with a span around each word that can be found, in order; what is
 * between them stays as it is. Words that the text does not have, such as those in whose place stands
 * a term of the glossary, are left out.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {string[]} words
 * @returns {(HTMLElement | null)[]} the span of each word; null where it is not in the text
 */
export function writeWords(element, text, words) {
  let written = 0,
    missed = 0; // Characters of words since then that were not found.
  const nodes = [];
  const spans = words.map((word, i) => {
    const room = { from: written, to: written + missed + kWindow };
    const begin = placeOf(text, word, words[i + 1], room);
    if (begin < 0) {
      missed += word.length + 1;
      return null;
    }
    missed = 0;
    nodes.push(text.slice(written, begin));
    const span = document.createElement("span");
    span.className = "word";
    span.dataset.word = String(i);
    span.textContent = word;
    nodes.push(span);
    written = begin + word.length;
    return span;
  });
  nodes.push(text.slice(written));
  element.replaceChildren(...nodes);
  return spans;
}
