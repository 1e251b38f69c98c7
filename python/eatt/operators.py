"""The operators as functions. Tensors of float32 on the CPU are computed by eatt's kernels; others
(another device, float64) by PyTorch's operators, slower and with the same results."""

import math
import os
import pathlib

import torch


def _load():
    given = os.environ.get("EATT_TORCH_LIBRARY")
    library = pathlib.Path(given) if given else pathlib.Path(__file__).with_name("libeatt_torch.so")
    if not library.exists():
        raise ImportError(
            f"{library} is missing; build it by `cmake --workflow --preset release` and use the "
            "package in build/release/python, or name the library in EATT_TORCH_LIBRARY"
        )
    torch.ops.load_library(str(library))


_load()


def _by_kernels(*tensors):
    return all(x.device.type == "cpu" and x.dtype == torch.float32 for x in tensors)


def instruction_set():
    """The CPU instructions in use: avx512-vnni or avx2, for example; see `eatt selftest`."""
    return torch.ops.eatt.instruction_set()


def l1_scores(query, key):
    """-|q - k| summed over features, for all pairs: [..., queries, n], [..., keys, n] ->
    [..., queries, keys]. The derivative is 0 where q = k."""
    if _by_kernels(query, key):
        return torch.ops.eatt.l1_scores(query, key)
    if query.dtype in (torch.float16, torch.bfloat16):  # cdist has no such thing on the CPU.
        return torch.cdist(query.float(), key.float(), p=1.0).neg().to(query.dtype)
    return torch.cdist(query.contiguous(), key.contiguous(), p=1.0).neg()


class _Binarise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, threshold, width):
        ctx.save_for_backward(x, threshold)
        ctx.width = width
        return (x > threshold).to(x.dtype)

    @staticmethod
    def backward(ctx, incoming):
        x, threshold = ctx.saved_tensors
        bell = torch.exp(-2 * ((x - threshold) / ctx.width) ** 2) * math.sqrt(2 / math.pi) / ctx.width
        dx = incoming * bell
        d_threshold = -dx.sum_to_size(threshold.shape) if ctx.needs_input_grad[1] else None
        return dx, d_threshold, None


def _tensor_like(threshold, x):
    return torch.as_tensor(threshold, dtype=x.dtype, device=x.device)


def binarise(x, threshold=1.0, surrogate_width=1.0):
    """1 where x > threshold, else 0; the gradient passes as if the step were a bell around the
    threshold. threshold: one number, or a tensor with one per feature (it gets a gradient)."""
    threshold = _tensor_like(threshold, x)
    if _by_kernels(x, threshold) and x.dim() > 1:
        return torch.ops.eatt.binarise(x, threshold, surrogate_width)
    return _Binarise.apply(x, threshold, surrogate_width)


class _SignedCodes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, threshold, levels, unit, width):
        ctx.save_for_backward(x, threshold)
        ctx.levels, ctx.unit, ctx.width = levels, unit, width
        size = x.abs()
        return x.sign() * unit * sum(size > threshold * (2 * n - 1) for n in range(1, levels + 1))

    @staticmethod
    def backward(ctx, incoming):
        x, threshold = ctx.saved_tensors

        def bell(u):
            return torch.exp(-2 * (u / ctx.width) ** 2) * math.sqrt(2 / math.pi) / ctx.width

        by_x, by_threshold = 0, 0
        for factor in range(1, 2 * ctx.levels, 2):
            above, below = bell(x - threshold * factor), bell(x + threshold * factor)
            by_x = by_x + ctx.unit * (above + below)
            by_threshold = by_threshold + ctx.unit * factor * (below - above)
        d_threshold = None
        if ctx.needs_input_grad[1]:
            d_threshold = (incoming * by_threshold).sum_to_size(threshold.shape)
        return incoming * by_x, d_threshold, None, None, None


def signed_codes(x, threshold=0.25, levels=6, surrogate_width=1.0, unit=None):
    """x rounded to an integer times `unit`: 0 where |x| <= threshold, then one more for each
    2 * threshold, at most `levels`, with the sign of x. One level: ternary codes. The gradient
    passes as if each step were a bell. threshold: above 0, one number or one per feature (it gets a
    gradient). unit: what 1 is worth; by default 2 * threshold, or its mean."""
    threshold = _tensor_like(threshold, x)
    if unit is None:
        unit = 2 * float(threshold.detach().mean())
    if _by_kernels(x, threshold) and x.dim() > 1:
        return torch.ops.eatt.signed_codes(x, threshold, levels, unit, surrogate_width)
    return _SignedCodes.apply(x, threshold, levels, unit, surrogate_width)


def selective_linear(x, weight, bias=None, threshold=1.0, surrogate_width=1.0, levels=0, unit=None):
    """linear(codes of x, weight, bias), by adding up selected rows instead of multiplying. levels 0:
    the codes are binarise(x); else signed_codes(x) of so many levels."""
    threshold = _tensor_like(threshold, x)
    if levels > 0:
        codes = signed_codes(x, threshold, levels, surrogate_width, unit)
        return torch.nn.functional.linear(codes, weight, bias)
    if _by_kernels(x, weight, threshold) and x.dim() > 1:
        if bias is None:
            bias = weight.new_zeros(weight.shape[0])
        return torch.ops.eatt.selective_linear(x, threshold, weight, bias, surrogate_width)
    return torch.nn.functional.linear(binarise(x, threshold, surrogate_width), weight, bias)


def attention(
    query,
    key,
    value,
    heads,
    scores="l1",
    scale=1.0,
    key_lengths=None,
    causal=False,
    dropout=0.0,
    need_weights=False,
):
    """softmax(scale * scores(query, key)) @ value for all heads, without a matrix of all pairs in
    memory.

    query [batch, queries, heads * n], key [batch, keys, heads * n], value [batch, keys, heads * m]
    -> [batch, queries, heads * m] and, with need_weights, [batch, heads, queries, keys] (else None).
    scores: "l1" (minus the distance) or "dot". key_lengths [batch]: how many keys a sentence has.
    causal: query i sees keys 0 ... i. Weights handed out have no gradient. float32 on the CPU only.
    """
    seed = int(torch.randint(2**62, (1,))) if dropout > 0 else 0
    out, weights = torch.ops.eatt.attention(
        query, key, value, heads, scores, scale, key_lengths, causal, dropout, seed, need_weights
    )
    return out, weights if need_weights else None
