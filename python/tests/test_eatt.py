"""The package against PyTorch's own operators."""

import copy
import math
import pathlib
import subprocess
import sys

import pytest
import torch
from torch import nn

import eatt


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(7)


def reference_attention(q, k, v, heads, scale, hidden=None):
    split = lambda x: x.unflatten(-1, (heads, -1)).transpose(1, 2)
    scores = -(split(q).unsqueeze(-2) - split(k).unsqueeze(-3)).abs().sum(-1) * scale
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    weights = scores.softmax(-1)
    return (weights @ split(v)).transpose(1, 2).flatten(2), weights


def gradients(out, inputs):
    torch.manual_seed(3)
    return torch.autograd.grad((out * torch.randn(out.shape).to(out)).sum(), inputs)


def leaves(*shapes):
    return [torch.randn(shape, requires_grad=True) for shape in shapes]


def assert_close(actual, expected):
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)


def test_l1_scores_equal_minus_cdist_and_so_do_their_gradients():
    q, k = leaves((2, 3, 7, 20), (2, 3, 5, 20))
    expected = -torch.cdist(q, k, p=1.0)
    scores = eatt.l1_scores(q, k)
    assert_close(scores, expected)
    for ours, theirs in zip(gradients(scores, (q, k)), gradients(expected, (q, k))):
        assert_close(ours, theirs)


def test_equal_elements_have_no_gradient():
    q = torch.ones(1, 4, 8, requires_grad=True)
    eatt.l1_scores(q, torch.ones(1, 4, 8)).sum().backward()
    assert torch.equal(q.grad, torch.zeros_like(q))


@pytest.mark.parametrize("causal", [False, True])
def test_attention_equals_its_definition(causal):
    q, k, v = leaves((2, 9, 24), (2, 9, 24), (2, 9, 36))
    lengths = torch.tensor([9, 4])
    hidden = (torch.arange(9) >= lengths[:, None])[:, None, None, :]
    if causal:
        hidden = hidden | torch.ones(9, 9, dtype=torch.bool).triu(1)
    expected, weights = reference_attention(q, k, v, 3, 0.3, hidden)
    out, handed_out = eatt.attention(
        q, k, v, 3, scale=0.3, key_lengths=lengths, causal=causal, need_weights=True
    )
    assert_close(out, expected)
    assert_close(handed_out, weights)
    for ours, theirs in zip(gradients(out, (q, k, v)), gradients(expected, (q, k, v))):
        assert_close(ours, theirs)


def test_dot_scores_give_ordinary_attention():
    q, k, v = leaves((2, 5, 16), (2, 6, 16), (2, 6, 16))
    split = lambda x: x.unflatten(-1, (2, -1)).transpose(1, 2)
    expected = (split(q) @ split(k).transpose(-2, -1) * 0.5).softmax(-1) @ split(v)
    out, none = eatt.attention(q, k, v, 2, scores="dot", scale=0.5)
    assert none is None
    assert_close(out, expected.transpose(1, 2).flatten(2))


def test_selective_linear_equals_a_product_with_codes():
    x, weight, bias = leaves((3, 11, 70), (33, 70), (33,))
    threshold = torch.full((70,), 0.4, requires_grad=True)
    inputs = (x, weight, bias, threshold)
    out = eatt.selective_linear(x, weight, bias, threshold)
    double = [t.detach().double().requires_grad_() for t in inputs]
    expected = eatt.selective_linear(*double[:3], double[3])  # float64: PyTorch's operators
    assert_close(out.double(), expected)
    for ours, theirs in zip(gradients(out, inputs), gradients(expected, double)):
        assert_close(ours.double(), theirs)


def test_codes_pass_a_bell_of_gradient():
    x = torch.randn(4, 50, requires_grad=True)
    codes = eatt.binarise(x, 0.5)
    assert torch.equal(codes, (x > 0.5).float())
    codes.sum().backward()
    assert_close(x.grad, torch.exp(-2 * (x.detach() - 0.5) ** 2) * math.sqrt(2 / math.pi))


