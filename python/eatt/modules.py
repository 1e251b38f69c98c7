"""Modules: E-ATT in place of torch.nn.MultiheadAttention."""

import math

import torch
from torch import nn
from torch.nn import functional

from eatt.operators import (_by_kernels, attention, binarise, l1_scores, selective_linear,
                            signed_codes)


class SelectiveLinear(nn.Linear):
    """A linear layer of binarised inputs: sums of the rows that [x > threshold] selects.

    threshold: a number; learn_threshold makes it a parameter, one per feature.
    levels: 0, or the largest signed code (see eatt.signed_codes).
    """

    def __init__(self, in_features, out_features, bias=True, threshold=1.0, surrogate_width=1.0,
                 learn_threshold=False, levels=0, device=None, dtype=None):
        super().__init__(in_features, out_features, bias, device, dtype)
        initial = torch.tensor(float(threshold), device=device, dtype=dtype)
        if learn_threshold:
            self.threshold = nn.Parameter(initial.repeat(in_features))
        else:
            self.register_buffer("threshold", initial, persistent=False)
        self.surrogate_width = surrogate_width
        self.levels, self.unit = levels, 2 * float(threshold)

    def forward(self, x):
        threshold = self.threshold.clamp_min(1e-3) if self.levels > 0 else self.threshold
        return selective_linear(x, self.weight, self.bias, threshold, self.surrogate_width,
                                self.levels, self.unit)


def _lengths(key_padding_mask):
    """Lengths [batch] if the mask (True: ignored) hides nothing but ends of sentences, else None."""
    visible = ~key_padding_mask
    lengths = visible.sum(-1)
    ends = torch.arange(visible.shape[-1], device=visible.device) < lengths.unsqueeze(-1)
    return lengths if torch.equal(visible, ends) else None


def _hidden(mask):
    """True where nothing may be seen: of a boolean mask, or of one of 0 and -inf; else None."""
    if mask.dtype == torch.bool:
        return mask
    hidden = torch.isneginf(mask)
    return hidden if bool(((mask == 0) | hidden).all()) else None


def _is_causal(mask):
    """Whether a mask [queries, keys] hides just the keys after each query."""
    if mask.dim() != 2 or mask.shape[0] != mask.shape[1] or mask.requires_grad:
        return False
    hidden = _hidden(mask)
    return hidden is not None and torch.equal(
        hidden, torch.ones_like(hidden, dtype=torch.bool).triu(1)
    )


def _checked(mask, name, *shapes):
    """The mask as booleans or numbers to add, or an error if its shape is none of these."""
    if mask is None:
        return None
    if tuple(mask.shape) not in shapes:
        expected = " or ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"{name} is {list(mask.shape)}, expected {expected}")
    return mask if mask.is_floating_point() else mask.bool()


