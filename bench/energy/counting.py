"""Times translations with and without counting, in turn, and prints figures as scripts/bench.sh
wants them.

    counting.py [--quick]

A value is the median over rounds of the time with counting over that without; every other round
begins with the other side. What counting costs when it is off, looks at a null pointer, is too
little to be seen in such a ratio: it is shown as the looks of a translation times what one takes,
over the time of the translation.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from interleaved import ROOT, Failure, Worker, print_figure, print_ratios

BENCH = os.path.join(ROOT, "build/release/bench")
EATT = os.path.join(ROOT, "build/release/bin/eatt")
BASE = dict(model_dim=512, ffn_dim=2048, heads=8, layers=6, vocab=32000)
SMALL = dict(model_dim=128, ffn_dim=256, heads=4, layers=4, vocab=6000)
GOAL = "<=1.05"
GOAL_OFF = "<=1"  # Less than such ratios can tell.

# Name, shape, precision, batch, beam, sentences; the whole suite and --quick.
SUITE = [
    ("base, int8, batch 1", BASE, "int8", 1, 1, 8),
    ("base, int8, batch 32", BASE, "int8", 32, 1, 128),
    ("base, float32, batch 32", BASE, "float32", 32, 1, 64),
    ("base, int8, batch 8, beam 4", BASE, "int8", 8, 4, 32),
    ("small, int8, batch 1", SMALL, "int8", 1, 1, 400),
    ("small, int8, batch 32", SMALL, "int8", 32, 1, 1600),
    ("small, float32, batch 1", SMALL, "float32", 1, 1, 400),
]
QUICK = [
    ("small, int8, batch 1", SMALL, "int8", 1, 1, 60),
    ("small, int8, batch 32", SMALL, "int8", 32, 1, 256),
    ("small, float32, batch 1", SMALL, "float32", 1, 1, 60),
    ("small, int8, batch 8, beam 4", SMALL, "int8", 8, 4, 48),
]


def make_bundles(folder, shapes):
    """An int8 and a float32 folder for each shape, by its width."""
    for shape in shapes:
        path = os.path.join(folder, str(shape["model_dim"]))
        sizes = [f"--{name.replace('_', '-')}={value}" for name, value in shape.items()]
        subprocess.run([f"{BENCH}/random_bundle", path, "--attention=eatt", *sizes], check=True)
        subprocess.run([EATT, "--quiet", "quantize", path, path + "-int8"], check=True,
                       stdout=subprocess.DEVNULL)


def seconds(answer):
    return float(answer.split()[1])


def measure(worker, name, load, rounds):
    def timed(command):
        return seconds(worker.ask(f"{command} {load}"))

    timed("run")
    timed("count")
    ratios, off = [], []
    for number in range(rounds):
        first, second = ("run", "count") if number % 2 == 0 else ("count", "run")
        times = {first: timed(first)}
        times[second] = timed(second)
        ratios.append(times["count"] / times["run"])
        off.append(times["run"])
    print_ratios(f"{name}, counting over not counting", ratios, GOAL)
    looks = int(worker.ask(f"looks {load}")) * float(worker.ask("look"))
    print_figure(f"{name}, % of the time when off, at most", 100 * looks / min(off), GOAL_OFF)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    suite, rounds = (QUICK, 21) if quick else (SUITE, 41)
    with tempfile.TemporaryDirectory() as folder:
        make_bundles(folder, [SMALL] if quick else [SMALL, BASE])
        with Worker("translate_bench", [f"{BENCH}/translate_bench"]) as worker:
            for name, shape, precision, batch, beam, sentences in suite:
                model = str(shape["model_dim"]) + ("-int8" if precision == "int8" else "")
                worker.ask(f"load {model} {os.path.join(folder, model)}")
                measure(worker, name, f"{model} {batch} {beam} {sentences}", rounds)


try:
    main()
except (Failure, subprocess.CalledProcessError) as failure:
    print(f"bench/energy/counting.py: {failure}", file=sys.stderr)
    sys.exit(1)
