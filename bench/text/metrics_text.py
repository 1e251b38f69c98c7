#!/usr/bin/env python3
"""Writes LINES pairs of made-up sentences, always the same: FOLDER/reference and FOLDER/hypothesis.

    metrics_text.py LINES FOLDER

Words follow Zipf's law, sentences have 12 to 33 of them and a stop; the hypothesis is the reference
with about every other word replaced, dropped, added or moved with its neighbours, which makes a
BLEU of about 30, as real systems have.
"""

import random
import sys
from pathlib import Path

SYLLABLES = (
    "ba be bri co cla da dre e fi fro ga gel ha i jo ku la lun ma mi no or pa pen qui ra re sa "
    "ster ta the tri un va ver wo xa yen zu än ör ßen é"
).split()


def make_words(rng):
    words = {"".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(12000)}
    words = sorted(words)
    rng.shuffle(words)
    words.sort(key=len)  # Frequent words are short.
    return words, [1 / (rank + 3) for rank in range(len(words))]


def make_sentence(rng, words, weights):
    sentence = rng.choices(words, cum_weights=weights, k=rng.randint(12, 33))
    for i in range(len(sentence) - 1):
        chance = rng.random()
        if chance < 0.06:
            sentence[i] += ","
        elif chance < 0.09:
            sentence[i] = sentence[i].capitalize()
        elif chance < 0.11:
            sentence[i] = str(rng.randint(1, 2000))
        elif chance < 0.12:
            sentence[i] = f'"{sentence[i]}"'
    sentence[0] = sentence[0].capitalize()
    sentence[-1] += "."
    return sentence


def disturb(rng, sentence, words, weights):
    result = list(sentence)
    for _ in range(len(sentence) // 2):
        at = rng.randrange(len(result))
        chance = rng.random()
        if chance < 0.5:
            result[at] = rng.choices(words, cum_weights=weights)[0]
        elif chance < 0.65 and len(result) > 3:
            del result[at]
        elif chance < 0.8:
            result.insert(at, rng.choices(words, cum_weights=weights)[0])
        else:
            block = result[at : at + rng.randint(1, 4)]
            del result[at : at + len(block)]
            to = rng.randrange(len(result) + 1)
            result[to:to] = block
    return result


def main():
    lines, folder = int(sys.argv[1]), Path(sys.argv[2])
    rng = random.Random(20)
    words, weights = make_words(rng)
    for i in range(1, len(weights)):
        weights[i] += weights[i - 1]
    with open(folder / "reference", "w", encoding="utf-8") as references, open(
        folder / "hypothesis", "w", encoding="utf-8"
    ) as hypotheses:
        for _ in range(lines):
            sentence = make_sentence(rng, words, weights)
            print(*sentence, file=references)
            print(*disturb(rng, sentence, words, weights), file=hypotheses)


if __name__ == "__main__":
    main()
