"""Attention on additions for PyTorch: E-ATT's selected rows and L1 scores, on the CPU.

Operators, with gradients: `eatt.attention`, `eatt.l1_scores`, `eatt.binarise`,
`eatt.signed_codes`, `eatt.selective_linear` (see `eatt.operators`). Modules: `eatt.EAttention` and `eatt.L1Attention`,
to be called as `torch.nn.MultiheadAttention`, and `eatt.SelectiveLinear`.
"""

from eatt.operators import (attention, binarise, instruction_set, l1_scores, selective_linear,
                            signed_codes)
from eatt.modules import EAttention, L1Attention, SelectiveLinear

__all__ = [
    "EAttention",
    "L1Attention",
    "SelectiveLinear",
    "attention",
    "binarise",
    "instruction_set",
    "l1_scores",
    "selective_linear",
    "signed_codes",
]
