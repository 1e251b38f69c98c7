// Sentences to try, by language of the text. The Chinese ones have spaces between words, as in the
// built-in corpus (docs/builtin-corpus.md).
import { byId, make } from "./dom.js";

const kExamples = {
  zh: [
    "他 喜欢 音乐 。",
    "我 妈妈 昨天 翻译 的 那 篇 文章 很 有趣 。",
    "工人 们 明天 会 喝 多少 杯 茶 ？",
    "大约 五十 年 前 饭店 附近 有 一 家 商店 。",
  ],
  en: [
    "He likes music.",
    "The article that my mother translated yesterday is very interesting.",
    "How many cups of tea will the workers drink tomorrow?",
    "Two dogs are playing in the snow.",
  ],
  de: [
    "Er mag Musik.",
    "Der Artikel, den meine Mutter gestern übersetzt hat, ist sehr interessant.",
    "Wie viele Tassen Tee werden die Arbeiter morgen trinken?",
    "Zwei Hunde spielen im Schnee.",
  ],
  fr: [
    "Il aime la musique.",
    "L’article que ma mère a traduit hier est très intéressant.",
    "Deux chiens jouent dans la neige.",
  ],
  cs: ["Má rád hudbu.", "Dva psi si hrají ve sněhu."],
  ro: ["Îi place muzica.", "Doi câini se joacă în zăpadă."],
};

/** @param {string} language its code; regions and scripts do not matter @returns {string[]} */
export const examplesOf = (language) => kExamples[language.toLowerCase().split(/[-_]/)[0]] ?? [];

/** @param {string} language @param {(text: string) => void} choose */
export function showExamples(language, choose) {
  const texts = examplesOf(language),
    list = byId("examples");
  list.parentElement.hidden = texts.length === 0;
  list.replaceChildren(
    ...texts.map((text) => {
      const button = make("button", { type: "button", lang: language }, text);
      button.addEventListener("click", () => choose(text));
      return make("li", {}, button);
    }),
  );
}

/** The example after this text, or the first. @param {string} language @param {string} text */
export function exampleAfter(language, text) {
  const texts = examplesOf(language);
  return texts[(texts.indexOf(text) + 1) % texts.length];
}
