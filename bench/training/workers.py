"""Times two workers that train one model against two independent trainings at the same time.

    workers.py [--quick]

Rates come from the progress lines of log.jsonl; the first line of a training is left out.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from interleaved import ROOT, Failure, note

EATT = os.path.join(ROOT, "build/release/bin/eatt")
GOAL = 1.15
SHAPE = ("--model-dim 256 --heads 4 --ffn-dim 1024 --enc-depth 4 --dec-depth 4 "
         "--mini-batch-words 2000 --disp-freq 10u --save-freq 0u").split()


def train(folder, name, updates, more=()):
    words = [EATT, "--quiet", "train", "--prepared", os.path.join(folder, "data"), "--model",
             os.path.join(folder, name), "--cpu-threads", "1", "--after", f"{updates}u"]
    return subprocess.Popen(words + SHAPE + list(more))


def progress(folder, name):
    with open(os.path.join(folder, name, "log.jsonl"), encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    return [event for event in events if event["event"] == "progress"][1:]


def rate(folder, name):
    return statistics.median(event["words_per_second"] for event in progress(folder, name))


def finish(processes):
    if any([process.wait() for process in processes]):
        raise Failure("a training failed; its message is above")


def compare(folder, number, updates):
    """Time per piece and worker, together over apart; and the times of the reduction."""
    apart = [f"apart-{number}-{i}" for i in range(2)]
    finish([train(folder, name, updates) for name in apart])
    together = f"together-{number}"
    finish([train(folder, together, updates, ["--workers", "2"])])
    each_apart = statistics.mean(rate(folder, name) for name in apart)
    each_together = rate(folder, together) / 2
    note(f"round {number}: {each_apart:.0f} pieces/s for each of two apart, "
         f"{each_together:.0f} for each of two workers")
    return each_apart / each_together, [event["reduction"] for event in progress(folder, together)]


def figure(name, value, goal):
    print(f"{name}\t{value:.3f}\t<={goal}\t{'holds' if value <= goal else 'short'}", flush=True)


def measure(folder, quick):
    pairs = "4000" if quick else "20000"
    corpus = os.path.join(folder, "corpus")
    subprocess.run([EATT, "--quiet", "corpus", "generate", "--pair", "zh-en", "--train", pairs,
                    "--dev", "10", "--test", "10", "--output", corpus], check=True)
    subprocess.run([EATT, "--quiet", "corpus", "prepare", "--train-sets", corpus + "/train.zh",
                    corpus + "/train.en", "--vocab-size", "2000", "--output",
                    os.path.join(folder, "data")], check=True, stdout=subprocess.DEVNULL)
    rounds = [compare(folder, i, 30 if quick else 100) for i in range(1 if quick else 3)]
    times = [one for _, reductions in rounds for one in reductions]
    figure("two workers, time per piece over two trainings apart",
           statistics.median(ratio for ratio, _ in rounds), GOAL)
    figure("two workers, first gradients sent, share of forward and backward",
           statistics.median(one["first_started"] / one["backward_ended"] for one in times), 0.9)
    figure("two workers, share of gradients whose sum had not arrived when backward ended",
           statistics.median(1 - one["bytes_in_backward"] / one["bytes"] for one in times), 0.5)
    waits = [one["finished"] - one["backward_ended"] for one in times]
    note(f"waiting for gradients after backward: {statistics.median(waits) * 1000:.1f} ms an update")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        measure(folder, quick)


if __name__ == "__main__":
    try:
        main()
    except Failure as problem:
        sys.exit(f"workers.py: {problem}")
