#!/usr/bin/env python3
"""Measures the word alignments of trained models against gold links, layer by layer, and writes
docs/results/alignment.md.

  scripts/results/alignment.py --multi30k vanilla=RUN eatt=RUN best=RUN best-distilled=RUN \\
      [--zh-en vanilla=RUN eatt=RUN …] [--builtin eatt=RUN best=RUN --corpus demo-output/corpus] \\
      [--gold ../shared/data/alignments]

Each RUN is a run folder of `eatt train`: English-German on Multi30k, Chinese-English on 3AM, or
Chinese-English on the built-in corpus. A minute on two cores.
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

import common
from common import EATT, ROOT, run

RESULT = ROOT / "docs/results/alignment.md"
NAMES = {"vanilla": "vanilla", "eatt": "E-ATT, as in the paper", "best": "E-ATT, `--preset best`",
         "best-distilled": "the same, distilled"}


def named_runs(words):
    runs = {}
    for word in words or []:
        name, separator, folder = word.partition("=")
        if not separator or name not in NAMES:
            sys.exit(f"{word}: expected NAME=RUN, NAME one of {', '.join(NAMES)}")
        if not (pathlib.Path(folder) / "best/config.json").is_file():
            sys.exit(f"{folder}: holds no model best; expected the folder of a finished training")
        runs[name] = pathlib.Path(folder)
    return runs


def updates(folder):
    """How long the model was trained, and the update of its best checkpoint."""
    events = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    best = [event["update"] for event in events if event.get("best")]
    last = [event["update"] for event in events if event["event"] == "finished"]
    if not last:
        sys.exit(f"{folder}: this training has not finished")
    return last[-1], best[-1]


def reversed_links(file):
    """Links with source and target swapped: 1p2 becomes 2p1."""
    return re.sub(r"(\d+)([-p?])(\d+)", r"\3\2\1", file.read_text())


def layers(folder, source, target, gold, base):
    report = run(EATT, "--quiet", "inspect", folder / "best", "--sets", source, target, "--gold",
                 gold, "--gold-base", base, "--features", "0", "--json")
    return json.loads(report)["alignment_error"]


def best_head(layer):
    best = layer["best_head"]
    step = "predicting" if best["shift"] == 0 else "reading"
    return f"{best['aer']:.3f} (head {best['head']}, {step})"


# What is measured in each layer.
MEASURES = {"predicting": lambda layer: f"{layer['predicting']['aer']:.3f}",
            "reading": lambda layer: f"{layer['reading']['aer']:.3f}",
            "best head": best_head}


def table(found):
    """found: {name: layers}; the models stand side by side."""
    names = [name for name in NAMES if name in found]
    depth = max(len(layers) for layers in found.values())
    rows = []
    for i in range(depth):
        for measure, text in MEASURES.items():
            cells = [text(found[name][i]) if i < len(found[name]) else "–" for name in names]
            rows.append([str(i + 1), measure, *cells])
    return common.table(["layer", "attention", *(NAMES[name] for name in names)], rows).rstrip("\n") + "\n"


def lowest(errors):
    return min(layer[step]["aer"] for layer in errors for step in ("predicting", "reading"))


def summary(found):
    parts = [f"{NAMES[name]} {lowest(errors):.3f}" for name, errors in found.items()]
    return "Lowest error of a layer (mean of heads): " + ", ".join(parts) + ".\n"


def trained(runs):
    lines = []
    for name, folder in runs.items():
        last, best = updates(folder)
        lines.append(f"- {NAMES[name]}: {last:,} updates, the model of update {best:,}")
    for name in NAMES:
        if name not in runs:
            lines.append(f"- {NAMES[name]}: no finished training was at hand")
    return "\n".join(lines) + "\n"


def rwth(runs, gold):
    with tempfile.TemporaryDirectory() as folder:
        links = pathlib.Path(folder) / "links"
        links.write_text(reversed_links(gold / "rwth-de-en.talp"))
        return {name: layers(path, gold / "rwth-de-en.tgt", gold / "rwth-de-en.src", links, "1")
                for name, path in runs.items()}


def tsinghua(runs, gold):
    return {name: layers(path, gold / "tsinghua-zh-en.src", gold / "tsinghua-zh-en.tgt",
                         gold / "tsinghua-zh-en.talp", "1")
            for name, path in runs.items()}


def builtin(runs, corpus):
    return {name: layers(path, corpus / "test.zh", corpus / "test.en", corpus / "test.align", "0")
            for name, path in runs.items()}


def command(arguments):
    """The command with the last two folders of each path: the rest differs between machines."""
    words = ["scripts/results/alignment.py"]
    for option, runs in (("--multi30k", arguments.multi30k), ("--zh-en", arguments.zh_en),
                         ("--builtin", arguments.builtin)):
        if runs:
            words += [option, *(f"{name}={folder.parent.name}/{folder.name}" for name, folder in runs.items())]
    return " ".join(words)


def text_of(arguments):
    text = """# Alignment error of attention
