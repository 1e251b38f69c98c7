"""Loads eatt-serve with wrk and compares it with `eatt translate`: see load.sh."""

import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

BUILD, QUICK = sys.argv[1], "--quick" in sys.argv
HERE = os.path.dirname(os.path.abspath(__file__))
SENTENCES = 400 if QUICK else 2000
SECONDS = 3 if QUICK else 10
ROUNDS = 1 if QUICK else 5
REQUESTS = 2000 if QUICK else 50000
PARTS = [part for part in ("speed", "memory") if part in sys.argv] or ["speed", "memory"]
TICKS = os.sysconf("SC_CLK_TCK")


def program(name):
    return os.path.join(BUILD, "bin", name)


def make_sentences(path):
    numbers = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    with open(path, "w") as file:
        for _ in range(SENTENCES):
            words = ["".join(numbers.choices(letters, k=numbers.randint(2, 7)))
                     for _ in range(numbers.randint(5, 20))]
            file.write(" ".join(words) + " .\n")


def translate_seconds(model, sentences, batch):
    """CPU seconds of one `eatt translate`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sentences) as file:
        subprocess.run([program("eatt"), "-q", "translate", model, "--mini-batch", str(batch)],
                       stdin=file, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Server:
    def __init__(self, model):
        self.process = subprocess.Popen(
            [program("eatt-serve"), model, "--port", "0", "--cache", "0"],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if match := re.search(r"http://[0-9.:]+", line):
                self.address = match[0]
                break
        # The access log goes on; nobody reads it, so that a full pipe must not stop the server.
        subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def load(self, sentences, clients, seconds):
        before = self.cpu_seconds()
        result = subprocess.run(
            ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s",
             "-s", os.path.join(HERE, "load.lua"), self.address],
            env={**os.environ, "SENTENCES": sentences}, capture_output=True, text=True, check=True)
        answer = json.loads(result.stdout.strip().splitlines()[-1])
        if answer["failed"]:
            sys.exit(f"load.py: {answer['failed']} requests failed")
        answer["per_cpu_second"] = answer["requests"] / (self.cpu_seconds() - before)
        print(f"{clients} clients: {answer['requests'] / answer['seconds']:.0f} sentences/s, "
              f"p50 {answer['p50_ms']} ms, p99 {answer['p99_ms']} ms", file=sys.stderr)
        return answer


def figure(name, value, goal):
    holds = value >= float(goal[2:]) if goal[0] == ">" else value <= float(goal[2:])
    print(f"{name}\t{value:.3f}\t{goal}\t{'holds' if holds else 'short'}", flush=True)


def speed(model, sentences):
    start = statistics.median(translate_seconds(model, os.devnull, 32) for _ in range(3))

    def rate(batch):
        return SENTENCES / (translate_seconds(model, sentences, batch) - start)
    rates = {batch: rate(batch) for batch in (4, 8, 16, 32, 64)}
    best = max(rates, key=rates.get)
    print("eatt translate, sentences per CPU second by batch: " +
          ", ".join(f"{batch}: {found:.0f}" for batch, found in rates.items()), file=sys.stderr)
    served, gains = [], []
    for _ in range(ROUNDS):  # In turn, so that a slower machine is slower for both.
        with Server(model) as server:  # A new one each time, because processes differ by some percent.
            alone, one_by_one = server.load(sentences, 1, SECONDS)["per_cpu_second"], rate(1)
            loaded, batched = server.load(sentences, 64, SECONDS)["per_cpu_second"], rate(best)
        served.append(loaded / batched)
        gains.append((loaded / alone) / (batched / one_by_one))
    figure("served sentences per CPU second over eatt translate", statistics.median(served), ">=0.9")
    figure("gain of batching over that of eatt translate", statistics.median(gains), ">=0.9")
    print("rounds: " + ", ".join(f"{value:.3f}" for value in served), file=sys.stderr)


def memory(model, sentences):
    with Server(model) as server:
        server.load(sentences, 64, SECONDS)
        before, sent = server.resident(), 0
        while sent < REQUESTS:
            sent += server.load(sentences, 64, SECONDS)["requests"]
        after = server.resident()
    print(f"memory: {before} kB, then {after} kB", file=sys.stderr)
    figure("growth of memory over many requests", after / before, "<=1.05")


def main():
    with tempfile.TemporaryDirectory() as folder:
        sentences, model = folder + "/sentences", folder + "/model.int8"
        make_sentences(sentences)
        subprocess.run([os.path.join(BUILD, "bench/random_bundle"), folder + "/model", "--model-dim", "256",
                        "--ffn-dim", "1024", "--heads", "4", "--layers", "3", "--vocab", "8000",
                        "--attention", "eatt"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program("eatt"), "-q", "quantize", folder + "/model", model], check=True,
                       stdout=subprocess.DEVNULL)
        if "speed" in PARTS:
            speed(model, sentences)
        if "memory" in PARTS:
            memory(model, sentences)


if __name__ == "__main__":
    main()
