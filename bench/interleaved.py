"""What comparisons of two sides share: workers that answer a line with a line, the BLAS both sides
get, and figures as scripts/bench.sh wants them."""
import ctypes
import math
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


class Failure(Exception):
    """What is wrong, in one sentence."""


class Worker:
    def __init__(self, name, command, environment=None):
        """`environment` is added to ours."""
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1,
                                        env={**os.environ, **(environment or {})})

    def send(self, command):
        self.command = command
        try:
            self.process.stdin.write(command + "\n")
        except BrokenPipeError:
            pass  # answer() tells.

    def answer(self):
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise Failure(f"{self.name} ended at the command '{self.command}'; "
                          "its message is above")
        return answer

    def ask(self, command):
        self.send(command)
        return self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


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
        note(f"OpenBLAS takes this CPU for a {found}; it runs with OPENBLAS_CORETYPE="
             + os.environ["OPENBLAS_CORETYPE"])


def instructions_of_others():
    """Variables that keep oneDNN, libtorch, OpenBLAS and CTranslate2 to AVX2 where EATT_FORCE_ISA
    keeps us to it, so that both sides of a comparison have the same instructions."""
    if os.environ.get("EATT_FORCE_ISA") != "avx2":
        return {}
    return {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
            "OPENBLAS_CORETYPE": "Haswell", "CT2_FORCE_CPU_ISA": "AVX2"}


def has_module(name):
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0


def note(text):
    """What figures rest on."""
    print(text, file=sys.stderr, flush=True)


def print_figure(name, value, goal):
    """The goal is such as '>=1.5' or '<=90'; '-' where there is none."""
    if goal == "-":
        print(f"{name}\t{value:.3f}\t-\tinformation", flush=True)
        return
    bound = float(goal[2:])
    holds = value >= bound if goal.startswith(">=") else value <= bound
    print(f"{name}\t{value:.3f}\t{goal}\t{'holds' if holds else 'short'}", flush=True)


def print_skipped(name, goal, why):
    print(f"{name}\tskipped\t{goal}\t{why}", flush=True)


def print_ratios(name, ratios, goal):
    """The median of the rounds' ratios, and on stderr its interval."""
    ordered = sorted(ratios)
    value = statistics.median(ordered)
    print_figure(name, value, goal)
    low, high, share = median_interval(ordered)
    note(f"  ratio {value:.2f}, {share:.0%} interval of the median {low:.2f} to {high:.2f}, "
         f"{len(ordered)} rounds")


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
