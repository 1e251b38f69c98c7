"""Puts E-ATT into a PyTorch model that exists already, and trains a few steps with it.

Run from the project's root after a build:
    PYTHONPATH=build/release/python python3 python/examples/swap_attention.py
"""

import torch
from torch import nn

import eatt

torch.manual_seed(1)
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True, norm_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(64, 10))

# The swap: every MultiheadAttention becomes an EAttention with the same weights.
for module in list(model.modules()):
    for name, child in module.named_children():
        if isinstance(child, nn.MultiheadAttention):
            setattr(module, name, eatt.EAttention.like(child))

x, labels = torch.randn(32, 20, 64), torch.randint(10, (32, 20))
optimiser = torch.optim.Adam(model.parameters(), 1e-3)
for step in range(30):
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), labels.flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 10 == 9:
        print(f"step {step + 1}: loss {loss.item():.3f}, {eatt.instruction_set()}")
