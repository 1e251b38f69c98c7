"""Greedy translation in plain PyTorch with key/value caches, as one would write it in Python: the
other side of bench/translate/speed.sh. Needs Debian's python3-torch.

    plain_decoder.py BUNDLE

The weights are those of a vanilla float32 bundle. Then it is a worker: it answers each line with a
line.
    threads T B             threads of libtorch and of OpenBLAS; "ok"
    run BATCH SENTENCES     translates random pieces, 24 to 24; target pieces, seconds
    translate PIECE ...     the 24 pieces of a translation
"""
import json
import math
import os
import struct
import sys
import time

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../training"))
import plain_transformer

PIECES = 24
START, END = 2, 3  # Pieces; up to END they are markers, which are never chosen.


def read_bundle(folder):
    """Weights by name, and the architecture."""
    with open(os.path.join(folder, "config.json")) as file:
        architecture = json.load(file)["architecture"]
    with open(os.path.join(folder, "model.safetensors"), "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        numbers = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
    header.pop("__metadata__", None)
    weights = {name: numbers[slice(*entry["data_offsets"])].view(torch.float32).view(entry["shape"])
               for name, entry in header.items()}
    return weights, architecture


class Projection:
    """Some linear layers of the same input as one, cut into heads."""

    def __init__(self, heads, *layers):
        self.weight = torch.cat([layer.weight for layer in layers])
        self.bias = torch.cat([layer.bias for layer in layers])
        self.parts, self.heads = len(layers), heads

    def __call__(self, x):
        """x [batch, length, dim]; a list of [batch, heads, length, head_dim]."""
        batch, length, dim = x.shape
        rows = F.linear(x, self.weight, self.bias)
        rows = rows.view(batch, length, self.parts, self.heads, dim // self.heads)
        return rows.permute(2, 0, 3, 1, 4).unbind(0)


class CachedLayer:
    """A decoder layer, a position at a time."""

    def __init__(self, layer, heads, dim):
        self.layer = layer
        self.self_qkv = Projection(heads, layer.self_attn.q_proj, layer.self_attn.k_proj,
                                   layer.self_attn.v_proj)
        self.cross_q = Projection(heads, layer.cross_attn.q_proj)
        self.cross_kv = Projection(heads, layer.cross_attn.k_proj, layer.cross_attn.v_proj)
        self.scale = 1 / math.sqrt(dim // heads)

    def start(self, memory):
        keys, values = self.cross_kv(memory)
        self.memory = keys.contiguous(), values.contiguous()
        batch, heads, _, width = keys.shape
        self.cache = torch.empty(2, batch, heads, PIECES, width)

    def attend(self, query, keys, values):
        weights = F.softmax(query * self.scale @ keys.transpose(-2, -1), dim=-1)
        return (weights @ values).transpose(1, 2).flatten(2)

    def step(self, x, position):
        """x [batch, 1, dim]"""
        layer = self.layer
        query, key, value = self.self_qkv(layer.self_attn_layer_norm(x))
        self.cache[0, :, :, position:position + 1] = key
        self.cache[1, :, :, position:position + 1] = value
        keys, values = self.cache[:, :, :, :position + 1]
        x = x + layer.self_attn.out_proj(self.attend(query, keys, values))
        (query,) = self.cross_q(layer.cross_attn_layer_norm(x))
        x = x + layer.cross_attn.out_proj(self.attend(query, *self.memory))
        return x + layer.fc2(F.relu(layer.fc1(layer.ffn_layer_norm(x))))


class Decoder:
    def __init__(self, folder):
        weights, architecture = read_bundle(folder)
        self.vocab, dim = weights["shared.weight"].shape
        heads = architecture["heads"]
        layers = sum(name.startswith("encoder.") and "fc1.weight" in name for name in weights)
        self.model = plain_transformer.Transformer(
            self.vocab, dim, heads, weights["encoder.layers.0.fc1.weight"].size(0), layers,
            dropout=0).eval()
        self.model.load_state_dict(weights)  # Strict: the same names and shapes on both sides.
        self.layers = [CachedLayer(layer, heads, dim) for layer in self.model.decoder.layers]

    def translate_batch(self, source):
        """source [batch, pieces] with the end marker last; the result is [batch, PIECES]."""
        model = self.model
        nothing_hidden = torch.zeros(1, 1, 1, source.size(1), dtype=torch.bool)
        memory = model.encoder(model.embed(source), nothing_hidden)
        for layer in self.layers:
            layer.start(memory)
        last = torch.full((source.size(0), 1), START)
        chosen = []
        for position in range(PIECES):
            x = model.shared(last) * model.scale + model.positions[position]
            for layer in self.layers:
                x = layer.step(x, position)
            logits = F.linear(model.decoder.layer_norm(x[:, 0]), model.shared.weight)
            logits[:, :END + 1] = -math.inf
            last = logits.argmax(dim=-1, keepdim=True)
            chosen.append(last)
        return torch.cat(chosen, dim=1)

    @torch.inference_mode()
    def translate(self, *pieces):
        source = torch.tensor([[int(piece) for piece in pieces] + [END]])
        return " ".join(str(piece) for piece in self.translate_batch(source)[0].tolist())

    @torch.inference_mode()
    def run(self, batch, sentences):
        start, done = time.perf_counter(), 0
        while done < int(sentences):
            source = torch.randint(END + 1, self.vocab, (int(batch), PIECES + 1))
            source[:, -1] = END
            done += len(self.translate_batch(source))
        return "%d %.9g" % (done * PIECES, time.perf_counter() - start)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: plain_decoder.py BUNDLE")
    torch.manual_seed(1)
    decoder = Decoder(sys.argv[1])
    plain_transformer.serve({"threads": plain_transformer.set_threads, "run": decoder.run,
                             "translate": decoder.translate})


if __name__ == "__main__":
    main()
