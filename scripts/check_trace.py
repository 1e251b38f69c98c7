#!/usr/bin/env python3
"""Checks a trace of `eatt energy trace` number by number, from docs/trace-format.md alone:
  scripts/check_trace.py FOLDER
Ends with 1 and the first difference. Plain Python: a sentence of a large model takes minutes."""
import math
import pathlib
import re
import struct
import sys
from array import array
from itertools import chain, cycle, product
from operator import add, mul

from trace_file import MALFORMED, TraceError, check_hashes, read_tensors, read_trace

TOLERANCE = 2.0 ** -16  # Of floats whose additions have no order: times the largest of their row.


def singles(values):
    return array("f", values)


def half(x):
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits(values):  # Of floats, so that 0 and −0 differ.
    return memoryview(singles(values)).cast("B").cast("I")


def dot(a, b):
    return sum(map(mul, a, b))


def position(p, width):
    half_width = width // 2
    step = math.log(10000) / max(1, half_width - 1)
    angles = [p * math.exp(-step * i) for i in range(half_width)]
    return singles(chain(map(math.sin, angles), map(math.cos, angles)))


def rounded(row):  # → numbers, scale
    largest = max(map(abs, row))
    before = 2.0 ** 64 if largest < 2.0 ** -64 else 1.0
    factor = singles([127 / (largest * before)])[0] if largest else 0.0
    return [round(x) for x in singles(x * before * factor for x in row)], largest / 127


def softmax(scores):
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]


