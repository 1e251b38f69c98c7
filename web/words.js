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

/**
 * Writes a text into an element, with a span around each word that can be found, in order; what is
 * between them stays as it is.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {string[]} words
 * @returns {(HTMLElement | null)[]} the span of each word; null where it is not in the text
 */
export function writeWords(element, text, words) {
  let written = 0;
  const nodes = [];
  const spans = words.map((word, i) => {
    const begin = text.indexOf(word, written);
    if (begin < 0 || word === "") return null;
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
