"""Times translations of random models in turn with PyTorch's and prints figures as scripts/bench.sh
wants them: name, value, goal, holds|short, separated by tabs. What the figures rest on goes to
stderr.

    compare.py [--quick] [--only TEXT]

Both sides have the same weights and must choose the same pieces in float32 before anything is
timed. Sentences have 24 source pieces and are forced to 24 target pieces. Ours has a batch in
flight on each CPU; PyTorch runs at its best setting of threads and processes. A value is the median
over rounds of our target pieces per second over the other side's. With EATT_FORCE_ISA=avx2 the
other sides are kept to AVX2, too.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import interleaved
from interleaved import PYTHON, ROOT, Failure, Worker, note, print_ratios, print_skipped

import footprint

BENCH = os.path.join(ROOT, "build/release/bench")
EATT = os.path.join(ROOT, "build/release/bin/eatt")
HERE = os.path.dirname(os.path.abspath(__file__))
CPUS = os.cpu_count()
PIECES = 24
BASE = dict(model_dim=512, ffn_dim=2048, heads=8, layers=6, vocab=32000)
SMALL = dict(model_dim=256, ffn_dim=1024, heads=4, layers=3, vocab=8000)

# Figure, model, beam, goal; by batch.
OVER_PYTORCH = {
    1: [("int8, batch 1, greedy over PyTorch fp32", "int8", 1, ">=11"),
        ("int8, batch 1, greedy, shortlist over PyTorch fp32", "shortlist", 1, ">=20")],
    32: [("int8, batch 32, greedy over PyTorch fp32", "int8", 1, ">=8.5"),
         ("int8, batch 32, beam 4 over PyTorch fp32 greedy", "int8", 4, ">=3.5"),
         ("fp32, batch 32, greedy over PyTorch fp32", "fp32", 1, ">=2.6")],
}
# The same models by CTranslate2, if it is installed: figure, batch, model, precision, beam, goal.
OVER_CTRANSLATE2 = [
    ("int8, batch 1, greedy over CTranslate2 int8", 1, "int8", "int8", 1, ">=2.5"),
    ("int8, batch 32, greedy over CTranslate2 int8", 32, "int8", "int8", 1, ">=1.5"),
    ("int8, batch 32, beam 4 over CTranslate2 int8", 32, "int8", "int8", 4, ">=1.8"),
    ("fp32, batch 32, greedy over CTranslate2 fp32", 32, "fp32", "float32", 1, ">=1.3"),
]
# Figure, model, goal.
EATT_OVER_VANILLA = [("eatt over vanilla, int8, batch %d", "eatt", ">=1.05"),
                     ("eatt with 6 code levels over vanilla, int8, batch %d", "best", "-")]
PARTS_OVER_VANILLA = "eatt over vanilla, query/key projection and scores alone, int8, batch %d"


def rate(answer):
    """Of 'pieces seconds': pieces per second."""
    pieces, seconds = answer.split()
    return int(pieces) / float(seconds)


class Engine(Worker):
    """Our side, with models by name."""

    def __init__(self):
        super().__init__("translate_bench", [f"{BENCH}/translate_bench", "--threads", str(CPUS)])

    def rate(self, model, batch, beam, batches=1):
        """With so many batches on each CPU."""
        return rate(self.ask(f"run {model} {batch} {beam} {batches * batch * CPUS}"))

    def parts(self, model, batch, batches):
        answer = self.ask(f"parts {model} {batch} 1 {batches * batch * CPUS}")
        return {name: float(seconds) for name, seconds in
                (part.split("=") for part in answer.split())}


class PlainSide:
    """PyTorch: a process on each CPU, or one with all of them."""

    def __init__(self, bundle):
        command = [PYTHON, f"{HERE}/plain_decoder.py", bundle]
        self.workers = [Worker(f"PyTorch {i + 1}", command, interleaved.instructions_of_others())
                        for i in range(CPUS)]
        self.in_use = self.workers

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.__exit__()

    def use(self, setting):
        """Processes, threads of libtorch and of OpenBLAS in each."""
        processes, torch_threads, blas_threads = setting
        self.in_use = self.workers[:processes]
        for worker in self.in_use:
            worker.ask(f"threads {torch_threads} {blas_threads}")

    def rate(self, batch):
        """A batch for each process, all at once."""
        for worker in self.in_use:
            worker.send(f"run {batch} {batch}")
        answers = [worker.answer().split() for worker in self.in_use]
        return sum(int(pieces) for pieces, _ in answers) / max(float(s) for _, s in answers)

    def choose_setting(self, batch, trials):
        settings = sorted({(CPUS, 1, 1), (1, 1, CPUS), (1, CPUS, CPUS)})
        rates = {setting: [] for setting in settings}
        for _ in range(trials):
            for setting in settings:
                self.use(setting)
                rates[setting].append(self.rate(batch))
        best = max(settings, key=lambda setting: max(rates[setting]))
        self.use(best)
        note("PyTorch, batch %d: %d processes, threads: %d, OpenBLAS %d (%.0f pieces/s)"
             % ((batch,) + best + (max(rates[best]),)))


def make_bundle(path, shape, attention, *options):
    """A float32 bundle at `path` and an int8 one beside it."""
    sizes = [f"--{name.replace('_', '-')}={value}" for name, value in shape.items()]
    subprocess.run([f"{BENCH}/random_bundle", path, f"--attention={attention}", *sizes, *options],
                   check=True)
    subprocess.run([EATT, "--quiet", "quantize", path, path + "-int8"], check=True,
                   stdout=subprocess.DEVNULL)


def check_agreement(engine, plain):
    """Greedy translations in float32 are the same."""
    numbers = random.Random(1)
    for _ in range(4):
        source = [numbers.randrange(4, BASE["vocab"]) for _ in range(PIECES)]
        pieces = " ".join(map(str, source))
        ours, other = engine.ask(f"translate fp32 {pieces}"), plain.ask(f"translate {pieces}")
        if ours != other:
            raise Failure(f"the pieces {pieces} become {ours} by eatt, but {other} by PyTorch, "
                          "with the same weights")


def weight_bytes_per_piece(shape):
    """What a target piece of one sentence reads of an int8 model: the decoder with its output
    layer; encoder and cross-attention's keys and values once for all pieces."""
    d, ffn, layers = shape["model_dim"], shape["ffn_dim"], shape["layers"]
    each_piece = layers * (6 * d * d + 2 * d * ffn) + shape["vocab"] * d
    once = layers * (6 * d * d + 2 * d * ffn)
    return each_piece + once / PIECES


