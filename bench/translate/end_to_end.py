"""Text in, text out: times `eatt translate` in turn with CTranslate2 and SentencePiece, and prints
figures as scripts/bench.sh wants them. What they rest on goes to stderr.

    end_to_end.py [--quick] [--only TEXT]

Models are random, the same on both sides, so their translations would end anywhere: every line is
forced to as many target pieces as a line has source pieces on average. Both sides read a file of
lines and write one; in float32 they must write the same translations before anything is timed. A
value is the median over rounds of our words of the source per second over
the other side's. Ours is a whole run of the program less one that translates a single line; the
other side is a process that has loaded its model. Each side uses the batch size that is best for
it.
"""
import argparse
import glob
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import interleaved
from interleaved import PYTHON, ROOT, Failure, Worker, note, print_ratios, print_skipped

import footprint

EATT = os.path.join(ROOT, "build/release/bin/eatt")
RANDOM_BUNDLE = os.path.join(ROOT, "build/release/bench/random_bundle")
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(ROOT, "../shared/data")
CPUS = os.cpu_count()
SHAPES = {
    "tiny": dict(model_dim=256, ffn_dim=1024, heads=4, layers=3, vocab=8000),
    "base": dict(model_dim=512, ffn_dim=2048, heads=8, layers=6, vocab=32000),
}
BATCHES = (8, 32, 64)
MOST_WORDS = 100  # Of a line.


class Case:
    def __init__(self, size, threads, shortlist, beam):
        self.size, self.threads, self.shortlist, self.beam = size, threads, shortlist, beam
        self.goal = ">=1.5" if beam == 1 else ">=1.8"
        self.name = "text to text, %s int8, %s, %s%s over CTranslate2" % (
            size, "1 thread" if threads == 1 else "all threads",
            "greedy" if beam == 1 else f"beam {beam}", ", shortlist" if shortlist else "")


def all_cases(quick):
    if quick:
        return [Case("tiny", 1, shortlist, 1) for shortlist in (False, True)]
    return [Case(*choice) for choice in itertools.product(
        SHAPES, sorted({1, CPUS}), (False, True), (1, 4))]


def read_text():
    """Lines to translate, and the files to learn pieces from: none if there are only made-up
    lines, whose words are those of random_bundle's pieces."""
    news = os.path.join(DATA, "newstest/newstest2014.en-de.en")
    if not os.path.exists(news):
        return footprint.made_up_lines(2000).splitlines(), []
    with open(news) as file:
        lines = [line for line in file.read().splitlines() if line.strip()]
    files = [file for folder in ("newstest", "multi30k-en-de", "iwslt15-en-vi")
             for file in sorted(glob.glob(f"{DATA}/{folder}/*.en") +
                                glob.glob(f"{DATA}/{folder}/*.de"))]
    return [line for line in lines if len(line.split()) <= MOST_WORDS], files


def run_eatt(*arguments, **options):
    return subprocess.run([EATT, "--quiet", *arguments], check=True, stdout=subprocess.PIPE,
                          text=True, **options).stdout


class Model:
    """A random model of a size with its pieces and shortlist, in float32 and int8."""

    def __init__(self, folder, size, lines, text_files):
        self.bundle = os.path.join(folder, size)
        self.shortlist, pieces = self.bundle + ".shortlist", self.bundle + ".spm"
        shape = SHAPES[size]
        options = [f"--{name.replace('_', '-')}={value}" for name, value in shape.items()]
        if text_files:
            run_eatt("corpus", "pieces", "train", "--input", *text_files, "--vocab-size",
                     str(shape["vocab"]), "--output", pieces)
            options.append(f"--pieces={pieces}")
        subprocess.run([RANDOM_BUNDLE, self.bundle, f"--shortlist={self.shortlist}", *options],
                       check=True)
        run_eatt("quantize", self.bundle, self.bundle + "-int8")
        self.pieces = os.path.join(self.bundle, "joint.spm")
        encoded = run_eatt("corpus", "pieces", "encode", self.pieces, input="\n".join(lines))
        self.length = round(len(encoded.split()) / len(lines))


def translate_command(model, case, precision="int8"):
    bundle = model.bundle + ("-int8" if precision == "int8" else "")
    command = ["translate", bundle, "--no-split", "--overwrite", f"--cpu-threads={case.threads}",
               f"--beam-size={case.beam}", "--mini-batch-words=1000000",
               f"--min-length={model.length}", f"--max-length={model.length}"]
    return command + ([f"--shortlist={model.shortlist}"] if case.shortlist else [])


def ctranslate2_worker(model, case, precision="int8"):
    command = [PYTHON, f"{HERE}/ctranslate2_text.py", model.bundle, model.pieces, precision,
               str(case.threads)] + ([model.shortlist] if case.shortlist else [])
    return Worker("CTranslate2", command, interleaved.instructions_of_others())


