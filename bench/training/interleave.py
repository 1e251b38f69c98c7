"""Times training updates of two sides in turn and prints figures as scripts/bench.sh wants them:
name, value, goal, holds|short, separated by tabs. What the figures rest on goes to stderr.

    interleave.py [--quick]

The sides are workers (training_step_bench, plain_transformer.py) on the same batch with the same
weights; before anything is timed, they must agree on parameters, loss and gradient. Ours runs as
the trainer does, plain PyTorch at its best setting of threads. A value is the median over rounds of the other side's time over
ours.
"""
import argparse
import ctypes
import math
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
    return Worker(f"our {mechanism}", [STEP_BENCH, "--mechanism", mechanism] + options)


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


def use_all_cpus(worker):
    """What the trainer does by default: a worker for each CPU shares an update."""
    worker.threads = (os.cpu_count(), 1)
    worker.ask("threads %d %d" % worker.threads)
    worker.seconds(1)  # Memory is fetched for the first time.


def choose_threads(worker, seconds):
    """The fastest of three settings, for libtorch and for OpenBLAS: all on one thread, products on
    all CPUs (Debian's default), everything on all CPUs. Leaves the worker at it. After so many
    seconds nothing more is tried."""
    count, end = os.cpu_count(), time.monotonic() + seconds
    trials = {}

    def try_out(setting):
        worker.ask("threads %d %d" % setting)
        return worker.seconds(1)

    for setting in sorted({(1, 1), (1, count), (count, count)}):
        if trials and time.monotonic() > end:
            break
        first = try_out(setting)  # Warm-up, but enough to see that a setting is far off.
        far_off = trials and first > 2 * min(trials.values())
        trials[setting] = first if far_off else try_out(setting)
    for setting in trials:  # In turn once more: another program may have slowed one of them down.
        if time.monotonic() < end and trials[setting] < 2 * min(trials.values()):
            trials[setting] = min(trials[setting], try_out(setting))
    worker.threads = min(trials, key=trials.get)
    worker.ask("threads %d %d" % worker.threads)


def compare(name, ours, other, end):
    """Times the two in turn until `end`, three times at least; prints other over ours."""
    times = {ours: [], other: []}
    while len(times[ours]) < 3 or (time.monotonic() < end and len(times[ours]) < MOST_ROUNDS):
        # Who goes first changes, so that neither gains from its place.
        for worker in (ours, other) if len(times[ours]) % 2 == 0 else (other, ours):
            times[worker].append(worker.seconds(1))
    ratios = sorted(b / a for a, b in zip(times[ours], times[other]))
    value = statistics.median(ratios)
    print(f"{name}\t{value:.3f}\t>={GOAL}\t{'holds' if value >= GOAL else 'short'}", flush=True)
    for worker in (ours, other):
        print("  %s: %.1f ms (median); threads: %d, OpenBLAS %d"
              % ((worker.name, 1000 * statistics.median(times[worker])) + worker.threads),
              file=sys.stderr)
    low, high, share = median_interval(ratios)
    print(f"  ratio {value:.2f}, {share:.0%} interval of the median {low:.2f} to {high:.2f}, "
          f"{len(ratios)} rounds", file=sys.stderr)


def median_interval(ordered):
    """Between which two of the ordered values the median lies, and how surely: with at least 95 %
    if there are six or more. (How many values lie below the median is binomial.)"""
    count = len(ordered)
    beyond, rank = 0.5 ** count, 0  # Chance of at most `rank` values below the median.
    while True:
        more = beyond + math.comb(count, rank + 1) * 0.5 ** count
        if more > 0.025 or rank + 1 > (count - 1) // 2:
            return ordered[rank], ordered[-1 - rank], 1 - 2 * beyond
        beyond, rank = more, rank + 1


def compare_with_plain(name, size, vanilla, seconds):
    """Both start from the weights of `vanilla`, whatever updates it has had."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "step")
        vanilla.ask(f"save {prefix}")
        with plain_worker(size, prefix) as plain:
            parameters = check_agreement(vanilla, plain)
            print(f"d {size['dim']}: {parameters:,} parameters, {size['tokens']} target tokens; "
                  "losses and gradients agree", file=sys.stderr)
            choose_threads(plain, 0.25 * seconds)
            compare(name, vanilla, plain, start + seconds)


def run(size, seconds, has_torch):
    """Both figures of a size, in about so many seconds."""
    start = time.monotonic()
    with our_worker(size, "vanilla") as vanilla:
        use_all_cpus(vanilla)
        name = f"training step, vanilla over plain PyTorch, d {size['dim']}"
        if has_torch:
            compare_with_plain(name, size, vanilla, 0.5 * seconds)
        else:
            print(f"{name}\tskipped\t>={GOAL}\tno PyTorch for Python (package python3-torch)")
        with our_worker(size, "eatt") as eatt:
            use_all_cpus(eatt)
            compare(f"training step, eatt over vanilla, d {size['dim']}", eatt, vanilla,
                    start + seconds)


def main():
    parser = argparse.ArgumentParser(description="Times training updates of two sides in turn")
    parser.add_argument("--quick", action="store_true", help="400 tokens, d 128 and 256 only")
    quick = parser.parse_args().quick
    choose_blas_kernels()
    has_torch = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0
    for size, seconds in zip(QUICK_SIZES, (15, 20)) if quick else zip(FULL_SIZES, (90, 120, 150)):
        run(size, seconds, has_torch)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"interleave.py: {failure}")
