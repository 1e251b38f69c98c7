#!/usr/bin/env python3
"""Checks a trace of `eatt energy trace` number by number, from docs/trace-format.md alone:
  scripts/check_trace.py FOLDER
Ends with 1 and the first difference. Plain Python: a sentence of a large model takes minutes."""
import hashlib
import json
import pathlib
import struct
import sys
from itertools import chain, cycle, product
from operator import mul

TYPES = {"I8": "b", "U8": "B", "I16": "h", "I32": "i", "F32": "f"}


def read_tensors(path):  # {name: (shape, values)}
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, about in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = about["data_offsets"]
            values = struct.iter_unpack("<" + TYPES[about["dtype"]], data[start + begin:start + end])
            tensors[name] = about["shape"], [value for value, in values]
    return tensors


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def rows_of(tensor):
    width = tensor[0][-1]
    return [tensor[1][i:i + width] for i in range(0, len(tensor[1]), width)]


class Sentence:
    def __init__(self, name, weights, tensors):
        self.name, self.weights, self.tensors, self.checked = name, weights, tensors, 0

    def check(self, name, shape, expected):
        found_shape, found = self.tensors[name]
        if found_shape != list(shape):
            sys.exit(f"{self.name}: {name} has shape {found_shape}, expected {list(shape)}")
        for i, (ours, theirs) in enumerate(zip(expected, found)):
            if ours != theirs:
                sys.exit(f"{self.name}: {name}: number {i} is {theirs}, expected {ours}")
        self.checked += len(found)

    def codes(self, name):
        shape, values = self.tensors[name + "_input"]
        threshold = cycle(self.weights[name.replace("codes", "threshold")][1])
        self.check(name, shape, [x > t for x, t in zip(values, threshold)])
        return rows_of(self.tensors[name])

    def selection(self, attention, side, codes):
        weights = rows_of(self.weights[f"{attention}.{side[0]}_select.weight"])
        bias = self.weights[f"{attention}.{side[0]}_select.bias"][1]
        rows = [[b + sum(map(mul, code, row)) for row, b in zip(weights, bias)] for code in codes]
        self.check(f"{attention}.{side}", (len(rows), len(bias)), chain(*rows))
        return rows

    def attention(self, name):
        cross, shape = name.endswith(".cross_attn"), self.tensors[name + ".scores"][0]
        causal = name.startswith("decoder") and not cross
        places = [(h, i, j, causal and j > i) for h, i, j in product(*map(range, shape))]
        if name + ".query" in self.tensors:
            codes = self.codes(name + (".q_codes" if cross else ".codes"))
            query = self.selection(name, "query", codes)
            codes = self.codes("decoder.cross_attn.k_codes") if cross else codes
            key = self.selection(name, "key", codes)
        if name + ".distances" in self.tensors:
            n, units = len(query[0]) // shape[0], self.weights[name + ".units"][1]
            distances = [-1 if hidden else sum(abs(query[i][c] - key[j][c])
                                               for c in range(h * n, h * n + n))
                         for h, i, j, hidden in places]
            self.check(name + ".distances", shape, distances)
            scores = [single(-units[h] * single(d)) for (h, *_), d in zip(places, distances)]
        elif name + ".score_table" in self.weights:
            (_, longest, _), table = self.weights[name + ".score_table"]
            scores = [table[(h * longest + i) * longest + j] for h, i, j, _ in places]
        else:
            return  # Scores of floats.
        self.check(name + ".scores", shape, [float("-inf") if hidden else score
                                             for (*_, hidden), score in zip(places, scores)])

    def product(self, name):
        weights, scales = rows_of(self.weights[name + ".weight"]), self.weights[name + ".scales"][1]
        bias = self.weights.get(name + ".bias", (None, [0.0] * len(scales)))[1]
        row_scales, relu = self.tensors[name + ".input_scales"][1], name.endswith((".fc1", ".w1"))
        sums = [[sum(map(mul, row, weight)) for weight in weights]
                for row in rows_of(self.tensors[name + ".input"])]
        self.check(name + ".sums", (len(row_scales), len(scales)), chain(*sums))
        output = [single(single(single(single(x) * row_scale) * scale) + b)
                  for row, row_scale in zip(sums, row_scales)
                  for x, scale, b in zip(row, scales, bias)]
        output = [0.0 if relu and y < 0 else y for y in output]
        self.check(name + ".output", (len(row_scales), len(scales)), output)

    def pieces(self):
        logits = rows_of(self.tensors["decoder.output_projection.output"])
        chosen = self.tensors["chosen_pieces"][1]
        best = [max(range(3, len(row)), key=row.__getitem__) for row in logits]
        self.check("chosen_pieces", [len(chosen)], best)
        self.check("fed_pieces", [len(logits)], [2] + chosen)


folder = pathlib.Path(sys.argv[1])
trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
trained = read_tensors(folder / "weights.safetensors")
for file in [about["file"] for about in trace["sentences"]]:
    sentence = Sentence(file, trained, read_tensors(folder / file))
    for whole, _, last in [tensor.rpartition(".") for tensor in sentence.tensors]:
        {"scores": sentence.attention, "input": sentence.product}.get(last, len)(whole)
    sentence.pieces()
    print(f"{file}: {sentence.checked} numbers are right")
for file, about in trace["files"].items():  # At the end: a difference says more.
    if hashlib.sha256((folder / file).read_bytes()).hexdigest() != about["sha256"]:
        sys.exit(f"{file}: wrong hash")
