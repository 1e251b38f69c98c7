"""The operations of a traced sentence by the rules of docs/operation-counts.md, for check_trace.py:
int8, greedy search, one sentence at a time."""
from collections import Counter, defaultdict


class Operations:
    """{(stack, layer, sub_layer, duty): {"add/fp32": count, …}}, computed from the architecture, the
    number of rows, and the ones in the codes."""

    def __init__(self, model, tensors):
        self.model, self.tensors = model, tensors
        self.source, self.steps = (len(tensors[name].values)
                                   for name in ("source_pieces", "fed_pieces"))
        self.lines = defaultdict(Counter)
        for stack, rows in ("encoder", self.source), ("decoder", self.steps):
            self.stack(stack, rows)
        self.source_for_cross_attention()
        self.vocabulary_and_search()

    def add(self, place, duty, **counts):
        """Counts such as add_fp32=3."""
        line = self.lines[(*place, duty)]
        for name, count in counts.items():
            line[name.replace("_", "/")] += count

    def stack(self, stack, rows):
        d, outside = self.model.width, (stack, 0, "none")
        self.add(outside, "embedding", shift_fp32=rows * d, mul_fp32=rows + rows * d,
                 add_fp32=rows * d)
        for name in self.model.sub_layers[stack]:
            layer, kind = int(name.split(".")[2]) + 1, name.rsplit(".", 1)[1]
            place = (stack, layer, {"self_attn": "self-attention", "cross_attn": "cross-attention",
                                    "ffn": "feed-forward"}[kind])
            self.norm(place, rows)
            if kind == "ffn":
                self.feed_forward(place, rows)
            else:
                self.attention(name, place, rows)
            self.add(place, "residual", add_fp32=rows * d)
        if self.model.pre_norm:
            self.norm(outside, rows)

    def norm(self, place, rows):
        d = self.model.width
        self.add(place, "norm", add_fp32=rows * (4 * d + 1), mul_fp32=rows * (3 * d + 2),
                 div_fp32=2 * rows)

    def rounding(self, place, duty, rows, width):
        self.add(place, duty, compare_fp32=rows * width, div_fp32=2 * rows, mul_fp32=rows * width,
                 shift_int8=rows * width)

    def product(self, place, duty, rows, inputs, outputs, bias=True, relu=False):
        terms, results = rows * inputs * outputs, rows * outputs
        self.add(place, duty, mul_int8=terms, add_int32=terms, shift_fp32=results,
                 mul_fp32=2 * results, add_fp32=results * bias, compare_fp32=results * relu)

    def feed_forward(self, place, rows):
        d, f = self.model.width, self.model.hidden
        self.rounding(place, "ffn", rows, d)
        self.product(place, "ffn", rows, d, f, relu=True)
        self.rounding(place, "ffn", rows, f)
        self.product(place, "ffn", rows, f, d)

    def attention(self, name, place, rows):
        stack, _, sub_layer = place
        cross, decoder = sub_layer == "cross-attention", stack == "decoder"
        d, v = self.model.width, self.model.inner
        other = self.source if cross else rows
        pairs = rows * other if cross or not decoder else rows * (rows + 1) // 2
        self.queries_and_keys(name, place, rows, other)
        self.scores(name, place, pairs)
        if not cross:
            self.rounding(place, "value", rows, d)
        self.product(place, "value", other, d, v)
        self.add(place, "value", shift_fp16=other * v * decoder)
        heads = pairs * self.model.heads
        self.add(place, "context", compare_fp32=heads, add_fp32=2 * heads + pairs * v,
                 exp_fp32=heads, div_fp32=rows * self.model.heads, mul_fp32=heads + pairs * v,
                 shift_fp32=pairs * v * decoder)
        self.rounding(place, "output", rows, v)
        self.product(place, "output", rows, v, d)

    def queries_and_keys(self, name, place, rows, other):
        mechanism, d, q = self.model.mechanisms[name], self.model.width, self.model.qk
        cross, decoder = name.endswith("cross_attn"), place[0] == "decoder"
        query, key = ("cross-query", "cross-key") if cross else (
            "dec-self" if decoder else "enc-self",) * 2
        if mechanism in ("vanilla", "l1", "dense") and cross:
            self.rounding(place, query, rows, d)
        if mechanism == "dense":
            self.product(place, query, rows, d, q, bias=False, relu=True)
        if mechanism in ("vanilla", "l1"):
            self.product(place, query, rows, d, q)
            self.product(place, key, other, d, q)
        if self.model.binarises(name):
            codes = name + (".q_codes" if cross else ".codes")
            self.threshold(place, query, rows)
            self.selection(place, query, codes)
            self.selection(place, key, "decoder.cross_attn.k_codes" if cross else codes)
        if mechanism == "selection":
            self.add(place, query, shift_fp32=rows * q, mul_fp32=rows * q)
            self.add(place, key, shift_fp32=other * q, mul_fp32=other * q)
        if mechanism in ("vanilla", "l1", "selection"):
            self.add(place, key, shift_fp16=other * q * decoder)

    def digits(self):
        """Binary digits of a code's magnitude."""
        return max(1, self.model.code_levels.bit_length())

    def threshold(self, place, duty, rows):
        self.add(place, duty, compare_fp32=rows * self.model.width * self.digits())

    def selection(self, place, duty, codes):
        ones = sum(bin(abs(code)).count("1") for code in self.tensors[codes].values)
        if self.digits() > 1:
            ones += self.tensors[codes].shape[0] * self.digits()
        self.add(place, duty, add_int16=ones * self.model.qk)

    def scores(self, name, place, pairs):
        mechanism, terms = self.model.mechanisms[name], pairs * self.model.qk
        kept = terms * (place[0] == "decoder")  # Read from the caches, in 16 bits.
        if mechanism == "eatt":
            heads = pairs * self.model.heads
            self.add(place, "scores", add_int16=terms, add_int32=terms, shift_fp32=heads,
                     mul_fp32=heads)
        elif mechanism == "l1":
            self.add(place, "scores", add_fp32=2 * terms, shift_fp32=kept)
        elif mechanism == "dense":
            self.add(place, "scores", mul_fp32=terms, add_fp32=terms)
        elif mechanism in ("vanilla", "selection"):
            self.add(place, "scores", mul_fp32=terms, add_fp32=terms, shift_fp32=kept)

    def source_for_cross_attention(self):
        place = ("decoder", 0, "cross-attention")
        self.rounding(place, "value", self.source, self.model.width)
        if "decoder.cross_attn.k_codes" in self.tensors:
            self.threshold(place, "cross-key", self.source)

    def vocabulary_and_search(self):
        place, rows, columns = ("decoder", 0, "none"), self.steps, self.model.vocab["decoder"]
        self.rounding(place, "vocabulary", rows, self.model.width)
        self.product(place, "vocabulary", rows, self.model.width, columns, bias=False)
        # Each row: the sum of exponentials, the best ordinary piece, and then the better of two
        # candidates: that piece and the end marker.
        self.add(place, "search", compare_fp32=rows * (columns + columns - 5 + 2),
                 add_fp32=rows * (2 * columns + 1 + 2 * 2), exp_fp32=rows * (columns + 1))


def first_difference(expected, ledger):
    """A sentence, or None. `ledger` are the lines of `operations` in trace.json."""
    found = {}
    for line in ledger:
        place = tuple(line[key] for key in ("stack", "layer", "sub_layer", "duty"))
        if place in found:
            return f"{' '.join(map(str, place))} has two lines, expected one"
        found[place] = {f"{operation}/{number}": count
                        for operation, counts in line["operations"].items()
                        for number, count in counts.items()}
    for place in [*expected, *(place for place in found if place not in expected)]:
        ours, theirs = expected.get(place, {}), found.get(place, {})
        for name in sorted({*ours, *theirs}):
            if ours.get(name, 0) != theirs.get(name, 0):
                stack, layer, sub_layer, duty = place
                return (f"{stack}, layer {layer}, {sub_layer}, {duty}: {name} is "
                        f"{theirs.get(name, 0)}, expected {ours.get(name, 0)}")
    return None
