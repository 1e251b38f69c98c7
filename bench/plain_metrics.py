#!/usr/bin/env python3
"""BLEU, chrF and TER in plain Python: the other side of the metric benchmarks.

Written from the definitions, with Counter and re, for reading rather than for speed; no package is
needed. It takes the options of `eatt evaluate` and prints the same digits as JSON, so it also
serves the tests as a second opinion:

    plain_metrics.py --reference REF [REF ...] --hypothesis HYP --metrics bleu,chrf,ter [--sentence]
"""

import argparse
import json
import math
import re
import sys
import unicodedata
from collections import Counter

# ---------------------------------------------------------------- text


def read_lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip() for line in file]


def category_class(first_letter):
    """The inside of a character class with all characters of categories such as P*."""
    ranges = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] == first_letter:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


PUNCTUATION_TO_SPLIT = re.compile(r"""([!-&(-+/:-@\[-`{-~ ])""")
STOP_AFTER_OTHER = re.compile(r"([^0-9])([.,])")
STOP_BEFORE_OTHER = re.compile(r"([.,])([^0-9])")
DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def replace_entities(line):
    for entity, character in ENTITIES:
        line = line.replace(entity, character)
    return line


def split_stops_and_dashes(line):
    line = STOP_AFTER_OTHER.sub(r"\1 \2 ", line)
    line = STOP_BEFORE_OTHER.sub(r" \1 \2", line)
    return DASH_AFTER_DIGIT.sub(r"\1 \2 ", line)


def tokenize_13a(line):
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    line = PUNCTUATION_TO_SPLIT.sub(r" \1 ", f" {replace_entities(line)} ")
    return split_stops_and_dashes(line).split()


# sacreBLEU's ranges; the two that were meant to lie above U+FFFF are as Python reads them.
CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31ef\u3200-\u4db5"
    "\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)


def tokenize_zh(line):
    line = CHINESE.sub(r" \1 ", line.strip())
    return split_stops_and_dashes(PUNCTUATION_TO_SPLIT.sub(r" \1 ", line)).split()


class International:
    def __init__(self):
        number, punctuation, symbol = map(category_class, "NPS")
        self.after_other = re.compile(f"([^{number}])([{punctuation}])")
        self.before_other = re.compile(f"([{punctuation}])([^{number}])")
        self.symbol = re.compile(f"([{symbol}])")

    def __call__(self, line):
        line = self.after_other.sub(r"\1 \2 ", line)
        line = self.before_other.sub(r" \1 \2", line)
        return self.symbol.sub(r" \1 ", line).split()


def find_tokenizer(name):
    if name == "intl":
        return International()
    return {
        "13a": tokenize_13a,
        "zh": tokenize_zh,
        "char": lambda line: [character for character in line if not character.isspace()],
        "none": str.split,
    }[name]


# ---------------------------------------------------------------- BLEU


class Bleu:
    def __init__(self, options):
        self.options = options
        self.tokenize = find_tokenizer(options.tokenize)

    def words(self, line):
        return self.tokenize((line.lower() if self.options.lowercase else line).rstrip())

    def line_statistics(self, hypothesis, references):
        words = self.words(hypothesis)
        wanted, lengths = Counter(), []
        for reference in map(self.words, references):
            wanted |= self.ngrams(reference)
            lengths.append(len(reference))
        counts, totals = [0] * 4, [0] * 4
        for ngram, times in self.ngrams(words).items():
            totals[len(ngram) - 1] += times
            counts[len(ngram) - 1] += min(times, wanted[ngram])
        closest = min(lengths, key=lambda length: (abs(length - len(words)), length))
        return [len(words), closest, *counts, *totals]

    @staticmethod
    def ngrams(words):
        return Counter(
            tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1)
        )

    def score(self, sums):
        length, wanted_length, counts, totals = sums[0], sums[1], sums[2:6], sums[6:10]
        if length >= wanted_length:
            penalty = 1.0
        else:
            penalty = math.exp(1 - wanted_length / length) if length else 0.0
        if not any(counts):
            return 0.0
        method, value = self.options.smooth, self.options.smooth_value
        if value is None:
            value = {"floor": 0.1, "add-k": 1}.get(method)
        precisions, orders, zeros = [0.0] * 4, 4, 0
        for n in range(4):
            extra = value if method == "add-k" and n else 0
            count, total = counts[n] + extra, totals[n] + extra
            if not total:
                break
            if self.options.effective_order:
                orders = n + 1
            if count:
                precisions[n] = 100.0 * count / total
            elif method == "exp":
                zeros += 1
                precisions[n] = 100.0 / (2.0**zeros * total)
            elif method == "floor":
                precisions[n] = 100.0 * value / total
        if 0.0 in precisions[:orders]:
            return 0.0
        logs = 0.0
        for precision in precisions[:orders]:
            logs += math.log(precision)
        return penalty * math.exp(logs / orders)


