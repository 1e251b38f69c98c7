#!/usr/bin/env python3
"""Trains vanilla, E-ATT and dense cross-attention on Multi30k with one recipe, scores them on
test_2016_flickr, and writes docs/results/multi30k.md.

  scripts/results/multi30k.py [--data ../shared/data/multi30k-en-de] [--runs runs/multi30k] [--cpu-threads 2]

Runs that are finished are only scored again; runs that were stopped go on. Three hours at most on
two cores.
"""
import json
import pathlib

import common
from common import EATT, ROOT, events, run, table

MODELS = [
    ("vanilla", ["--attention", "vanilla"], "vanilla"),
    ("eatt", ["--attention", "eatt"], "E-ATT everywhere"),
    ("dense-cross", ["--attention", "vanilla", "--cross", "dense"], "vanilla self, dense cross"),
]
AVERAGED = 8


def train_command(arguments, name, options):
    return common.train_words(arguments, arguments.runs / name, options)


def score(arguments, bundle):
    data = arguments.data
    return json.loads(run(EATT, "validate", bundle, "--json", "--valid-sets",
                          data / "test_2016_flickr.en", data / "test_2016_flickr.de"))


def examine(arguments, name, options):
    if not arguments.no_training:
        run(EATT, *train_command(arguments, name, options))
    folder = arguments.runs / name
    averaged = arguments.runs / (name + "-averaged")
    run(EATT, "average", folder, "--last", AVERAGED, "--output", averaged)
    history = events(folder)
    end = [event for event in history if event["event"] in ("validation", "finished")][-1]
    dev = {event["update"]: event for event in history if event["event"] == "validation"}
    return {"test": score(arguments, averaged), "last": score(arguments, folder / "last"),
            "updates": end["update"], "minutes": end["seconds"] / 60, "dev": dev}


def densities(density):
    parts = []
    for role in ("encoder_self", "decoder_self", "cross_query"):
        if role in density:
            layers = " ".join(f"{layer:.3f}" for layer in density[role])
            parts.append(f"{role.replace('_', '-')} {layers}")
    if "cross_key" in density:
        parts.append(f"cross-key {density['cross_key']:.3f}")
    return "; ".join(parts)


def report(arguments, found):
    def gap(bleu, reference):
        return f"{bleu - reference:+.2f}"

    vanilla = found["vanilla"]
    rows = []
    for name, _, title in MODELS:
        model = found[name]
        test, last = model["test"], model["last"]
        rows.append([title, f"{test['bleu']['score']:.2f}",
                     gap(test["bleu"]["score"], vanilla["test"]["bleu"]["score"]),
                     f"{last['bleu']['score']:.2f}", f"{test['chrf']['score']:.2f}",
                     f"{test['perplexity']:.3f}", str(model["updates"]),
                     f"{model['minutes']:.0f}"])
    text = "# Multi30k English-German\n\n"
    text += ("Made by `scripts/results/multi30k.py`: one recipe (`multi30k-en-de`: Transformer-Tiny, "
             "4+4 layers, d 128), one seed, greedy search, test_2016_flickr, "
             f"sacreBLEU's BLEU (`{vanilla['test']['bleu']['signature']}`). The first column is the "
             f"mean of the last {AVERAGED} checkpoints.\n\n")
    text += table(["attention", "BLEU", "gap", "BLEU, last weights", "chrF", "perplexity", "updates",
                   "minutes"], rows)
    text += (f"Minutes are wall-clock time of training, without validation, on "
             f"{arguments.cpu_threads} thread(s)")
    text += f" {arguments.remark}.\n\n" if arguments.remark else ".\n\n"
    text += "## At equal updates: dev BLEU and perplexity\n\n"
    updates = sorted(set(vanilla["dev"]) & set(found["eatt"]["dev"]))
    rows = []
    for update in updates:
        row = [f"{update:,}"]
        for name, _, _ in MODELS:
            event = found[name]["dev"].get(update)
            row.append(f"{event['bleu']['score']:.2f} / {event['perplexity']:.2f}" if event else "–")
        reference = vanilla["dev"][update]["bleu"]["score"]
        row.append(gap(found["eatt"]["dev"][update]["bleu"]["score"], reference))
        rows.append(row)
    text += table(["updates", *(title for _, _, title in MODELS), "E-ATT's gap"], rows)
    text += "## Densities of E-ATT on the test set\n\nBy layer: "
    text += densities(found["eatt"]["test"]["density"]) + ".\n\n"
    text += "## Commands\n\n```\n"
    for name, options, _ in MODELS:
        text += common.shown(arguments, train_command(arguments, name, options)) + "\n"
        text += f"eatt average $RUNS/{name} --last {AVERAGED} --output $RUNS/{name}-averaged\n"
        text += (f"eatt validate $RUNS/{name}-averaged --valid-sets $DATA/test_2016_flickr.en "
                 "$DATA/test_2016_flickr.de\n")
    return text + "```\n"


def main():
    parser = common.parser(__doc__, ROOT / "runs/multi30k")
    parser.add_argument("--cpu-threads", default="2")
    parser.add_argument("--no-training", action="store_true",
                        help="score runs as far as they have come")
    parser.add_argument("--remark", default="", help="what else to say about the minutes")
    parser.add_argument("--notes", type=pathlib.Path, default=ROOT / "docs/results/multi30k-notes.md",
                        help="text to put at the end")
    arguments = common.parse(parser)
    found = {name: examine(arguments, name, options) for name, options, _ in MODELS}
    text = report(arguments, found)
    if arguments.notes.exists():
        text += "\n" + arguments.notes.read_text()
    (ROOT / "docs/results/multi30k.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
