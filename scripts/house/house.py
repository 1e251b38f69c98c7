"""What scripts/house.sh prints and checks; see there."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import arrows
import measures

ROOT = Path(__file__).resolve().parents[2]
LONGEST_FUNCTION = 60
MOST_PARAMETERS = 6
MOST_MECHANISM_FILES = 10  # Of src/, for all mechanisms together.

# Parts of documents that are made from src/layers.toml, between two marks.
MADE = {"picture": ("docs/architecture.md", arrows.picture),
        "folders": ("docs/architecture.md", arrows.table),
        "layers": ("CONTRIBUTING.md", arrows.numbered_list)}


def all_functions():
    """(lines, parameters, where, in a kernel) of every function."""
    for path in measures.sources(ROOT):
        kernel = measures.is_innermost_kernel(ROOT, path)
        for name, first, lines, parameters in measures.functions(path):
            yield lines, parameters, f"{path.relative_to(ROOT)}:{first} {name}", kernel


def print_figures(found):
    sources = measures.sources(ROOT)
    mechanism = measures.mechanism_files(ROOT)
    print(f"files in src\t{len(sources)}")
    print(f"median file, lines\t{measures.median_lines(ROOT):.0f}")
    longest = max(found)
    print(f"longest function, lines\t{longest[0]}\t{longest[2]}")
    most = max((f for f in found if not f[3]), key=lambda f: f[1])
    print(f"most parameters outside kernels\t{most[1]}\t{most[2]}")
    print(f"files of src that name a mechanism or its weights\t{len(mechanism)}")
    for path in mechanism:
        print(f"\t{path.relative_to(ROOT)}")
    layers = arrows.read_layers(ROOT)
    print(f"folders\t{len(layers)}")
    print(f"arrows between folders\t{sum(len(layer['links']) for layer in layers.values())}")
    for folder, count in measures.crowded_folders(ROOT):
        print(f"folder of more than 25 files\t{count}\t{folder}")


def marked(name):
    return f"<!-- {name}: made by scripts/house.sh --write-docs -->", f"<!-- end of {name} -->"


def document_with(name, text, made):
    """The document's text with the part between its marks made anew."""
    begin, end = marked(name)
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(text):
        sys.exit(f"house: no mark '{begin}' in the document")
    return pattern.sub(lambda _: f"{begin}\n{made}\n{end}", text)


def documents():
    """{file: text} of the documents with all parts made anew."""
    layers, texts = arrows.read_layers(ROOT), {}
    for name, (file, make) in MADE.items():
        text = texts.get(file) or (ROOT / file).read_text()
        texts[file] = document_with(name, text, make(layers))
    return texts


def problems(found):
    list_of = arrows.arrow_problems(ROOT)
    for lines, parameters, where, kernel in found:
        if lines > LONGEST_FUNCTION:
            list_of.append(f"{where}: {lines} lines; at most {LONGEST_FUNCTION}")
        if parameters > MOST_PARAMETERS and not kernel:
            list_of.append(f"{where}: {parameters} parameters; at most {MOST_PARAMETERS}")
    mechanism = measures.mechanism_files(ROOT)
    if len(mechanism) > MOST_MECHANISM_FILES:
        list_of.append(f"{len(mechanism)} files of src name a mechanism; at most "
                       f"{MOST_MECHANISM_FILES}: {', '.join(str(p.relative_to(ROOT)) for p in mechanism)}")
    for (namespace, name), paths in measures.types_defined_twice(ROOT).items():
        where = " and ".join(str(path.relative_to(ROOT)) for path in paths)
        list_of.append(f"{namespace}::{name} is defined in {where}; rename one")
    for file, text in documents().items():
        if text != (ROOT / file).read_text():
            list_of.append(f"{file} differs from src/layers.toml; run scripts/house.sh --write-docs")
    return list_of


def timed_build(title, options, targets):
    """Minutes to build from nothing, without the compiler cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CCACHE_DISABLE="1")
        configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL, env=environment)
        start = time.monotonic()
        subprocess.run(["cmake", "--build", folder, *targets], check=True,
                       stdout=subprocess.DEVNULL, env=environment)
        print(f"{title}, minutes\t{(time.monotonic() - start) / 60:.1f}", flush=True)


def measure_builds():
    release = "-DCMAKE_BUILD_TYPE=Release"
    timed_build("build of the demo", [release, "-DEATT_TESTS=OFF", "-DEATT_BENCH=OFF"],
                ["--target", "eatt", "eatt-train"])
    timed_build("build of everything, with tests and benchmarks", [release], [])
    timed_build("build of the tests under the sanitizers", ["--preset", "sanitize"], [])


def main():
    parser = argparse.ArgumentParser(prog="scripts/house.sh")
    parser.add_argument("--check", action="store_true", help="print what breaks a rule; exit 1 if anything does")
    parser.add_argument("--write-docs", action="store_true", help="make the picture and lists of the documents anew")
    parser.add_argument("--build", action="store_true", help="also measure builds from nothing, without ccache (half an hour)")
    options = parser.parse_args()
    if options.write_docs:
        for file, text in documents().items():
            (ROOT / file).write_text(text)
        return 0
    found = list(all_functions())
    if options.check:
        broken = problems(found)
        print("\n".join(broken) if broken else "house: all rules hold")
        return 1 if broken else 0
    print_figures(found)
    if options.build:
        measure_builds()
    return 0


if __name__ == "__main__":
    sys.exit(main())
