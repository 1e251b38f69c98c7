// Plausible replies for the mock server: a few sentences with their translations and word links,
// attention made from the links, and energy made from the lengths.

export const kServer = {
  models: [
    model("eatt.int8", "zh", "en", "int8", "eatt"),
    model("vanilla.int8", "zh", "en", "int8", "vanilla"),
    model("eatt.float32", "zh", "en", "float32", "eatt"),
    model("eatt.reverse", "en", "zh", "int8", "eatt"),
  ],
  chips: [
    { name: "asic", title: "ASIC of the paper" },
    { name: "fpga", title: "FPGA of the paper" },
    { name: "cmos45", title: "45 nm CMOS, 0.9 V" },
  ],
  limits: { characters: 2000, batch: 64, alternatives: 4, beam_size: 8 },
  version: "0.0-mock",
};

function model(name, source, target, precision, attention) {
  return {
    name,
    source,
    target,
    precision,
    parameters: 918_784,
    layers: { encoder: 2, decoder: 2 },
    width: 128,
    heads: 4,
    vocabulary: 2000,
    attention: { encoder_self: attention, decoder_self: attention, cross: attention },
  };
}

// Links as in docs/formats.md: source-target, from 0.
const kSentences = {
  "他 喜欢 音乐 。": ["He likes music .", "0-0 1-1 2-2 3-3"],
  "我 妈妈 昨天 翻译 的 那 篇 文章 很 有趣 。": [
    "That article that my mother translated yesterday is very interesting .",
    "0-3 1-4 2-6 3-5 4-2 5-0 7-1 8-8 9-9 10-10",
  ],
  "工人 们 明天 会 喝 多少 杯 茶 ？": [
    "How many cups of tea will the workers drink tomorrow ?",
    "0-7 1-7 2-9 3-5 4-8 5-0 5-1 6-2 7-4 8-10",
  ],
  "大约 五十 年 前 饭店 附近 有 一 家 商店 。": [
    "There was a shop near the restaurant around fifty years ago .",
    "0-7 1-8 2-9 3-10 4-6 5-4 6-0 6-1 7-2 9-3 10-11",
  ],
};

/** The translation of a text: a known one, or its words in capitals. */
function sentenceOf(text) {
  const source_words = text.split(/\s+/).filter(Boolean);
  const [target, links] = kSentences[source_words.join(" ")] ?? [
    source_words.join(" ").toUpperCase(),
    source_words.map((_, i) => `${i}-${i}`).join(" "),
  ];
  const target_words = target.split(" ");
  return {
    source_words,
    target_words,
    alignment: links.split(" ").map((link) => link.split("-").map(Number)),
    word_scores: target_words.map((_, i) => -0.02 - 0.35 * noise(i, target.length)),
  };
}

/** From 0 to 1, the same every time. */
function noise(...numbers) {
  const x =
    Math.sin(numbers.reduce((sum, one, i) => sum + one * (12.9898 + 65.1 * i), 1)) * 43758.5453;
  return x - Math.floor(x);
}

function attentionOf(sentence) {
  const source_pieces = [...sentence.source_words.map((word) => `▁${word}`), "</s>"];
  const target_pieces = [...sentence.target_words.map((word) => `▁${word}`), "</s>"];
  const links = [...sentence.alignment, [source_pieces.length - 1, target_pieces.length - 1]];
  const row = (layer, head, t) => {
    const raw = source_pieces.map((_, s) => {
      const linked = links.some(([from, to]) => from === s && to === t);
      return 0.12 * noise(layer, head, t, s) + (linked ? 0.4 + layer * noise(head, t) : 0);
    });
    const sum = raw.reduce((a, b) => a + b, 0);
    return raw.map((value) => value / sum);
  };
  const weights = [0, 1].map((layer) =>
    [0, 1, 2, 3].map((head) => target_pieces.map((_, t) => row(layer, head, t))),
  );
  return { source_pieces, target_pieces, layers: 2, heads: 4, weights };
}

function energyOf(chip, { precision, attention }, sentence) {
  const pieces = sentence.source_words.length + sentence.target_words.length;
  const isEatt = attention.cross === "eatt",
    hasMemory = chip.name === "cmos45";
  const figures = (name, kind, share) => {
    const int8 = kind === "int8";
    const arithmetic = pieces * (int8 ? 0.28e-6 : 2.4e-6) * share;
    const memory = hasMemory ? pieces * (int8 ? 6e-6 : 236e-6) * (1 - (1 - share) / 5) : null;
    const operations = { add: 812_345 * pieces, multiply: Math.round(812_000 * share) * pieces };
    return {
      name,
      precision: kind,
      arithmetic: int8 && !hasMemory ? null : arithmetic, // The paper's chips have no prices for int8.
      memory,
      operations,
    };
  };
  const share = isEatt ? 0.826 : 1;
  const other = precision === "int8" ? "float32" : "int8";
  const own = figures("this model", precision, share);
  return {
    chip: chip.name,
    title: chip.title,
    unit: "J",
    models: [
      own,
      figures(`vanilla attention, ${precision}`, precision, 1),
      figures(`vanilla attention, ${other}`, other, 1),
    ],
    accountings: {
      exact:
        precision === "int8" && !hasMemory
          ? { alignment_percent: null, attention_percent: null, model_percent: null }
          : isEatt
            ? { alignment_percent: 19.86, attention_percent: 47.18, model_percent: 82.6 }
            : { alignment_percent: 100, attention_percent: 100, model_percent: 100 },
      paper: isEatt
        ? { alignment_percent: 1.1, attention_percent: 34.9 }
        : { alignment_percent: 100, attention_percent: 100 },
    },
    operations: own.operations,
  };
}

/** The reply to a request of /v1/translate that was checked. */
export function replyTo(request) {
  const used = kServer.models.find(({ name }) => name === request.model) ?? kServer.models[0];
  const sentences = request.text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(sentenceOf);
  const lines = sentences.map(({ target_words }) => target_words.join(" "));
  const translation = { text: lines.join("\n"), score: -1.2, finished: true };
  if (request.alignment || request.word_scores) translation.sentences = sentences;
  if ((request.n_best ?? 1) > 1)
    translation.alternatives = ["indeed", "perhaps"]
      .slice(0, request.n_best - 1)
      .map((word, i) => ({ text: `${lines.join(" ")} ${word}`, score: -2 - i }));
  if (request.attention) translation.attention = attentionOf(sentences[0]);
  const reply = { model: used.name, translations: [translation], milliseconds: 4.2 };
  if (request.energy) {
    const chip = kServer.chips.find(({ name }) => name === request.energy.chip);
    reply.energy = energyOf(chip, used, sentences[0]);
  }
  return reply;
}
