"""Arithmetic of docs/trace-format.md on plain lists, for check_trace.py."""
import math
import struct
from array import array
from itertools import chain
from operator import mul


def singles(values):
    """Rounded to single precision. Of +, −, ×, ÷ and √ in doubles this gives what singles give."""
    return array("f", values)


def halves(values):
    """Rounded to 16 bits."""
    def half(x):
        try:
            return struct.unpack("e", struct.pack("e", x))[0]
        except OverflowError:
            return math.copysign(math.inf, x)
    return [half(x) for x in values]


def bits(values):
    """Of single precision: 0 and −0 differ."""
    return memoryview(singles(values)).cast("B").cast("I")


def dot(a, b):
    return sum(map(mul, a, b))


def distance(a, b):
    return sum(abs(x - y) for x, y in zip(a, b))


def rounded(row):
    """Integers of eight bits and their scale."""
    largest = max(map(abs, row))
    before = 2.0 ** 64 if largest < 2.0 ** -64 else 1.0
    factor = singles([127 / (largest * before)])[0] if largest else 0.0
    return [round(x) for x in singles(x * before * factor for x in row)], largest / 127


def position(p, width):
    step = math.log(10000) / max(1, width // 2 - 1)
    angles = [p * math.exp(-step * i) for i in range(width // 2)]
    return singles(chain(map(math.sin, angles), map(math.cos, angles)))


def norm(row, gain, bias, epsilon):
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    inverse = 1 / math.sqrt(variance + epsilon)
    return [(x - mean) * inverse * g + b for x, g, b in zip(row, gain, bias)]


def softmax(scores):
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]