# ---------------------------------------------------------------- chrF


class Chrf:
    PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

    def __init__(self, options):
        self.options = options

    def sequences(self, line):
        """All n-gram counts of a line: characters of each order, then words of each order."""
        if self.options.chrf_lowercase:
            line = line.lower()
        text = line if self.options.chrf_whitespace else "".join(line.split())
        result = [
            Counter(text[i : i + n] for i in range(len(text) - n + 1))
            for n in range(1, self.options.chrf_char_order + 1)
        ]
        if self.options.chrf_word_order:
            words = self.separate(line.split())
            for n in range(1, self.options.chrf_word_order + 1):
                result.append(Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)))
        return result

    def separate(self, words):
        result = []
        for word in words:
            if len(word) > 1 and word[-1] in self.PUNCTUATION:
                result += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in self.PUNCTUATION:
                result += [word[0], word[1:]]
            else:
                result.append(word)
        return result

    def line_statistics(self, hypothesis, references):
        ours = self.sequences(hypothesis)
        best, best_score = None, -1.0
        for reference in references:
            statistics = []
            for mine, theirs in zip(ours, self.sequences(reference)):
                total = sum(mine.values()) if theirs else 0
                common = sum(min(times, theirs[ngram]) for ngram, times in mine.items())
                statistics += [total, sum(theirs.values()), common]
            score = self.score(statistics)
            if score > best_score:
                best, best_score = statistics, score
        return best

    def score(self, sums):
        squared = self.options.chrf_beta**2
        smoothed = precisions = recalls = 0.0
        used = 0
        orders = len(sums) // 3
        for i in range(orders):
            hypothesis, reference, common = sums[3 * i : 3 * i + 3]
            precision = common / hypothesis if hypothesis else 1e-16
            recall = common / reference if reference else 1e-16
            weighted = squared * precision + recall
            smoothed += (1 + squared) * precision * recall / weighted if weighted else 1e-16
            if hypothesis and reference:
                precisions += precision
                recalls += recall
                used += 1
        if self.options.chrf_eps_smoothing:
            return 100 * smoothed / orders
        if not used or not precisions + recalls:
            return 0.0
        precisions /= used
        recalls /= used
        return 100 * ((1 + squared) * precisions * recalls / (squared * precisions + recalls))


# ---------------------------------------------------------------- TER

FAR = 10**9
ASIAN_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
ASIAN = re.compile(
    "([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f"
    + ASIAN_PUNCTUATION
    + "])"
)


class Ter:
    def __init__(self, options):
        self.options = options
        asian = ASIAN_PUNCTUATION if options.ter_asian_support else ""
        self.removed = re.compile('[.,?:;!"()' + asian + "]")

    def words(self, line):
        line = line.rstrip()
        if not self.options.ter_case_sensitive:
            line = line.lower()
        if self.options.ter_normalized:
            line = replace_entities(line.replace("\n-", "").replace("\n", " "))
            line = PUNCTUATION_TO_SPLIT.sub(r" \1 ", f" {line} ").replace("'s ", " 's ")
            line = split_stops_and_dashes(line)
            if self.options.ter_asian_support:
                line = ASIAN.sub(r" \1 ", line)
        if self.options.ter_no_punct:
            line = self.removed.sub("", line)
        return line.split()

    def line_statistics(self, hypothesis, references):
        words = self.words(hypothesis)
        # sacreBLEU tokenises references, and only those, twice.
        references = [self.words(" ".join(self.words(line))) for line in references]
        fewest = min(count_edits(words, reference) for reference in references)
        return [fewest, sum(map(len, references)) / len(references)]

    @staticmethod
    def score(sums):
        edits, length = sums
        if length:
            return 100 * (edits / length)
        return 100.0 if edits else 0.0


def count_edits(words, reference):
    """Edits after greedily moving blocks of words for as long as that helps."""
    if not reference or not words:
        return len(words) or len(reference)
    bands = make_bands(len(words), len(reference))
    rows = extend_rows([list(range(len(reference) + 1))], words, reference, bands)
    moves = tried = 0
    while True:
        best, tried = find_best_move(words, reference, rows, bands, tried)
        if tried >= 1000 or best is None or best[0][0] <= 0:
            return moves + rows[-1][-1]
        words = best[1]
        rows = extend_rows(rows[:1], words, reference, bands)
        moves += 1


def make_bands(hypothesis_length, reference_length):
    ratio = reference_length / hypothesis_length
    beam = math.ceil(ratio / 2 + 25) if ratio / 2 > 25 else 25
    bands = [None]
    for i in range(1, hypothesis_length + 1):
        diagonal = math.floor(i * ratio)
        last = i == hypothesis_length
        end = reference_length + 1 if last else min(reference_length + 1, diagonal + beam)
        bands.append((max(0, diagonal - beam), end))
    return bands