def compare_with_pytorch(engine, plain, batch, cases, shape, rounds):
    plain.rate(batch)  # Memory is fetched for the first time.
    plain.choose_setting(batch, trials=1 if rounds < 7 else 2)
    batches = 4 if batch == 1 else 1
    for _, model, beam, _ in cases:
        engine.rate(model, batch, beam)  # Likewise.
    rates, plain_rates = {case: [] for case in cases}, []
    for number in range(rounds):
        if number % 2 == 0:  # Who goes first changes, so that neither gains from its place.
            plain_rates.append(plain.rate(batch))
        for case in cases:
            rates[case].append(engine.rate(case[1], batch, case[2], batches))
        if number % 2 == 1:
            plain_rates.append(plain.rate(batch))
    for case in cases:
        name, model, _, goal = case
        print_ratios(name, [ours / other for ours, other in zip(rates[case], plain_rates)], goal)
        ours = statistics.median(rates[case])
        note(f"  {ours:.0f} pieces/s, PyTorch {statistics.median(plain_rates):.0f}")
        if batch == 1 and model == "int8":
            note(f"  {ours * weight_bytes_per_piece(shape) / 1e9:.1f} GB/s of weights")


def in_turn(sides, seconds, least, most, measure):
    """Values of measure(side) of both sides in turn, `least` pairs at least."""
    end, pairs = time.monotonic() + seconds, []
    while len(pairs) < least or (time.monotonic() < end and len(pairs) < most):
        # Who goes first changes, so that neither gains from its place.
        order = sides if len(pairs) % 2 == 0 else sides[::-1]
        values = {side: measure(side) for side in order}
        pairs.append(tuple(values[side] for side in sides))
    return pairs


def print_rates(name, pairs, goal):
    print_ratios(name, [a / b for a, b in pairs], goal)
    note("  %.0f and %.0f pieces/s" % tuple(map(statistics.median, zip(*pairs))))


def compare_with_vanilla(engine, case, batch, seconds):
    name, model, goal = case
    batches = 4 if batch == 1 else 1
    pairs = in_turn((model, "int8"), seconds, 15, 61,
                    lambda side: engine.rate(side, batch, 1, batches))
    print_rates(name % batch, pairs, goal)


def compare_parts(engine, batch, goal, least, seconds):
    """Queries, keys and scores alone, by the clock of each part; and a profile of all parts."""
    batches = 4 if batch == 1 else 1
    pairs = in_turn(("eatt", "int8"), seconds, least, 41,
                    lambda model: engine.parts(model, batch, batches))

    def alone(parts):
        # The encoder's scores and values are one kernel: its whole time counts on both sides.
        return parts["query/key"] + parts["scores"] + parts["fused-attention"]

    print_ratios(PARTS_OVER_VANILLA % batch,
                 [alone(vanilla) / alone(eatt) for eatt, vanilla in pairs], goal)
    note("  per cent of the time of vanilla, batch %d: part, vanilla, eatt" % batch)
    whole = statistics.median(sum(vanilla.values()) for _, vanilla in pairs)
    for part in pairs[0][0]:
        shares = [100 * statistics.median(side[part] for side in sides) / whole
                  for sides in reversed(list(zip(*pairs)))]
        note("    %-13s %5.1f %5.1f" % (part, *shares))