class L1Attention(nn.Module):
    """Multi-head attention whose scores are minus the L1 distance of query and key.

    Built and called as torch.nn.MultiheadAttention, with its parameters' names, so that its state
    dicts load. Differences: no add_bias_kv, add_zero_attn, kdim or vdim; scores are divided by
    sqrt(head_dim), as there; attention weights that are returned carry no gradient; a query that
    sees no key gets 0, not NaN. Masks other than ends of sentences (key_padding_mask) and the usual
    causal one (attn_mask) work, by PyTorch's operators and with all pairs in memory.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False,
                 device=None, dtype=None):
        super().__init__()
        # PyTorch's encoder layers look here whether they may compute MultiheadAttention by
        # themselves, past this module.
        self._qkv_same_embed_dim = False
        if embed_dim % num_heads != 0:
            raise ValueError(f"embed_dim {embed_dim} is no multiple of num_heads {num_heads}")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        made = {"device": device, "dtype": dtype}
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim, **made))
        if bias:
            self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim, **made))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias, **made)
        nn.init.xavier_uniform_(self.in_proj_weight)
        if bias:
            nn.init.zeros_(self.out_proj.bias)

    @classmethod
    def like(cls, other, **options):
        """A module of this class in place of `other`, a MultiheadAttention or one of ours: of the
        same shape, with its weights."""
        if (other.in_proj_weight is None or getattr(other, "bias_k", None) is not None
                or getattr(other, "add_zero_attn", False)):
            raise ValueError("kdim, vdim, add_bias_kv and add_zero_attn are not supported")
        made = cls(other.embed_dim, other.num_heads, other.dropout, other.in_proj_bias is not None,
                   other.batch_first, device=other.in_proj_weight.device,
                   dtype=other.in_proj_weight.dtype, **options)
        made.load_state_dict(other.state_dict())
        return made.train(other.training)

    def project(self, x, weight, bias):
        """Queries and keys from what the layer receives."""
        return functional.linear(x, weight, bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        if is_causal and attn_mask is None:  # With a mask it is no more than a hint.
            raise ValueError("is_causal needs the attn_mask, as in PyTorch")
        batched = query.dim() == 3
        if not batched:
            query, key, value = (x.unsqueeze(0) for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        q = self.project(query, weights[0], biases[0])
        k = self.project(key, weights[1], biases[1])
        v = functional.linear(value, weights[2], biases[2])
        mixed, attended = self._attend(q, k, v, key_padding_mask, attn_mask, need_weights)
        out = self.out_proj(mixed)
        if attended is not None and average_attn_weights:
            attended = attended.mean(1)
        if not batched:
            return out.squeeze(0), None if attended is None else attended.squeeze(0)
        return out if self.batch_first else out.transpose(0, 1), attended

    def _attend(self, q, k, v, key_padding_mask, attn_mask, need_weights):
        batch, queries, keys = q.shape[0], q.shape[1], k.shape[1]
        key_padding_mask = _checked(key_padding_mask, "key_padding_mask", (batch, keys))
        attn_mask = _checked(attn_mask, "attn_mask", (queries, keys),
                             (batch * self.num_heads, queries, keys))
        dropout = self.dropout if self.training else 0.0
        scale = 1 / math.sqrt(self.head_dim)
        lengths = None
        if key_padding_mask is not None:
            hidden = _hidden(key_padding_mask)
            lengths = None if hidden is None else _lengths(hidden)
        simple = (key_padding_mask is None or lengths is not None) and (
            attn_mask is None or _is_causal(attn_mask)
        )
        if simple and _by_kernels(q, k, v):
            return attention(q, k, v, self.num_heads, "l1", scale, lengths, attn_mask is not None,
                             dropout, need_weights)
        split = lambda x: x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        scores = l1_scores(split(q), split(k)) * scale
        weights = _masked_softmax(scores, key_padding_mask, attn_mask)
        mixed = functional.dropout(weights, dropout, self.training) @ split(v)
        return mixed.transpose(1, 2).flatten(2), weights.detach() if need_weights else None


def _masked_softmax(scores, key_padding_mask, attn_mask):
    """Both masks boolean (True: hidden) or added; rows that see nothing become 0."""
    for mask in (key_padding_mask, attn_mask):
        if mask is None:
            continue
        if mask is key_padding_mask:
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:  # [batch * heads, queries, keys]
            mask = mask.reshape(scores.shape[0], -1, *mask.shape[1:])
        if mask.dtype == torch.bool:
            scores = scores.masked_fill(mask, -math.inf)
        else:
            scores = scores + mask
    nothing = torch.isneginf(scores).all(-1, keepdim=True)
    return torch.softmax(scores.masked_fill(nothing, 0.0), -1).masked_fill(nothing, 0.0)


class EAttention(L1Attention):
    """E-ATT: queries and keys are sums of the rows that [x > threshold] selects, scores are minus
    their L1 distance. The input should be normed, as in a pre-norm Transformer: the threshold, 1 by
    default, assumes a spread of about 1. levels: 0, or the largest signed code (see
    eatt.signed_codes; threshold=0.25, levels=6 is the preset `best` of eatt train). Else as
    L1Attention.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False,
                 threshold=1.0, surrogate_width=1.0, levels=0, device=None, dtype=None):
        super().__init__(embed_dim, num_heads, dropout, bias, batch_first, device, dtype)
        self.threshold = threshold
        self.surrogate_width = surrogate_width
        self.levels = levels

    @classmethod
    def like(cls, other, **options):
        for name in ("threshold", "surrogate_width", "levels"):
            if hasattr(other, name):
                options.setdefault(name, getattr(other, name))
        return super().like(other, **options)

    def project(self, x, weight, bias):
        return selective_linear(x, weight, bias, self.threshold, self.surrogate_width, self.levels)

    def density(self, x):
        """The rows that are added up for each feature of x: the share of ones of binary codes, the
        mean number of ones in the digits of signed codes."""
        with torch.no_grad():
            if self.levels > 0:
                size = signed_codes(x, self.threshold, self.levels, unit=1.0).abs().long()
                return float(sum((size >> k) & 1 for k in range(3)).float().mean())
            return float(binarise(x, self.threshold).mean())