@pytest.mark.parametrize("levels", [1, 2, 3, 6])
def test_signed_codes_of_the_kernels_are_those_of_plain_operators(levels):
    x, weight, bias = leaves((3, 11, 70), (33, 70), (33,))
    threshold = torch.full((70,), 0.4, requires_grad=True)
    inputs = (x, weight, bias, threshold)
    out = eatt.selective_linear(x, weight, bias, threshold, levels=levels)
    double = [t.detach().double().requires_grad_() for t in inputs]
    expected = eatt.selective_linear(*double[:3], double[3], levels=levels)
    assert_close(out.double(), expected)
    for ours, theirs in zip(gradients(out, inputs), gradients(expected, double)):
        assert_close(ours.double(), theirs)


def test_signed_codes_are_rounded_inputs():
    x = torch.tensor([[0.0, 0.25, -0.3, 0.7, 0.8, -1.7, 9.0]])
    assert eatt.signed_codes(x).tolist() == [[0, 0, -0.5, 0.5, 1, -1.5, 3]]
    assert eatt.signed_codes(x, levels=1, unit=1.0).tolist() == [[0, 0, -1, 1, 1, -1, 1]]
    # Codes 0, 0, -1, 1, 2, -3, 6 have 0, 0, 1, 1, 1, 2, 2 ones.
    assert eatt.EAttention(8, 2, threshold=0.25, levels=6).density(x) == pytest.approx(1)


@pytest.mark.parametrize("batch_first", [False, True])
def test_modules_are_called_as_multihead_attention(batch_first):
    theirs = nn.MultiheadAttention(24, 3, batch_first=batch_first)
    x = torch.randn(5, 5, 24)
    mask = torch.zeros(5, 5, dtype=torch.bool)
    mask[:, 3:] = True
    for cls in (eatt.L1Attention, eatt.EAttention):
        ours = cls.like(theirs)
        assert torch.equal(ours.in_proj_weight, theirs.in_proj_weight)
        out, weights = ours(x, x, x, key_padding_mask=mask)
        expected_out, expected_weights = theirs(x, x, x, key_padding_mask=mask)
        assert out.shape == expected_out.shape
        assert weights.shape == expected_weights.shape
        assert torch.all(weights[..., 3:] == 0)
        assert ours(x, x, x, need_weights=False)[1] is None


def test_masks_that_the_kernels_do_not_know_give_the_same_by_pytorch():
    layer = eatt.L1Attention(24, 3, batch_first=True)
    x = torch.randn(2, 6, 24)
    causal = torch.ones(6, 6, dtype=torch.bool).triu(1)
    fused, fused_weights = layer(x, x, x, attn_mask=causal)
    # Three dimensions: not recognised as causal.
    generic, generic_weights = layer(x, x, x, attn_mask=causal.expand(6, 6, 6))
    assert_close(fused, generic)
    assert_close(fused_weights, generic_weights)
    added = torch.zeros(6, 6).masked_fill(causal, -math.inf)
    assert_close(layer(x, x, x, attn_mask=added)[0], fused)
    holes = torch.tensor([[False, True, False, False, False, False]]).expand(2, 6)
    assert torch.all(layer(x, x, x, key_padding_mask=holes)[1][..., 1] == 0)


def test_a_query_that_sees_nothing_gets_zero():
    layer = eatt.EAttention(16, 2, batch_first=True, bias=False)
    x = torch.randn(2, 4, 16, requires_grad=True)
    mask = torch.tensor([[True] * 4, [False] * 4])
    out, _ = layer(x, x, x, key_padding_mask=mask)
    assert torch.equal(out[0], torch.zeros(4, 16))
    out.sum().backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("cls", [eatt.L1Attention, eatt.EAttention])
def test_encoder_layers_of_pytorch_do_not_bypass_the_module_in_eval_mode(cls):
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True)
    layer.self_attn = cls.like(layer.self_attn)
    x = torch.randn(3, 5, 16)
    layer.eval()
    with torch.no_grad():
        fast = layer(x)
        normed = layer.norm1(x)
        attended = x + layer.self_attn(normed, normed, normed)[0]
        expected = attended + layer.linear2(torch.relu(layer.linear1(layer.norm2(attended))))
    assert_close(fast, expected)


def test_training_and_state_dict():
    layer = eatt.SelectiveLinear(12, 6, learn_threshold=True)
    again = eatt.SelectiveLinear(12, 6, learn_threshold=True)
    again.load_state_dict(layer.state_dict())
    x = torch.randn(20, 12)
    assert_close(layer(x), again(x))
    layer(x).pow(2).sum().backward()
    assert layer.threshold.grad is not None and layer.weight.grad.abs().sum() > 0


