"""Times training updates of two sides in turn and prints figures as scripts/bench.sh wants them:
name, value, goal, holds|short, separated by tabs. What the figures rest on goes to stderr.

    interleave.py [--quick]

The sides are workers (training_step_bench, plain_transformer.py) on the same batch with the same
weights; before anything is timed, they must agree on parameters, loss and gradient. Each runs at its
own best setting of threads. A value is the median over rounds of the other side's time over ours.
"""
import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEP_BENCH = os.path.join(ROOT, "build/release/bench/training_step_bench")
PLAIN = os.path.join(ROOT, "bench/training/plain_transformer.py")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
GOAL = 1.0
MOST_ROUNDS = 51  # Of a comparison.

FULL_SIZES = [dict(dim=128, heads=4, ffn=512, layers=4, tokens=2000),
              dict(dim=256, heads=4, ffn=1024, layers=4, tokens=2000),
              dict(dim=512, heads=8, ffn=2048, layers=3, tokens=1000)]
QUICK_SIZES = [dict(FULL_SIZES[0], tokens=400), dict(FULL_SIZES[1], tokens=400)]


class Failure(Exception):
    """What is wrong, in one sentence."""


class Worker:
    def __init__(self, name, command):
        self.name = name
        self.threads = (1, 1)  # Of libtorch and of OpenBLAS.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise Failure(f"{self.name} ended at the command '{command}'; its message is above")
        return answer

    def seconds(self, steps):
        return float(self.ask(f"go {steps}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def our_worker(size, mechanism):
    options = [f"--{key}={value}" for key, value in size.items()]
    return Worker(f"eatt {mechanism}", [STEP_BENCH, "--mechanism", mechanism] + options)


def plain_worker(size, prefix):
    return Worker("plain PyTorch", [PYTHON, PLAIN, prefix, "--heads", str(size["heads"])])


def choose_blas_kernels():
    """OpenBLAS 0.3.21 does not know newer CPUs and falls back to kernels of 2004 (SSE3), several
    times slower. Both sides then get those of the newest instructions this CPU has."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return
    try:
        library = ctypes.CDLL("libopenblas.so.0")
        library.openblas_get_corename.restype = ctypes.c_char_p
        found = library.openblas_get_corename().decode()
        with open("/proc/cpuinfo") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
    except (OSError, AttributeError, StopIteration):
        return
    if found == "Prescott" and "avx2" in flags:
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if "avx512f" in flags else "Haswell"
        print(f"OpenBLAS takes this CPU for a {found}; both sides run with OPENBLAS_CORETYPE="
              + os.environ["OPENBLAS_CORETYPE"], file=sys.stderr)


def check_agreement(ours, plain):
    counts = int(ours.ask("parameters")), int(plain.ask("parameters"))
    if counts[0] != counts[1]:
        raise Failure(f"eatt has {counts[0]} parameters, plain PyTorch {counts[1]}: not one model")
    for what, mine, other in zip(("loss", "gradient norm"), ours.ask("check").split(),
                                 plain.ask("check").split()):
        mine, other = float(mine), float(other)
        if not abs(mine - other) <= 1e-4 * abs(other):
            raise Failure(f"{what} is {mine} by eatt, but {other} by plain PyTorch, "
                          "with the same weights and dropout off")
    return counts[0]


def choose_threads(worker):
    """The fastest of three settings, for libtorch and for OpenBLAS: all on one thread, products on
    all CPUs (Debian's default), everything on all CPUs. Leaves the worker at it."""
    count = os.cpu_count()
    trials = {}
    for setting in sorted({(1, 1), (1, count), (count, count)}):
        worker.ask("threads %d %d" % setting)
        first = worker.seconds(1)  # Warm-up; the rest is spared if it is hopeless.
        hopeless = trials and first > 3 * min(trials.values())
        trials[setting] = first if hopeless else min(worker.seconds(1) for _ in range(2))
    worker.threads = min(trials, key=trials.get)
    worker.ask("threads %d %d" % worker.threads)


def compare(name, ours, other, end):
    """Times the two in turn until `end`; prints the figure of other over ours."""
    times = {ours: [], other: []}
    while len(times[ours]) < 3 or (time.monotonic() < end and len(times[ours]) < MOST_ROUNDS):
        # Who goes first changes, so that neither gains from its place.
        for worker in (ours, other) if len(times[ours]) % 2 == 0 else (other, ours):
            times[worker].append(worker.seconds(1))
    ratios = sorted(b / a for a, b in zip(times[ours], times[other]))
    value = statistics.median(ratios)
    print(f"{name}\t{value:.2f}\t>={GOAL}\t{'holds' if value >= GOAL else 'short'}", flush=True)
    for worker in (ours, other):
        print("  %s: %.1f ms (median); threads: libtorch %d, OpenBLAS %d"
              % ((worker.name, 1000 * statistics.median(times[worker])) + worker.threads),
              file=sys.stderr)
    low, high = median_interval(ratios)
    print(f"  ratio {value:.2f}, 95 % interval of the median {low:.2f} to {high:.2f}, "
          f"{len(ratios)} rounds", file=sys.stderr)


def median_interval(ordered):
    """Between which two of the ordered values the median lies with 95 % confidence (binomial)."""
    count, below, rank = len(ordered), 0.5 ** len(ordered), 0
    term = below
    while rank < (count - 1) // 2 and below + term * (count - rank) / (rank + 1) <= 0.025:
        term *= (count - rank) / (rank + 1)
        below += term
        rank += 1
    return ordered[rank], ordered[-1 - rank]


def run(size, budget):
    """Both figures of a size, within about `budget` seconds."""
    dim, start = size["dim"], time.monotonic()
    with tempfile.TemporaryDirectory() as folder, our_worker(size, "vanilla") as vanilla:
        prefix = os.path.join(folder, "step")
        vanilla.ask(f"save {prefix}")
        with plain_worker(size, prefix) as plain:
            parameters = check_agreement(vanilla, plain)
            print(f"d {dim}: {parameters:,} parameters, {size['tokens']} target tokens; losses and "
                  "gradients agree", file=sys.stderr)
            choose_threads(vanilla)
            choose_threads(plain)
            compare(f"training step, vanilla over plain PyTorch, d {dim}", vanilla, plain,
                    start + 0.6 * budget)
        with our_worker(size, "eatt") as eatt:
            choose_threads(eatt)
            compare(f"training step, eatt over vanilla, d {dim}", eatt, vanilla, start + budget)


def main():
    parser = argparse.ArgumentParser(description="Times training updates of two sides in turn")
    parser.add_argument("--quick", action="store_true", help="400 tokens, d 128 and 256, 50 seconds")
    quick = parser.parse_args().quick
    choose_blas_kernels()
    for size, budget in zip(QUICK_SIZES, (17, 23)) if quick else zip(FULL_SIZES, (60, 90, 120)):
        run(size, budget)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"interleave.py: {failure}")
