"""Reads a trace of `eatt energy trace` for check_trace.py: the files, and which tensors of which
types and shapes docs/trace-format.md expects of an architecture."""
import hashlib
import json
import struct
import sys
from array import array
from math import prod

TYPES = {"I8": "b", "U8": "B", "I16": "h", "I32": "i", "F32": "f"}
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError,
             RecursionError, struct.error)


class TraceError(Exception):
    """What is wrong with a trace, in one sentence."""


class Tensor:
    def __init__(self, kind, shape, data):
        self.kind, self.shape, self.values = kind, tuple(shape), array(TYPES[kind])
        self.values.frombytes(data)
        if sys.byteorder == "big":
            self.values.byteswap()
        if len(self.values) != prod(self.shape):
            raise ValueError

    def rows(self):
        width = self.shape[-1]
        return [self.values[i:i + width] for i in range(0, len(self.values), width)]


def read_bytes(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from error


def read_tensors(path, expected):
    """{name: Tensor}; `expected` tells the tensors {name: (type, shape)} from those found."""
    data = read_bytes(path)
    try:
        start = 8 + struct.unpack("<Q", data[:8])[0]
        tensors = {}
        for name, about in json.loads(data[8:start]).items():
            if name != "__metadata__":
                begin, end = about["data_offsets"]
                tensors[name] = Tensor(about["dtype"], about["shape"],
                                       data[start + begin:start + end])
    except MALFORMED as error:
        raise TraceError(f"{path}: is no whole safetensors file") from error
    wanted = expected(tensors)
    for name in wanted.keys() | tensors.keys():
        if name not in tensors or name not in wanted:
            problem = "is missing" if name in wanted else "is not of this architecture"
            raise TraceError(f"{path}: the tensor {name} {problem}")
        found, want = (tensors[name].kind, tensors[name].shape), wanted[name]
        if found != want:
            raise TraceError(f"{path}: {name} is {' '.join(map(str, found))}, expected "
                             f"{' '.join(map(str, want))}")
    return tensors


def read_trace(folder):
    """trace.json, whose `architecture` becomes an Architecture."""
    path = folder / "trace.json"
    try:
        trace = json.loads(read_bytes(path))
        if trace["format"] != "eatt-trace":
            raise TraceError(f"{path}: is no trace: its format is {trace['format']}")
        if trace["format_version"] > 1:
            raise TraceError(f"{path}: has format version {trace['format_version']}, expected 1")
        trace["architecture"] = Architecture(trace["architecture"])
        names = [f"sentence-{i + 1:04}.safetensors" for i in range(len(trace["sentences"]))]
        if not names or [about["file"] for about in trace["sentences"]] != names:
            raise TraceError(f"{path}: sentences are not {', '.join(names) or 'there'}")
        if set(trace["files"]) != {"weights.safetensors", *names}:
            raise TraceError(f"{path}: files are not the weights and the sentences")
        return trace
    except MALFORMED as error:
        raise TraceError(f"{path}: is no trace as docs/trace-format.md describes it") from error


def check_hashes(folder, files):
    for name, about in files.items():
        data = read_bytes(folder / name)
        found = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        if not found.items() <= about.items():
            raise TraceError(f"{folder / name}: has another size or hash than trace.json says")


class Product:
    def __init__(self, inputs, outputs, reads, of_source, bias=True):
        self.inputs, self.outputs, self.reads = inputs, outputs, reads
        self.of_source, self.bias = of_source, bias  # Rows of the source, or steps.


class Architecture:
    def __init__(self, a):
        self.width, self.heads, self.qk = a["model_dim"], a["heads"], a["qk_dim"]
        self.inner, self.hidden, self.longest = a["attention_dim"], a["ffn_dim"], a["max_length"]
        self.vocab = {"encoder": a["source_vocab"], "decoder": a["target_vocab"]}
        self.pre_norm = {"pre": True, "post": False}[a["norm"]["placement"]]
        self.epsilon, self.embeddings = a["norm"]["epsilon"], a["embeddings"]
        self.code_levels = a.get("code_levels", 0)  # Of signed codes; 0: binary.
        self.limited = False  # Whether sentences may only have `longest` rows.
        self.mechanisms, self.sub_layers, self.products = {}, {"encoder": [], "decoder": []}, {}
        for stack, layers in self.sub_layers.items():
            for n in range(a[stack]["layers"]):
                for kind, key in ("self_attn", "self_attention"), ("cross_attn", "cross_attention"):
                    if key in a[stack]:
                        name = f"{stack}.layers.{n}.{kind}"
                        layers.append(name)
                        self.add_attention(name, a[stack][key]["mechanisms"][n])
                layers.append(f"{stack}.layers.{n}.ffn")
                self.add_feed_forward(f"{stack}.layers.{n}", stack == "encoder")
        self.products["decoder.output_projection"] = Product(
            self.width, self.vocab["decoder"], "decoder.output", False, bias=False)

    def read_by(self, sub_layer):
        return sub_layer + (".normed" if self.pre_norm else ".residual")

    def add_attention(self, name, mechanism):
        self.mechanisms[name] = mechanism
        self.limited |= mechanism in ("dense", "randinit")
        encoder, cross = name.startswith("encoder"), name.endswith("cross_attn")
        own = self.read_by(name), encoder
        other = ("encoder.output", True) if cross else own
        d, qk, v = self.width, self.qk, self.inner
        made = {"v_proj": Product(d, v, *other)}
        if mechanism == "dense":
            made["w1"] = Product(d, qk, *own, bias=False)
        if mechanism in ("vanilla", "l1"):
            made = {"q_proj": Product(d, qk, *own), "kv_proj": Product(d, qk + v, *other)}
            made = made if cross else {"qkv_proj": Product(d, 2 * qk + v, *own)}
        made["out_proj"] = Product(v, d, name + ".context", encoder)
        self.products.update({f"{name}.{last}": product for last, product in made.items()})

    def add_feed_forward(self, layer, encoder):
        d, f = self.width, self.hidden
        self.products[layer + ".fc1"] = Product(d, f, self.read_by(layer + ".ffn"), encoder)
        self.products[layer + ".fc2"] = Product(f, d, layer + ".fc1.output", encoder)

    def binarises(self, attention):
        return self.mechanisms[attention] in ("eatt", "selection")

    def embedding(self, stack):
        """The matrix of a stack's embedding."""
        shared = self.embeddings == "all" or (self.embeddings == "target" and stack == "decoder")
        return "decoder.output_projection" if shared else stack + ".embed_tokens"

    def weights(self):
        """{name: (type, shape)} of weights.safetensors."""
        d, qk, heads, longest = self.width, self.qk, self.heads, self.longest
        norms = [name + "_layer_norm" for names in self.sub_layers.values() for name in names]
        norms += ["encoder.layer_norm", "decoder.layer_norm"] if self.pre_norm else []
        floats = {f"{name}.{last}": (d,) for name in norms for last in ("weight", "bias")}
        whole = {}
        for name, product in self.products.items():
            whole[name + ".weight"] = "I8", (product.outputs, product.inputs)
            floats[name + ".scales"] = (product.outputs,)
            if product.bias:
                floats[name + ".bias"] = (product.outputs,)
        for stack, vocab in self.vocab.items():
            whole[self.embedding(stack) + ".weight"] = "I8", (vocab, d)
            floats[self.embedding(stack) + ".scales"] = (vocab,)
        for name, mechanism in self.mechanisms.items():
            cross = name.endswith("cross_attn")
            if self.binarises(name):
                for side in "qk":
                    whole[f"{name}.{side}_select.weight"] = "I8", (qk, d)
                    whole[f"{name}.{side}_select.bias"] = "I16", (qk,)
                floats[name + ".units"] = (heads,)
                floats[name + (".q_threshold" if cross else ".threshold")] = (d,)
                if cross:
                    floats["decoder.cross_attn.k_threshold"] = (d,)
            elif mechanism == "dense":
                floats[name + ".w2.weight"] = heads, longest, qk // heads
            elif mechanism == "randinit":
                floats[name + ".score_table"] = heads, longest, longest
        return {**whole, **{name: ("F32", shape) for name, shape in floats.items()}}

    def tensors(self, source, steps, chosen):
        """{name: (type, shape)} of a sentence of so many rows, steps and chosen pieces."""
        d, qk, heads = self.width, self.qk, self.heads
        result = {"source_pieces": ("I32", (source,)), "fed_pieces": ("I32", (steps,)),
                  "chosen_pieces": ("I32", (chosen,))}
        for stack, names in self.sub_layers.items():
            rows = source if stack == "encoder" else steps
            for name in names + [stack] * self.pre_norm:
                result[name + ".residual"] = "F32", (rows, d)
            result[stack + ".output"] = "F32", (rows, d)
        for name, product in self.products.items():
            rows = source if product.of_source else steps
            result[product.reads] = "F32", (rows, product.inputs)
            result[name + ".input"] = "I8", (rows, product.inputs)
            result[name + ".input_scales"] = "F32", (rows,)
            result[name + ".sums"] = "I32", (rows, product.outputs)
            result[name + ".output"] = "F32", (rows, product.outputs)
        codes = "U8" if self.code_levels == 0 else "I8"
        for name, mechanism in self.mechanisms.items():
            cross = name.endswith("cross_attn")
            rows = source if name.startswith("encoder") else steps
            keys = source if cross else rows
            result[name + ".scores"] = "F32", (heads, rows, keys)
            if mechanism == "eatt":
                result[name + ".distances"] = "I32", (heads, rows, keys)
            if self.binarises(name):
                result[self.read_by(name)] = "F32", (rows, d)
                result[name + (".q_codes" if cross else ".codes")] = codes, (rows, d)
                result[name + ".query"] = "I16", (rows, qk)
                result[name + ".key"] = "I16", (keys, qk)
                if cross:
                    result["decoder.cross_attn.k_codes"] = codes, (source, d)
        return result
