"""What the scripts that write docs/results share."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EATT = ROOT / "build/release/bin/eatt"
BEAM = ["--beam-size", "4", "--length-penalty", "0.6"]


def parser(description, runs):
    """A parser with the options that all scripts have; `runs` is the default of --runs; False: no such option."""
    result = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data/multi30k-en-de")
    if runs is not False:
        result.add_argument("--runs", type=pathlib.Path, default=runs, required=runs is None)
    return result


def parse(arguments_parser, words=None):
    arguments = arguments_parser.parse_args(words)
    if not arguments.data.is_dir():
        sys.exit(f"{arguments.data}: no such folder; docs/data.md says where Multi30k comes from")
    return arguments


def run(*words, stdin=None):
    print("$", *words, file=sys.stderr)
    return subprocess.run([str(word) for word in words], check=True, text=True, stdin=stdin,
                          stdout=subprocess.PIPE).stdout


def train_words(arguments, run_folder, options, train=None, dev=None):
    """The words of `eatt train`, on Multi30k if no text is given."""
    data = arguments.data
    return ["train", "--recipe", "multi30k-en-de", *options,
            "--train-sets", *(train or [data / "train.en", data / "train.de"]),
            "--valid-sets", *(dev or [data / "val.en", data / "val.de"]),
            "--cpu-threads", arguments.cpu_threads, "--model", run_folder]


def shown(arguments, words):
    """The command of these words as the reader would type it."""
    text = " ".join(str(word) for word in ["eatt", *words])
    for path, name in ((arguments.data, "$DATA"), (arguments.runs, "$RUNS"), (f"{ROOT}/", "")):
        text = text.replace(str(path), name)
    return text


def bleu(bundle, source, reference, options, program=EATT):
    """BLEU of the translation of the file `source` by `bundle`."""
    with open(source) as text, tempfile.TemporaryDirectory() as folder:
        hypothesis = pathlib.Path(folder) / "hypothesis"
        hypothesis.write_text(run(program, "translate", bundle, *options, stdin=text))
        scores = run(program, "evaluate", "--json", "--reference", reference,
                     "--hypothesis", hypothesis)
    return json.loads(scores)["bleu"]["score"]


def events(folder):
    """What the log of a run has, an object per event."""
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def figure(value):
    """Four digits."""
    return f"{value:#.4g}" if value < 1000 else f"{value:,.0f}"


def model_of(report, kind="model"):
    """A model of the JSON report of `eatt energy model`."""
    return next(model for model in report["models"] if model["kind"] == kind)


def microjoules(part):
    return part["joules_per_sentence"] * 1e6


def exact(model, level, chip, kind="arithmetic"):
    return microjoules(model["levels"][level]["exact"]["chips"][chip][kind])


def paper(model, level, chip):
    return microjoules(model["levels"][level]["paper"]["chips"][chip])