def check_agreement(model, size, lines, folder):
    """Greedy translations in float32 are the same, but for digits where two pieces are as good."""
    case, count = Case(size, 1, False, 1), 20
    source, ours, theirs = (os.path.join(folder, name) for name in ("lines.txt", "ours.txt",
                                                                    "theirs.txt"))
    write_lines(source, lines, count)
    run_eatt(*translate_command(model, case, "float32"), "-i", source, "-o", ours)
    with ctranslate2_worker(model, case, "float32") as worker:
        worker.ask(f"translate {source} {theirs} {model.length}")
    with open(ours) as left, open(theirs) as right:
        same = sum(a == b for a, b in zip(left, right))
    if same < 0.9 * count:
        raise Failure(f"{same} of {count} translations by the {size} model in float32 are those of "
                      "CTranslate2, with the same weights; 18 should be")
    note(f"  in float32 {same} of {count} translations are the same on both sides")


class Ours:
    name = "eatt"

    def __init__(self, model, case, folder):
        self.command = translate_command(model, case)
        self.output = os.path.join(folder, "ours.txt")
        one = os.path.join(folder, "one.txt")
        with open(one, "w") as file:
            file.write("one line\n")
        self.start = min(self.whole_run(one, 1) for _ in range(3))

    def whole_run(self, path, batch):
        start = time.perf_counter()
        run_eatt(*self.command, "-i", path, "-o", self.output, f"--mini-batch={batch}")
        return time.perf_counter() - start

    def seconds(self, path, batch):
        return self.whole_run(path, batch) - self.start


class CTranslate2:
    name = "CTranslate2"

    def __init__(self, model, case, folder):
        self.worker = ctranslate2_worker(model, case)
        self.beam, self.length = case.beam, model.length
        self.output = os.path.join(folder, "theirs.txt")

    def seconds(self, path, batch):
        return float(self.worker.ask(f"run {path} {self.output} {batch} {self.beam} {self.length}"))


def write_lines(path, lines, count):
    """So many of the lines, again from the first if there are not enough; their words."""
    chosen = [lines[i % len(lines)] for i in range(count)]
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in chosen)
    return sum(len(line.split()) for line in chosen)


def choose_batch(side, path):
    times = {batch: side.seconds(path, batch) for batch in BATCHES}
    best = min(times, key=times.get)
    note("  %s: %s" % (side.name, ", ".join(
        f"{time:.2f} s by batches of {batch}" for batch, time in times.items())))
    return best


def compare(case, model, lines, folder, rounds, seconds):
    path = os.path.join(folder, "lines.txt")
    ours, other = Ours(model, case, folder), CTranslate2(model, case, folder)
    with other.worker:
        least = 2 * case.threads * BATCHES[-1]  # Every thread has batches of every size.
        write_lines(path, lines, least)
        other.seconds(path, 32)  # Memory is fetched for the first time.
        time_of_least = other.seconds(path, 32)
        batches = {side: choose_batch(side, path) for side in (ours, other)}
        words = write_lines(path, lines, max(least, round(least * seconds / time_of_least)))
        rates = {ours: [], other: []}
        for number in range(rounds):
            # Who goes first changes, so that neither gains from its place.
            for side in (ours, other) if number % 2 == 0 else (other, ours):
                rates[side].append(words / side.seconds(path, batches[side]))
    print_ratios(case.name, [a / b for a, b in zip(rates[ours], rates[other])], case.goal)
    note("  words per second and core: %.0f by eatt in batches of %d, %.0f by CTranslate2 of %d"
         % tuple(itertools.chain(*((statistics.median(rates[side]) / case.threads, batches[side])
                                   for side in (ours, other)))))


def run(folder, cases, rounds, seconds):
    lines, text_files = read_text()
    models = {}
    for case in cases:
        if case.size not in models:
            model = models[case.size] = Model(folder, case.size, lines, text_files)
            note("%s: %s, %.1f words and %d pieces a line; as many target pieces are forced"
                 % (case.size, "newstest2014" if text_files else "made-up lines",
                    sum(len(line.split()) for line in lines) / len(lines), model.length))
            check_agreement(model, case.size, lines, folder)
        compare(case, models[case.size], lines, folder, rounds, seconds)


def main():
    parser = argparse.ArgumentParser(description="Times translation of text in turn with "
                                     "CTranslate2")
    parser.add_argument("--quick", action="store_true", help="small model, one thread, greedy")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only figures whose names contain it, such as 'base int8'")
    arguments = parser.parse_args()
    cases = [case for case in all_cases(arguments.quick) if arguments.only in case.name]
    for module, package in (("ctranslate2", "CTranslate2"),
                            ("sentencepiece", "SentencePiece (package python3-sentencepiece)"),
                            ("torch", "PyTorch (package python3-torch)")):
        if not interleaved.has_module(module):
            for case in cases:
                print_skipped(case.name, case.goal, f"no {package} for Python")
            return
    with tempfile.TemporaryDirectory() as folder:
        run(folder, cases, *((3, 1) if arguments.quick else (7, 3)))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"end_to_end.py: {failure}")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"end_to_end.py: {failure.cmd[0]} failed; its message is above")