def compare_with_ctranslate2(engine, other, case, rounds):
    name, batch, model, _, beam, goal = case
    batches = 4 if batch == 1 else 1
    load = f"run {batch} {beam} {batches * batch * CPUS}"
    measures = {"eatt": lambda: engine.rate(model, batch, beam, batches),
                "CTranslate2": lambda: rate(other.ask(load))}
    for measure in measures.values():
        measure()  # Memory is fetched for the first time.
    print_rates(name, in_turn(tuple(measures), 0, rounds, rounds, lambda side: measures[side]()),
                goal)


def compare_all_with_pytorch(engine, bundle, shape, wanted, quick):
    rounds = {1: 3 if quick else 11, 32: 2 if quick else 7}
    cases = {batch: [case for case in OVER_PYTORCH[batch] if wanted(case[0])] for batch in rounds}
    if not any(cases.values()):
        return
    if not interleaved.has_module("torch"):
        for name, *_, goal in cases[1] + cases[32]:
            print_skipped(name, goal, "no PyTorch for Python (package python3-torch)")
        return
    with PlainSide(bundle) as plain:
        check_agreement(engine, plain.workers[0])
        for batch in rounds:
            if cases[batch]:
                compare_with_pytorch(engine, plain, batch, cases[batch], shape, rounds[batch])


def compare_all_with_ctranslate2(engine, bundle, wanted, rounds):
    for precision in ("int8", "float32"):
        cases = [case for case in OVER_CTRANSLATE2 if case[3] == precision and wanted(case[0])]
        try:
            if cases and not interleaved.has_module("ctranslate2"):
                raise Failure("no CTranslate2 for Python")
            command = [PYTHON, f"{HERE}/ctranslate2_decoder.py", bundle, precision, str(CPUS)]
            if cases:
                with Worker("CTranslate2", command, interleaved.instructions_of_others()) as other:
                    while cases:
                        compare_with_ctranslate2(engine, other, cases[0], rounds)
                        cases.pop(0)
        except Failure as failure:  # Its interface changes from version to version.
            for name, *_, goal in cases:
                print_skipped(name, goal, str(failure))


def compare_speed(folder, shape, wanted, quick):
    vanilla, eatt, best, shortlist = (os.path.join(folder, name)
                                      for name in ("vanilla", "eatt", "best", "shortlist"))
    make_bundle(vanilla, shape, "vanilla", "--shortlist", shortlist)
    make_bundle(eatt, shape, "eatt")
    make_bundle(best, shape, "eatt", "--code-levels=6", "--threshold=0.25")
    with Engine() as engine:
        engine.ask(f"load fp32 {vanilla}")
        engine.ask(f"load int8 {vanilla}-int8")
        engine.ask(f"load shortlist {vanilla}-int8 {shortlist}")
        engine.ask(f"load eatt {eatt}-int8")
        engine.ask(f"load best {best}-int8")
        note("%d layers a side, %d pieces; the shortlist leaves %s columns; eatt's density is %s"
             % (shape["layers"], shape["vocab"], engine.ask("columns shortlist"),
                engine.ask("density eatt")))
        compare_all_with_pytorch(engine, vanilla, shape, wanted, quick)
        compare_all_with_ctranslate2(engine, vanilla, wanted, 3 if quick else 11)
        for batch, seconds in ((1, 30), (32, 40)):
            for case in EATT_OVER_VANILLA:
                if wanted(case[0] % batch):
                    compare_with_vanilla(engine, case, batch, 1 if quick else seconds)
        for batch, goal in ((1, ">=1.6"), (32, ">=1.5")):
            if wanted(PARTS_OVER_VANILLA % batch):
                compare_parts(engine, batch, goal, *((5, 1) if quick else (15, 15)))


def print_footprint(folder, wanted, quick):
    if wanted("peak memory"):
        make_bundle(f"{folder}/base", BASE, "vanilla")
        footprint.print_memory(f"{folder}/base-int8", f"{BENCH}/peak_memory", EATT)
    if wanted("start and translation of one line"):
        make_bundle(f"{folder}/small", SMALL, "eatt")
        footprint.print_start(f"{folder}/small-int8", EATT, 5 if quick else 20)
    if wanted("stripped eatt with its libraries"):
        footprint.print_size(EATT, folder)


def main():
    parser = argparse.ArgumentParser(description="Times translations in turn with PyTorch's")
    parser.add_argument("--quick", action="store_true", help="two layers a side, few rounds")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only figures whose names contain it, such as 'CTranslate2'")
    arguments = parser.parse_args()
    interleaved.choose_blas_kernels()

    def wanted(figure):
        return arguments.only in figure

    shape = dict(BASE, layers=2) if arguments.quick else BASE
    with tempfile.TemporaryDirectory() as folder:
        compare_speed(folder, shape, wanted, arguments.quick)
        print_footprint(folder, wanted, arguments.quick)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"compare.py: {failure}")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"compare.py: {failure.cmd[0]} failed; its message is above")