class Sentence:
    def __init__(self, model, weights, tensors):
        self.model, self.weights, self.tensors, self.checked = model, weights, tensors, 0

    def same(self, name, expected):  # To the last bit.
        expected, found = list(expected), self.tensors[name].values
        is_float = self.tensors[name].kind == "F32"
        pairs = zip(bits(expected), bits(found)) if is_float else zip(expected, found)
        for i, (ours, theirs) in enumerate(pairs):
            if ours != theirs:
                raise TraceError(f"{name}: number {i} is {found[i]}, expected {expected[i]}")
        self.checked += len(found)

    def close(self, name, expected):  # Row by row.
        for r, (ours, theirs) in enumerate(zip(expected, self.tensors[name].rows())):
            ours = list(ours)
            limit = TOLERANCE * max((abs(x) for x in ours if math.isfinite(x)), default=0)
            for i, (our, their) in enumerate(zip(ours, theirs)):
                if our != their and not abs(our - their) <= limit:
                    raise TraceError(f"{name}: number {r * len(ours) + i} is {their}, expected {our}"
                                     f" with a difference of {limit} at most")
        self.checked += len(self.tensors[name].values)

    def rows(self, name):
        return self.tensors[name].rows()

    def embedded(self, stack, pieces):
        matrix, width = self.model.embedding(stack), self.model.width
        numbers, scales = self.weights[matrix + ".weight"].rows(), self.weights[matrix + ".scales"]
        root = singles([math.sqrt(width)])[0]
        for p, piece in enumerate(pieces):
            scale = singles([root * scales.values[piece]])[0]
            yield map(add, singles(scale * x for x in numbers[piece]), position(p, width))

    def normed(self, norm, rows):
        gain, bias = (self.weights[norm + last].values for last in (".weight", ".bias"))
        for row in rows:
            mean = sum(row) / len(row)
            variance = sum((x - mean) ** 2 for x in row) / len(row)
            inverse = 1 / math.sqrt(variance + self.model.epsilon)
            yield [(x - mean) * inverse * g + b for x, g, b in zip(row, gain, bias)]

    def product(self, name):
        about, weights = self.model.products[name], self.weights[name + ".weight"].rows()
        scales = self.weights[name + ".scales"].values
        bias = self.weights[name + ".bias"].values if about.bias else [0.0] * len(scales)
        inputs = [rounded(row) for row in self.rows(about.reads)]
        self.same(name + ".input_scales", [scale for _, scale in inputs])
        self.same(name + ".input", chain(*(numbers for numbers, _ in inputs)))
        sums = [[dot(numbers, weight) for weight in weights] for numbers, _ in inputs]
        self.same(name + ".sums", chain(*sums))
        output = []
        for row, row_scale in zip(sums, self.tensors[name + ".input_scales"].values):
            row = singles(x * row_scale for x in singles(row))
            row = singles(map(add, singles(map(mul, row, scales)), bias))
            relu = name.endswith((".fc1", ".w1"))
            output.extend(0.0 if relu and y < 0 else y for y in row)
        self.same(name + ".output", output)
        return self.rows(name + ".output")

    def codes(self, name, values, threshold):
        threshold = cycle(self.weights[threshold].values)
        self.same(name, [int(x > t) for x, t in zip(self.tensors[values].values, threshold)])
        return self.rows(name)

    def selected(self, attention, side, codes):
        weights = self.weights[f"{attention}.{side[0]}_select.weight"].rows()
        bias = self.weights[f"{attention}.{side[0]}_select.bias"].values
        self.same(f"{attention}.{side}", [b + dot(code, row) for code in codes
                                          for row, b in zip(weights, bias)])
        return self.rows(f"{attention}.{side}")

    def queries_and_keys(self, name, cross):  # Whole numbers.
        codes = self.codes(name + (".q_codes" if cross else ".codes"), self.model.read_by(name),
                           name + (".q_threshold" if cross else ".threshold"))
        query = self.selected(name, "query", codes)
        if cross:
            codes = self.codes("decoder.cross_attn.k_codes", "encoder.output",
                               "decoder.cross_attn.k_threshold")
        return query, self.selected(name, "key", codes)

    def attention(self, name):
        model, mechanism = self.model, self.model.mechanisms[name]
        cross, decoder = name.endswith("cross_attn"), name.startswith("decoder")
        heads, n, qk = model.heads, model.qk // model.heads, model.qk
        kept = (lambda row: list(map(half, row))) if decoder else list
        if mechanism in ("vanilla", "l1"):
            if cross:
                query, both = self.product(name + ".q_proj"), self.product(name + ".kv_proj")
            else:
                query = self.product(name + ".qkv_proj")
                both = [row[qk:] for row in query]
            key, value = [kept(row[:qk]) for row in both], [row[qk:] for row in both]
        else:
            value = self.product(name + ".v_proj")
        if mechanism == "dense":
            query, table = self.product(name + ".w1"), self.weights[name + ".w2.weight"].rows()
            key = [list(chain(*table[j::model.longest])) for j in range(model.longest)]
        if mechanism in ("eatt", "selection"):
            query, key = self.queries_and_keys(name, cross)
            units = self.weights[name + ".units"].values
        if mechanism == "selection":
            worth = [unit for unit in units for _ in range(n)]
            query, key = ([singles(map(mul, row, worth)) for row in rows] for rows in (query, key))
            key = list(map(kept, key))

        shape = self.tensors[name + ".scores"].shape
        places = [(h, i, j, decoder and not cross and j > i)
                  for h, i, j in product(*map(range, shape))]

        def over_pairs(score, hidden_score):
            return [hidden_score if hidden else score(h, i, j) for h, i, j, hidden in places]

        def distance(h, i, j):
            head = slice(h * n, h * n + n)
            return sum(map(abs, map(lambda q, k: q - k, query[i][head], key[j][head])))

        if mechanism == "eatt":
            self.same(name + ".distances", over_pairs(distance, -1))
            worth = singles(self.tensors[name + ".distances"].values)
            scores = [-math.inf if hidden else -units[h] * d
                      for (h, _, _, hidden), d in zip(places, worth)]
        elif mechanism == "randinit":
            table = self.weights[name + ".score_table"].rows()
            scores = over_pairs(lambda h, i, j: table[h * model.longest + i][j], -math.inf)
        elif mechanism == "l1":
            scores = over_pairs(lambda h, i, j: -distance(h, i, j), -math.inf)
        else:
            scores = over_pairs(lambda h, i, j: dot(query[i][h * n:h * n + n],
                                                    key[j][h * n:h * n + n]), -math.inf)
        if mechanism in ("eatt", "randinit"):
            self.same(name + ".scores", scores)
        else:
            self.close(name + ".scores", zip(*[iter(scores)] * shape[-1]))
        self.context(name, [kept(row) for row in value])
        return self.product(name + ".out_proj")

    def context(self, name, value):
        n, columns = self.model.inner // self.model.heads, list(zip(*value))
        _, queries, _ = self.tensors[name + ".scores"].shape
        weights = [softmax(row) for row in self.rows(name + ".scores")]
        self.close(name + ".context", ([dot(weights[c // n * queries + i], column)
                                        for c, column in enumerate(columns)]
                                       for i in range(queries)))

    def feed_forward(self, layer):
        self.product(layer + ".fc1")
        return self.product(layer + ".fc2")

    def stack(self, stack, pieces):
        names, pre_norm = self.model.sub_layers[stack], self.model.pre_norm
        self.close(names[0] + ".residual", self.embedded(stack, pieces))
        for name, after in zip(names, names[1:] + [stack]):
            residual = self.rows(name + ".residual")
            if name + ".normed" in self.tensors:
                self.close(name + ".normed", self.normed(name + "_layer_norm", residual))
            is_attention = name in self.model.mechanisms
            change = self.attention(name) if is_attention else self.feed_forward(name[:-4])
            grown = [singles(map(add, *rows)) for rows in zip(residual, change)]
            if pre_norm:
                self.same(after + ".residual", chain(*grown))
            else:
                self.close(after + (".output" if after == stack else ".residual"),
                           self.normed(name + "_layer_norm", grown))
        if pre_norm:
            self.close(stack + ".output",
                       self.normed(stack + ".layer_norm", self.rows(stack + ".residual")))

    def pieces(self, about):
        logits = self.product("decoder.output_projection")
        fed, chosen, source = (list(self.tensors[name].values)
                               for name in ("fed_pieces", "chosen_pieces", "source_pieces"))
        best = [max(range(3, len(row)), key=row.__getitem__) for row in logits]
        self.same("chosen_pieces", best[:len(chosen)])
        self.same("fed_pieces", ([2] + chosen)[:len(fed)])
        most = min(2 * len(source) + 8, self.model.longest - 1 if self.model.limited else math.inf)
        ends = chosen.index(3) if 3 in chosen else most
        if about["finished"] != (3 in chosen) or len(fed) != ends + 1:
            raise TraceError(f"the translation has {len(fed)} steps, expected {ends + 1}")
        for ids, texts in (source, about["source_pieces"]), (chosen, about["target_pieces"]):
            if len(ids) != len(texts) or any(a == b for (a, s), (b, t) in product(
                    zip(ids, texts), repeat=2) if s != t) or (3 in ids and texts[-1] != "</s>"):
                raise TraceError("texts of pieces in trace.json do not fit the pieces")
        text = "".join(about["target_pieces"][:ends]).replace("▁", " ")
        if not re.search("<0x..>", text) and text.strip() != about["translation"].strip():
            raise TraceError(f"the translation is {about['translation']!r}, its pieces are {text!r}")

    def operations(self, ledger):
        products = sum(about.inputs * len(self.tensors[name + ".sums"].values)
                       for name, about in self.model.products.items())
        for line in ledger:
            products -= line["operations"].get("mul", {}).get("int8", 0)
            if set(line) != {"stack", "layer", "sub_layer", "duty", "operations", "bytes"}:
                raise TraceError("operations have other keys than docs/trace-format.md says")
        if products != 0:
            raise TraceError("operations have another number of int8 multiplications than products")


def check(folder):
    trace = read_trace(folder)
    model = trace["architecture"]
    weights = read_tensors(folder / "weights.safetensors", lambda _: model.weights())
    for about in trace["sentences"]:
        tensors = read_tensors(folder / about["file"], lambda found: model.tensors(
            *(found[name].shape[0] if name in found and found[name].shape else 0
              for name in ("source_pieces", "fed_pieces", "chosen_pieces"))))
        sentence = Sentence(model, weights, tensors)
        try:
            for stack, pieces in ("encoder", "source_pieces"), ("decoder", "fed_pieces"):
                sentence.stack(stack, tensors[pieces].values)
            sentence.pieces(about)
            sentence.operations(about["operations"])
        except TraceError as error:
            raise TraceError(f"{folder / about['file']}: {error}") from error
        print(f"{about['file']}: {sentence.checked} numbers are right")
    check_hashes(folder, trace["files"])  # At the end: a difference says more.


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("usage: check_trace.py FOLDER", file=sys.stderr)
        sys.exit(2)
    try:
        check(pathlib.Path(sys.argv[1]))
    except (TraceError, *MALFORMED) as problem:
        sys.exit(f"{problem}")
