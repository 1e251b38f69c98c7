#!/usr/bin/env python3
"""How densities, and the gains and biases of the norms before them, change while a model with codes is
trained: docs/results/code-history.md.

  scripts/results/code_history.py --run DIR [--data ../shared/data/multi30k-en-de] [--train]
                                  [--program build/release/bin/eatt]

A feature x = gain · z + bias, where z is normalized, is selected if x > 1; so a smaller gain or bias
makes codes thinner. The run must have kept its checkpoints; --train makes one that does.
"""
import array
import json
import pathlib
import statistics
import struct

import common
from common import EATT, ROOT, run, shown, table

UPDATES, STEP = 3000, 500
# Name in the log, title, and the norm whose output becomes the codes.
ROLES = [("encoder_self", "encoder self", "encoder.layers.{}.self_attn_layer_norm"),
         ("decoder_self", "decoder self", "decoder.layers.{}.self_attn_layer_norm"),
         ("cross_query", "cross, queries", "decoder.layers.{}.cross_attn_layer_norm"),
         ("cross_key", "cross, keys", "encoder.layer_norm")]


def train_words(arguments):
    return common.train_words(arguments, arguments.run, [
        "--attention", "eatt", "--after", f"{UPDATES}u", "--save-freq", f"{STEP}u",
        "--keep-last", UPDATES // STEP + 1, "--valid-metric", "cross-entropy"])


def read_tensors(file):
    """{name: values} of the float32 tensors in a safetensors file."""
    data = file.read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            found[name] = array.array("f", data[begin:end])
    return found


def columns(run_folder):
    """(update, its densities, its tensors), of the updates that were both validated and kept."""
    for event in common.events(run_folder):
        file = run_folder / "checkpoints" / f"step-{event.get('update', 0):08}" / "weights.safetensors"
        if event["event"] == "validation" and event["update"] % STEP == 0 and file.exists():
            yield event["update"], event["density"], read_tensors(file)


def cell(densities, tensors, role, norm, layer):
    density = densities[role][layer] if isinstance(densities[role], list) else densities[role]
    gain, bias = (statistics.mean(tensors[f"{norm.format(layer)}.{kind}"]) for kind in ("weight", "bias"))
    return f"{100 * density:.1f} / {gain:.2f} / {bias:+.2f}"


def rows(found):
    for role, title, norm in ROLES:
        densities = found[0][1][role]
        for layer in range(len(densities) if isinstance(densities, list) else 1):
            name = f"{title}, layer {layer + 1}" if "{}" in norm else title
            yield [name, *(cell(one[1], one[2], role, norm, layer) for one in found)]


def page(arguments):
    found = list(columns(arguments.run))
    if not found:
        raise SystemExit(f"{arguments.run}: no update was both validated and kept; train with --train")
    return ("# Densities, gains and biases during a training\n\n"
            "Made by `scripts/results/code_history.py --run $RUN --train`: the paper's E-ATT on Multi30k "
            f"English-German, recipe `multi30k-en-de`, one seed, {found[-1][0]:,} updates. Each cell is the "
            "density ρ of the codes on the dev set in %, and the mean gain and the mean bias of the norm "
            "before them. A norm starts with gain 1 and bias 0, where ρ is 16 %; a feature is selected if "
            "gain · z + bias > 1, z being the normalized input.\n\n"
            + table(["ρ in % / gain / bias at update", *(f"{one[0]:,}" for one in found)], rows(found))
            + "```\n" + shown(arguments, train_words(arguments)) + "\n```\n")


def main(words=None):
    parser = common.parser(__doc__, False)
    parser.add_argument("--run", type=pathlib.Path, required=True)
    parser.add_argument("--train", action="store_true", help="train the run first, or continue it")
    parser.add_argument("--cpu-threads", default="1")
    parser.add_argument("--program", type=pathlib.Path, default=EATT)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results/code-history.md")
    arguments = common.parse(parser, words)
    arguments.runs = arguments.run.parent
    if arguments.train:
        run(arguments.program, *train_words(arguments))
    arguments.output.write_text(page(arguments))


if __name__ == "__main__":
    main()