def extend_rows(rows, words, reference, bands):
    """Costs [words + 1][reference + 1], going on after the rows that are known."""
    for i in range(len(rows), len(words) + 1):
        above, word = rows[-1], words[i - 1]
        row = [FAR] * (len(reference) + 1)
        begin, end = bands[i]
        for j in range(begin, end):
            if j == 0:
                row[0] = above[0] + 1
                continue
            cost = above[j - 1] if word == reference[j - 1] else above[j - 1] + 1
            if above[j] + 1 < cost:
                cost = above[j] + 1
            if row[j - 1] + 1 < cost:
                cost = row[j - 1] + 1
            row[j] = cost
        rows.append(row)
    return rows


def align(words, reference, rows):
    """Where each reference word went, and which words of either side are wrong."""
    i, j = len(words), len(reference)
    went_to, wrong, missed = [-1] * j, [0] * i, [0] * j
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (words[i - 1] != reference[j - 1]):
            i, j = i - 1, j - 1
            went_to[j] = i
            wrong[i] = missed[j] = int(words[i] != reference[j])
        elif i and (not j or rows[i][j] == rows[i - 1][j] + 1):
            i -= 1
            wrong[i] = 1
        else:
            j -= 1
            went_to[j] = i - 1
            missed[j] = 1
    return went_to, wrong, missed


def find_best_move(words, reference, rows, bands, tried):
    went_to, wrong, missed = align(words, reference, rows)
    best = None
    for h in range(len(words)):
        for r in range(max(0, h - 50), min(len(reference), h + 51)):
            for length in range(1, min(10, len(words) - h, len(reference) - r) + 1):
                if words[h + length - 1] != reference[r + length - 1]:
                    break
                if not any(wrong[h : h + length]) or not any(missed[r : r + length]):
                    continue
                if h <= went_to[r] < h + length:
                    continue
                last_target = None
                for before in range(r, r + length + 1):
                    target = went_to[before - 1] + 1 if before else 0
                    if target == last_target:
                        continue
                    last_target = target
                    tried += 1
                    moved = move(words, h, length, target)
                    same = next((k for k, w in enumerate(words) if w != moved[k]), len(words))
                    cost = extend_rows(rows[: same + 1], moved, reference, bands)[-1][-1]
                    rank = (rows[-1][-1] - cost, length, -h, -target)
                    if best is None or rank > best[0]:
                        best = (rank, moved)
                if tried >= 1000:
                    return best, tried
    return best, tried


def move(words, begin, length, target):
    block, rest = words[begin : begin + length], words[:begin] + words[begin + length :]
    if begin + length < target:
        target -= length
    return rest[:target] + block + rest[target:]


# ---------------------------------------------------------------- program


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", nargs="+", required=True)
    parser.add_argument("--hypothesis", required=True)
    parser.add_argument("--metrics", default="bleu,chrf,ter")
    parser.add_argument("--sentence", action="store_true")
    parser.add_argument("--tokenize", default="13a")
    parser.add_argument("--lowercase", action="store_true")
    parser.add_argument("--smooth", default="exp", choices=["exp", "floor", "add-k", "none"])
    parser.add_argument("--smooth-value", type=float)
    parser.add_argument("--effective-order", action="store_true")
    parser.add_argument("--chrf-char-order", type=int, default=6)
    parser.add_argument("--chrf-word-order", type=int, default=0)
    parser.add_argument("--chrf-beta", type=int, default=2)
    for flag in ("lowercase", "whitespace", "eps-smoothing"):
        parser.add_argument(f"--chrf-{flag}", action="store_true")
    for flag in ("case-sensitive", "normalized", "no-punct", "asian-support"):
        parser.add_argument(f"--ter-{flag}", action="store_true")
    options = parser.parse_args()
    options.effective_order = options.effective_order or options.sentence
    return options


def main():
    options = parse_options()
    hypotheses = read_lines(options.hypothesis)
    references = [read_lines(path) for path in options.reference]
    if any(len(reference) != len(hypotheses) for reference in references):
        sys.exit("plain_metrics.py: the files have different numbers of lines")
    result = {}
    for name in options.metrics.split(","):
        metric = {"bleu": Bleu, "chrf": Chrf, "ter": Ter}[name](options)
        rows = [
            metric.line_statistics(hypothesis, line_references)
            for hypothesis, *line_references in zip(hypotheses, *references)
        ]
        if options.sentence:
            result[name] = {"scores": [metric.score(row) for row in rows]}
        else:
            result[name] = {"score": metric.score([sum(column) for column in zip(*rows)])}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