<!-- made by scripts/results/alignment.py -->
The paper shows with one picture that E-ATT aligns words as vanilla attention does. Here it is
measured: the alignment error rate (AER, lower is better) of cross-attention against gold links, by
forced decoding of the given translations (`eatt inspect --gold`). Each target word is linked to the
source word that it attends to most. *Predicting* reads the attention of the step that predicts a
word, *reading* that of the next step, which reads it; both are the mean of all heads. The best head
is chosen on the same text, so its error is optimistic. No model was trained with guided alignment,
and each was trained with one seed only. *Distilled* models learned from the vanilla one its
predictions and its attention (`--distill-maps 1`).

"""
    text += f"Command: `{command(arguments)}`\n\n"
    if arguments.multi30k:
        found = rwth(arguments.multi30k, arguments.gold)
        text += f"""## English to German, real text
508 sentences of the European Parliament, aligned by hand (RWTH), with source and target of the links
swapped because the models translate into German. The models learned from 29,000 picture captions
(Multi30k), so this text is out of their domain, and it is tokenized, in the old spelling, where
theirs is plain text: compare the models with each other, not with aligners that were trained on such
text.

{trained(arguments.multi30k)}
{summary(found)}
{table(found)}
"""
    if arguments.zh_en:
        found = tsinghua(arguments.zh_en, arguments.gold)
        text += f"""## Chinese to English, real text
450 sentences of news (Tsinghua), aligned by hand. The models learned from 23,931 picture captions (3AM),
whose Chinese is not split into words as this text is, so it is out of their domain twice: compare the
models with each other.

{trained(arguments.zh_en)}
{summary(found)}
{table(found)}
"""
    if arguments.builtin:
        found = builtin(arguments.builtin, arguments.corpus)
        text += f"""## Chinese to English, built-in corpus
The test text of the built-in corpus, whose grammar knows the links (`eatt corpus generate`).

{trained(arguments.builtin)}
{summary(found)}
{table(found)}
"""
    return text + """## What is not measured
The gold links of the Canadian Hansards (English-French) and of NAACL 2003 (Romanian-English) need
models of these pairs, and there is no training text of them here.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--multi30k", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--zh-en", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--builtin", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "demo-output/corpus")
    parser.add_argument("--gold", type=pathlib.Path, default=ROOT / "../shared/data/alignments")
    parser.add_argument("--output", type=pathlib.Path, default=RESULT)
    arguments = parser.parse_args()
    arguments.multi30k = named_runs(arguments.multi30k)
    arguments.zh_en = named_runs(arguments.zh_en)
    arguments.builtin = named_runs(arguments.builtin)
    if not (arguments.multi30k or arguments.zh_en or arguments.builtin):
        sys.exit("give --multi30k, --zh-en or --builtin NAME=RUN, or several of them")
    text = text_of(arguments)
    arguments.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
