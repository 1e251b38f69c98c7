"""Memory, start and size of `eatt translate`, as figures for scripts/bench.sh."""
import os
import random
import re
import subprocess
import time

from interleaved import note, print_figure

MB = 1e6
# What every Linux program has, and so is not counted: libc with its parts, and libstdc++.
SYSTEM_LIBRARIES = re.compile(r"/(libc|libm|libpthread|libdl|librt|libresolv|libstdc\+\+"
                              r"|ld-linux[^/]*)\.so")


def made_up_lines(count):
    """Words of random letters, some 24 pieces a line."""
    numbers = random.Random(1)

    def word():
        return "".join(chr(97 + min(numbers.randrange(26), numbers.randrange(26)))
                       for _ in range(numbers.randint(4, 10)))

    return "".join(" ".join(word() for _ in range(8)) + "\n" for _ in range(count))


def translate_command(eatt, bundle, *options):
    """24 target pieces of each line are forced."""
    return [eatt, "translate", bundle, "--quiet", "--min-length=24", "--max-length=24", *options]


def peak_bytes(peak_memory, command, lines):
    """The most memory that the command had resident, from its start on."""
    result = subprocess.run([peak_memory, *command], input=lines, text=True, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return 1024 * int(result.stdout)


def print_memory(bundle, peak_memory, eatt):
    alone = peak_bytes(peak_memory,
                       translate_command(eatt, bundle, "--cpu-threads=1", "--mini-batch=1"),
                       made_up_lines(8))
    print_figure("peak memory, base int8, batch 1, MB", alone / MB, "<=90")
    busy = peak_bytes(peak_memory, translate_command(eatt, bundle, "--cpu-threads=2",
                                                     "--mini-batch=32", "--beam-size=4"),
                      made_up_lines(128))
    print_figure("peak memory, base int8, batch 32, beam 4, 2 threads, MB", busy / MB, "<=300")


def print_start(bundle, eatt, times):
    """The fastest of some starts, as another program may slow one down."""
    fastest = min(start_seconds(bundle, eatt) for _ in range(times))
    print_figure("start and translation of one line, small model, ms", 1000 * fastest, "<=60")


def start_seconds(bundle, eatt):
    start = time.perf_counter()
    subprocess.run(translate_command(eatt, bundle, "--no-hash"), input=made_up_lines(1), text=True,
                   check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def print_size(eatt, folder):
    stripped = os.path.join(folder, "eatt-stripped")
    subprocess.run(["strip", "-o", stripped, eatt], check=True)
    listing = subprocess.run(["ldd", eatt], check=True, stdout=subprocess.PIPE, text=True).stdout
    sizes = {"eatt": os.path.getsize(stripped)}
    for path in re.findall(r"(/\S+) \(0x", listing):
        if not SYSTEM_LIBRARIES.search(path):
            sizes[os.path.basename(path)] = os.path.getsize(os.path.realpath(path))
    print_figure("stripped eatt with its libraries, MB", sum(sizes.values()) / MB, "<=20")
    note("  " + ", ".join(f"{name} {size / MB:.1f}" for name, size in sizes.items()))
