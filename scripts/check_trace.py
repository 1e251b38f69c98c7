#!/usr/bin/env python3
"""Checks a trace of `eatt energy trace` number by number, from docs/trace-format.md alone, and its
operation counts from docs/operation-counts.md:
  scripts/check_trace.py FOLDER        (or FOLDER/trace.json)
Exits with 1 and prints the first difference, if there is one. Plain Python: a sentence of a large model takes minutes."""
import math
import pathlib
import re
import sys
from itertools import chain, cycle, product
from operator import add, mul

from trace_file import MALFORMED, TraceError, check_hashes, read_tensors, read_trace
from trace_operations import Operations, first_difference
from trace_numbers import (bits, distance, dot, halves, norm, position, rounded, singles,
                           softmax)

# Of floats whose additions have no order, for a largest magnitude of 1 in their row.
TOLERANCE = 2.0 ** -16


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

    def close(self, name, expected, least=0.0):  # Row by row.
        for r, (ours, theirs) in enumerate(zip(expected, self.tensors[name].rows())):
            ours = list(ours)
            limit = TOLERANCE * max(least, *(abs(x) for x in ours if math.isfinite(x)), 0.0)
            for i, (our, their) in enumerate(zip(ours, theirs)):
                if our != their and not abs(our - their) <= limit:
                    raise TraceError(f"{name}: number {r * len(ours) + i} is {their}, expected "
                                     f"{our} with a difference of {limit} at most")
        self.checked += len(self.tensors[name].values)

    def rows(self, name):
        return self.tensors[name].rows()

    def embedded(self, stack, pieces):
        matrix, width = self.model.embedding(stack), self.model.width
        numbers, scales = self.weights[matrix + ".weight"].rows(), self.weights[matrix + ".scales"]
        root = singles([math.sqrt(width)])[0]
        for p, piece in enumerate(pieces):
            if not 0 <= piece < len(numbers):
                raise TraceError(f"piece {piece} that the {stack} reads is not in its vocabulary")
            scale = singles([root * scales.values[piece]])[0]
            yield map(add, singles(scale * x for x in numbers[piece]), position(p, width))

    def normed(self, name, rows):
        gain, bias = (self.weights[name + last].values for last in (".weight", ".bias"))
        return (norm(row, gain, bias, self.model.epsilon) for row in rows)

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
        self.same(name, [self.code(x, t) for x, t in zip(self.tensors[values].values, threshold)])
        return self.rows(name)

    def code(self, x, threshold):
        if self.model.code_levels == 0:
            return int(x > threshold)
        code, limit = 0, threshold
        while code < self.model.code_levels and abs(x) > limit:
            code, limit = code + 1, singles([limit + 2 * threshold])[0]
        return code if x > 0 else -code

    def selected(self, attention, side, codes):
        weights = self.weights[f"{attention}.{side[0]}_select.weight"].rows()
        bias = self.weights[f"{attention}.{side[0]}_select.bias"].values
        self.same(f"{attention}.{side}", [b + dot(code, row) for code in codes
                                          for row, b in zip(weights, bias)])
        return self.rows(f"{attention}.{side}")

    def integer_queries_and_keys(self, name, cross):
        codes = self.codes(name + (".q_codes" if cross else ".codes"), self.model.read_by(name),
                           name + (".q_threshold" if cross else ".threshold"))
        query = self.selected(name, "query", codes)
        if cross:
            codes = self.codes("decoder.cross_attn.k_codes", "encoder.output",
                               "decoder.cross_attn.k_threshold")
        return query, self.selected(name, "key", codes)

    def attention(self, name):
        # What the decoder keeps for later steps has 16 bits.
        kept = halves if name.startswith("decoder") else list
        query, key, value = self.queries_keys_values(name, kept)
        self.scores(name, query, key)
        self.context(name, list(map(kept, value)))
        return self.product(name + ".out_proj")

    def queries_keys_values(self, name, kept):
        cross, mechanism = name.endswith("cross_attn"), self.model.mechanisms[name]
        qk, heads, longest = self.model.qk, self.model.heads, self.model.longest
        if mechanism in ("vanilla", "l1"):
            if cross:
                query, both = self.product(name + ".q_proj"), self.product(name + ".kv_proj")
            else:
                query = self.product(name + ".qkv_proj")
                both = [row[qk:] for row in query]
            return query, [kept(row[:qk]) for row in both], [row[qk:] for row in both]
        value = self.product(name + ".v_proj")
        if mechanism == "dense":
            table = self.weights[name + ".w2.weight"].rows()  # Row h·longest + j
            return self.product(name + ".w1"), [list(chain(*table[j::longest]))
                                                for j in range(longest)], value
        if mechanism == "randinit":
            return None, None, value
        query, key = self.integer_queries_and_keys(name, cross)
        if mechanism == "selection":
            units = [unit for unit in self.weights[name + ".units"].values
                     for _ in range(qk // heads)]
            query, key = ([singles(map(mul, row, units)) for row in rows] for rows in (query, key))
            key = list(map(kept, key))
        return query, key, value

    def over_pairs(self, name, pair, hidden):
        """pair(h, i, j) in rows of [heads, query_len, key_len], `hidden` where i does not see j."""
        heads, queries, keys = self.tensors[name + ".scores"].shape
        causal = name.startswith("decoder") and name.endswith("self_attn")
        for h, i in product(range(heads), range(queries)):
            seen = i + 1 if causal else keys
            yield [pair(h, i, j) for j in range(seen)] + [hidden] * (keys - seen)

    def scores(self, name, query, key):
        mechanism, n, longest = (self.model.mechanisms[name], self.model.qk // self.model.heads,
                                 self.model.longest)

        def of_heads(function):
            return lambda h, i, j: function(query[i][h * n:h * n + n], key[j][h * n:h * n + n])

        if mechanism == "eatt":
            self.same(name + ".distances", chain(*self.over_pairs(name, of_heads(distance), -1)))
            units, found = self.weights[name + ".units"].values, self.rows(name + ".distances")
            pair = lambda h, i, j: -units[h] * singles([found[h * len(query) + i][j]])[0]
        elif mechanism == "randinit":
            table = self.weights[name + ".score_table"].rows()
            pair = lambda h, i, j: table[h * longest + i][j]
        elif mechanism == "l1":
            pair = lambda h, i, j: -of_heads(distance)(h, i, j)
        else:
            pair = of_heads(dot)
        rows = self.over_pairs(name, pair, -math.inf)
        if mechanism in ("eatt", "randinit"):
            self.same(name + ".scores", chain(*rows))
        else:
            self.close(name + ".scores", rows, least=1.0)  # The terms may cancel out.

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
        length = chosen.index(3) if 3 in chosen else most
        finished = 3 in chosen
        if (len(fed), len(chosen), about["finished"]) != (length + 1, length + finished, finished):
            raise TraceError(f"the translation has {len(fed)} steps, expected {length + 1}, and is "
                             f"{'' if about['finished'] else 'not '}finished")
        if source[-1] != 3:
            raise TraceError(f"source_pieces end with {source[-1]}, expected 3")
        self.texts(source, about["source_pieces"])
        self.texts(chosen, about["target_pieces"])
        text = "".join(about["target_pieces"][:length]).replace("▁", " ")
        if not re.search("<0x..>", text) and text.strip() != about["translation"].strip():
            raise TraceError(f"the translation is {about['translation']!r}, its pieces {text!r}")

    @staticmethod
    def texts(pieces, texts):
        """Each piece has one text."""
        known = {3: "</s>"}
        for piece, text in zip(pieces, texts):
            if known.setdefault(piece, text) != text:
                raise TraceError(f"texts of piece {piece} are {known[piece]!r} and {text!r}")
        if len(pieces) != len(texts):
            raise TraceError(f"texts of pieces are {len(texts)}, expected {len(pieces)}")

    def operations(self, ledger):
        if any(set(line) != {"stack", "layer", "sub_layer", "duty", "operations", "bytes"}
               for line in ledger):
            raise TraceError("operations have other keys than docs/trace-format.md says")
        difference = first_difference(Operations(self.model, self.tensors).lines, ledger)
        if difference:
            raise TraceError(f"operations of {difference}")


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
        print(f"{about['file']}: {sentence.checked} numbers are right, and all operation counts")
    check_hashes(folder, trace["files"])  # At the end: a difference says more.


if __name__ == "__main__":
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        sys.exit(0)
    if len(sys.argv) != 2:
        print("usage: check_trace.py FOLDER; --help tells more", file=sys.stderr)
        sys.exit(2)
    path = pathlib.Path(sys.argv[1])
    try:
        check(path.parent if path.name == "trace.json" else path)
    except (TraceError, *MALFORMED) as problem:
        sys.exit(f"{sys.argv[1]}: is no trace as docs/trace-format.md describes it: {problem!r}"
                 if isinstance(problem, MALFORMED) else f"{problem}")