def test_dropout_is_drawn_from_pytorchs_generator_and_off_in_eval_mode():
    layer = eatt.L1Attention(16, 2, dropout=0.5, batch_first=True)
    x = torch.randn(2, 8, 16)
    torch.manual_seed(1)
    first = layer(x, x, x)[0]
    assert not torch.equal(first, layer(x, x, x)[0])
    torch.manual_seed(1)
    assert torch.equal(first, layer(x, x, x)[0])
    layer.eval()
    assert torch.equal(layer(x, x, x)[0], layer(x, x, x)[0])


def test_results_do_not_depend_on_the_number_of_threads():
    q, k, v = (torch.randn(8, 64, 64) for _ in range(3))
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one, _ = eatt.attention(q, k, v, 4)
        torch.set_num_threads(2)
        two, _ = eatt.attention(q, k, v, 4)
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(one, two)


def test_wrong_shapes_are_explained():
    with pytest.raises(RuntimeError, match="5 keys but 4 values"):
        eatt.attention(torch.randn(1, 3, 8), torch.randn(1, 5, 8), torch.randn(1, 4, 8), 2)
    with pytest.raises(RuntimeError, match="key_lengths must lie"):
        eatt.attention(*(torch.randn(1, 3, 8),) * 3, 2, key_lengths=torch.tensor([4]))
    with pytest.raises(ValueError, match="no multiple"):
        eatt.EAttention(10, 3)


def test_masks_of_a_wrong_shape_are_refused():
    layer = eatt.L1Attention(16, 2, batch_first=True)
    x = torch.randn(2, 10, 16)
    with pytest.raises(ValueError, match="attn_mask is"):
        layer(x, x, x, attn_mask=torch.ones(8, 8, dtype=torch.bool).triu(1))
    with pytest.raises(ValueError, match="key_padding_mask is"):
        layer(x, x, x, key_padding_mask=torch.zeros(2, 6, dtype=torch.bool))


def test_what_a_module_cannot_do_is_not_dropped_silently():
    with pytest.raises(ValueError, match="add_bias_kv"):
        eatt.L1Attention.like(nn.MultiheadAttention(16, 2, add_bias_kv=True))
    low = eatt.EAttention(16, 2, threshold=0.5)
    assert eatt.EAttention.like(low).threshold == 0.5


def test_odd_memory_and_empty_tensors_work():
    x, weight, bias = torch.randn(6, 12), torch.randn(5, 12), torch.randn(10)
    expected = torch.nn.functional.linear((x > 1).float(), weight, bias[::2])
    assert_close(eatt.selective_linear(x, weight, bias[::2]), expected)
    everything = torch.nn.functional.linear(torch.ones(6, 12), weight, bias[::2])
    assert_close(eatt.selective_linear(x, weight, bias[::2], threshold=-10.0), everything)
    empty = torch.zeros(3, 0, requires_grad=True)
    eatt.binarise(empty).sum().backward()
    assert empty.grad.shape == (3, 0)


@pytest.mark.parametrize("weight", [torch.randn(12, 5).t(), torch.randn(5, 24)[:, ::2],
                                    torch.randn(1, 12).expand(5, 12)])
def test_gradients_do_not_depend_on_the_layout_of_weights(weight):
    def gradients(weight):
        torch.manual_seed(1)
        x = torch.randn(40, 12, requires_grad=True)
        weight = weight.detach().requires_grad_()
        result = eatt.selective_linear(x, weight, torch.zeros(5))
        return torch.autograd.grad((result * torch.randn(40, 5)).sum(), [x, weight])
    for found, expected in zip(gradients(weight), gradients(weight.contiguous())):
        assert_close(found, expected)


def test_modules_can_be_copied():
    layer = eatt.EAttention(16, 2)
    x = torch.randn(4, 1, 16)
    assert_close(copy.deepcopy(layer)(x, x, x)[0], layer(x, x, x)[0])


def test_the_example_runs():
    example = pathlib.Path(__file__).parents[1] / "examples" / "swap_attention.py"
    result = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    assert "step 30: loss" in result.stdout
