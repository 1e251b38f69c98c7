"""Times training updates of two sides in turn and prints figures as scripts/bench.sh wants them:
name, value, goal, holds|short, separated by tabs. What the figures rest on goes to stderr.

    interleave.py [--quick]

The sides are workers (training_step_bench, plain_transformer.py) on the same batch with the same
weights; before anything is timed, they must agree on parameters, loss and gradient. Ours runs as
the trainer does, plain PyTorch at its best setting of threads. A value is the median over rounds of
the other side's time over ours.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import interleaved
from interleaved import PYTHON, ROOT, Failure, note

STEP_BENCH = os.path.join(ROOT, "build/release/bench/training_step_bench")
PLAIN = os.path.join(ROOT, "bench/training/plain_transformer.py")
LEAST_ROUNDS, MOST_ROUNDS = 15, 51  # Of a comparison of ours with ours.
LEAST_ROUNDS_OVER_PLAIN = 7  # Where the two are far apart.
GOALS_OVER_PLAIN = {128: 2.2, 256: 2.2, 512: 1.6}  # Of vanilla, by width.
EATT_OVER_VANILLA = 1.1

FULL_SIZES = [dict(dim=128, heads=4, ffn=512, layers=4, tokens=2000),
              dict(dim=256, heads=4, ffn=1024, layers=4, tokens=2000),
              dict(dim=512, heads=8, ffn=2048, layers=3, tokens=1000)]
QUICK_SIZES = [dict(FULL_SIZES[0], tokens=400), dict(FULL_SIZES[1], tokens=400)]
# E-ATT against Python: form of the distances, tokens of the longest sentence, goal.
EATT_FORMS = [("cdist", 16, 1.5), ("cdist", 64, 2.0), ("broadcast", 64, 4.0)]


class Worker(interleaved.Worker):
    threads = (1, 1)  # Of libtorch and of OpenBLAS.

    def seconds(self, steps):
        return float(self.ask(f"go {steps}"))


def our_worker(size, mechanism):
    options = [f"--{key}={value}" for key, value in size.items()]
    return Worker(f"our {mechanism}", [STEP_BENCH, "--mechanism", mechanism] + options)


def plain_worker(size, prefix, form):
    return Worker(f"plain PyTorch, {form}", [PYTHON, PLAIN, prefix, "--heads", str(size["heads"]),
                                             "--attention", form])


def check_agreement(ours, plain, tolerance):
    counts = int(ours.ask("parameters")), int(plain.ask("parameters"))
    if counts[0] != counts[1]:
        raise Failure(f"eatt has {counts[0]} parameters, plain PyTorch {counts[1]}: not one model")
    for what, mine, other in zip(("loss", "gradient norm"), ours.ask("check").split(),
                                 plain.ask("check").split()):
        mine, other = float(mine), float(other)
        if not abs(mine - other) <= tolerance * abs(other):
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


def compare(name, goal, ours, other, end, least_rounds):
    """Times the two in turn until `end`, and often enough; prints other over ours."""
    times = {ours: [], other: []}
    while len(times[ours]) < least_rounds or (time.monotonic() < end and len(times[ours]) < MOST_ROUNDS):
        # Who goes first changes, so that neither gains from its place.
        for worker in (ours, other) if len(times[ours]) % 2 == 0 else (other, ours):
            times[worker].append(worker.seconds(1))
    interleaved.print_ratios(name, [b / a for a, b in zip(times[ours], times[other])], f">={goal}")
    for worker in (ours, other):
        note("  %s: %.1f ms (median); threads: %d, OpenBLAS %d"
             % ((worker.name, 1000 * statistics.median(times[worker])) + worker.threads))


def compare_with_plain(name, goal, size, ours, form, seconds):
    """Both start from the weights of `ours`, whatever updates it has had."""
    # A code near the threshold may fall to the other side by a last digit, and then moves a row.
    tolerance = 1e-4 if form == "vanilla" else 1e-3
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "step")
        ours.ask(f"save {prefix}")
        with plain_worker(size, prefix, form) as plain:
            parameters = check_agreement(ours, plain, tolerance)
            note(f"d {size['dim']}: {parameters:,} parameters, {size['tokens']} target tokens; "
                 "losses and gradients agree")
            choose_threads(plain, 0.25 * seconds)
            compare(name, goal, ours, plain, start + seconds, LEAST_ROUNDS_OVER_PLAIN)


def compare_or_skip(name, goal, size, ours, form, seconds, has_torch):
    if has_torch:
        compare_with_plain(name, goal, size, ours, form, seconds)
    else:
        interleaved.print_skipped(name, f">={goal}",
                                  "no PyTorch for Python (package python3-torch)")


def run_eatt_forms(size, seconds, has_torch):
    """E-ATT against what Python has for it, in about so many seconds."""
    for form, length, goal in EATT_FORMS:
        longer = dict(size, length=length)
        with our_worker(longer, "eatt") as eatt:
            use_all_cpus(eatt)
            compare_or_skip(f"training step, eatt over Python's {form}, d {size['dim']}, "
                            f"length {length}", goal, longer, eatt, form,
                            seconds / len(EATT_FORMS), has_torch)


def run(size, seconds, has_torch):
    """Both figures of a size, in about so many seconds."""
    start = time.monotonic()
    with our_worker(size, "vanilla") as vanilla:
        use_all_cpus(vanilla)
        compare_or_skip(f"training step, vanilla over plain PyTorch, d {size['dim']}",
                        GOALS_OVER_PLAIN[size["dim"]], size, vanilla, "vanilla", 0.5 * seconds,
                        has_torch)
        with our_worker(size, "eatt") as eatt:
            use_all_cpus(eatt)
            compare(f"training step, eatt over vanilla, d {size['dim']}", EATT_OVER_VANILLA, eatt,
                    vanilla, start + seconds, LEAST_ROUNDS)


def main():
    parser = argparse.ArgumentParser(description="Times training updates of two sides in turn")
    parser.add_argument("--quick", action="store_true", help="400 tokens, d 128 and 256 only")
    quick = parser.parse_args().quick
    interleaved.choose_blas_kernels()
    has_torch = interleaved.has_module("torch")
    sizes = QUICK_SIZES if quick else FULL_SIZES
    for size, seconds in zip(sizes, (8, 10) if quick else (90, 120, 150)):
        run(size, seconds, has_torch)
    run_eatt_forms(sizes[0], 8 if quick else 120, has_torch)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"interleave.py: {failure}")
