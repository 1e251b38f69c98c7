"""The Transformer of eatt in plain PyTorch, as one would write it in Python: the other side of
bench/training/step.sh. Needs Debian's python3-torch.

    plain_transformer.py PREFIX --heads 4 --dropout 0.1 [--attention vanilla|cdist|broadcast]

E-ATT comes in two forms: distances by torch.cdist, or as its authors wrote them, by broadcasting
query - key, which has a tensor of batch x heads x length x length x features.

Weights and batch are those that training_step_bench saved as PREFIX (the modules here have the
names of its parameters). Then it is a worker with the commands of training_step_bench: parameters,
check, threads, go.
"""
import argparse
import ctypes
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PAD = 0


class Binarise(torch.autograd.Function):
    """[x > 1], with the paper's bell instead of the step's derivative."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 1).to(x.dtype)

    @staticmethod
    def backward(ctx, incoming):
        (x,) = ctx.saved_tensors
        return incoming * math.sqrt(2 / math.pi) * torch.exp(-2 * (x - 1) ** 2)


class Attention(nn.Module):
    form = "vanilla"

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out_proj = nn.Linear(dim, dim)

    def split(self, x):
        batch, length, dim = x.shape
        return x.view(batch, length, self.heads, dim // self.heads).transpose(1, 2)

    def scores(self, x, y):
        if self.form == "vanilla":
            return self.split(self.q_proj(x)) @ self.split(self.k_proj(y)).transpose(-2, -1)
        codes = Binarise.apply(x)
        q = self.split(self.q_proj(codes))
        k = self.split(self.k_proj(codes if y is x else Binarise.apply(y)))
        if self.form == "cdist":
            return -torch.cdist(q, k, p=1.0)
        return -(q.unsqueeze(-2) - k.unsqueeze(-3)).abs().sum(-1)

    def forward(self, x, y, hidden):
        v = self.split(self.v_proj(y))
        scores = self.scores(x, y) / math.sqrt(v.size(-1))
        weights = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, dim, heads, ffn, dropout):
        super().__init__()
        self.self_attn = Attention(dim, heads)
        self.self_attn_layer_norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, ffn)
        self.fc2 = nn.Linear(ffn, dim)
        self.ffn_layer_norm = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, hidden):
        normed = self.self_attn_layer_norm(x)
        x = x + self.dropout(self.self_attn(normed, normed, hidden))
        return x + self.dropout(self.fc2(F.relu(self.fc1(self.ffn_layer_norm(x)))))


class DecoderLayer(nn.Module):
    def __init__(self, dim, heads, ffn, dropout):
        super().__init__()
        self.self_attn = Attention(dim, heads)
        self.self_attn_layer_norm = nn.LayerNorm(dim)
        self.cross_attn = Attention(dim, heads)
        self.cross_attn_layer_norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, ffn)
        self.fc2 = nn.Linear(ffn, dim)
        self.ffn_layer_norm = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, hidden, memory_hidden):
        normed = self.self_attn_layer_norm(x)
        x = x + self.dropout(self.self_attn(normed, normed, hidden))
        x = x + self.dropout(self.cross_attn(self.cross_attn_layer_norm(x), memory, memory_hidden))
        return x + self.dropout(self.fc2(F.relu(self.fc1(self.ffn_layer_norm(x)))))


class Stack(nn.Module):
    """Layers and the norm after them."""

    def __init__(self, layers, dim):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.layer_norm = nn.LayerNorm(dim)

    def forward(self, x, *others):
        for layer in self.layers:
            x = layer(x, *others)
        return self.layer_norm(x)


class Transformer(nn.Module):
    def __init__(self, vocab, dim, heads, ffn, layers, dropout, max_length=256):
        super().__init__()
        self.shared = nn.Embedding(vocab, dim)
        self.encoder = Stack([EncoderLayer(dim, heads, ffn, dropout) for _ in range(layers)], dim)
        self.decoder = Stack([DecoderLayer(dim, heads, ffn, dropout) for _ in range(layers)], dim)
        self.dropout = nn.Dropout(dropout)
        self.scale = math.sqrt(dim)
        self.register_buffer("positions", sinusoids(max_length, dim), persistent=False)
        causal = torch.ones(max_length, max_length, dtype=torch.bool).triu(1)
        self.register_buffer("causal", causal, persistent=False)

    def embed(self, tokens):
        return self.dropout(self.shared(tokens) * self.scale + self.positions[: tokens.size(1)])

    def forward(self, source, target):
        source_hidden = (source == PAD)[:, None, None, :]
        target_hidden = (target == PAD)[:, None, None, :]
        length = target.size(1)
        memory = self.encoder(self.embed(source), source_hidden)
        states = self.decoder(self.embed(target), memory,
                              target_hidden | self.causal[:length, :length], source_hidden)
        return F.linear(states, self.shared.weight)


def sinusoids(length, dim):
    half = dim // 2
    rates = torch.exp(torch.arange(half, dtype=torch.double) * -(math.log(10000) / (half - 1)))
    angles = torch.arange(length, dtype=torch.double)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1).float()


def set_threads(torch_threads, blas_threads):
    """The second number is for the BLAS behind libtorch, if that is OpenBLAS."""
    torch.set_num_threads(int(torch_threads))
    try:
        # By the name that libtorch has it by: its symbols are not among the global ones.
        ctypes.CDLL("libblas.so.3").openblas_set_num_threads(int(blas_threads))
    except (AttributeError, OSError):
        return "refused"
    return "ok"


def serve(commands):
    """Answers each line of standard input, a command and its values, with a line."""
    for line in sys.stdin:
        name, *values = line.split()
        print(commands[name](*values), flush=True)


def read_weights(prefix):
    weights, start = {}, 0
    with open(prefix + ".f32", "rb") as file:
        numbers = torch.frombuffer(bytearray(file.read()), dtype=torch.float32)
    with open(prefix + ".tsv") as lines:
        for line in lines:
            name, sizes = line.rstrip("\n").split("\t")
            shape = [int(size) for size in sizes.split()]
            weights[name] = numbers[start:start + math.prod(shape)].view(shape)
            start += math.prod(shape)
    return weights


def read_batch(prefix):
    def padded(sentences):
        return nn.utils.rnn.pad_sequence(sentences, batch_first=True, padding_value=PAD)

    with open(prefix + ".batch") as lines:
        pairs = [[torch.tensor([int(word) for word in side.split()]) for side in line.split("\t")]
                 for line in lines]
    target = padded([pair[1] for pair in pairs])
    # The decoder is fed all but the last word of each sentence, and predicts all but the first.
    fed = padded([pair[1][:-1] for pair in pairs])
    return padded([pair[0] for pair in pairs]), fed, target[:, 1:].contiguous()


class Worker:
    def __init__(self, prefix, heads, dropout):
        weights = read_weights(prefix)
        vocab, dim = weights["shared.weight"].shape
        layers = sum(name.startswith("encoder.") and "fc1.weight" in name for name in weights)
        self.model = Transformer(vocab, dim, heads, weights["encoder.layers.0.fc1.weight"].size(0),
                                 layers, dropout)
        self.model.load_state_dict(weights)  # Strict: the same names and shapes on both sides.
        self.source, self.fed, self.wanted = read_batch(prefix)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98),
                                          eps=1e-9)

    def loss(self):
        logits = self.model(self.source, self.fed)
        return F.cross_entropy(logits.flatten(0, 1), self.wanted.flatten(), ignore_index=PAD,
                               label_smoothing=0.1)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss().backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def parameters(self):
        return sum(parameter.numel() for parameter in self.model.parameters())

    def check(self):
        self.model.eval()
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss()
        loss.backward()
        norm = torch.stack([p.grad.double().norm() for p in self.model.parameters()]).norm()
        return "%.9g %.9g" % (loss.item(), norm.item())

    def go(self, steps):
        self.model.train()
        start = time.perf_counter()
        for _ in range(int(steps)):
            self.step()
        return "%.9g" % ((time.perf_counter() - start) / int(steps))


def main():
    parser = argparse.ArgumentParser(description="Times a training update of plain PyTorch")
    parser.add_argument("prefix", help="what training_step_bench saved its weights and batch as")
    parser.add_argument("--heads", type=int, required=True)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--attention", choices=["vanilla", "cdist", "broadcast"],
                        default="vanilla")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    Attention.form = arguments.attention
    worker = Worker(arguments.prefix, arguments.heads, arguments.dropout)
    serve({"parameters": worker.parameters, "check": worker.check, "threads": set_threads,
           "go": worker.go})


if __name__ == "__main__":
    main()
