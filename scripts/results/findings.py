#!/usr/bin/env python3
"""Checks the paper's findings against the results of `eatt study`, and says of each whether it holds.

  scripts/results/findings.py STUDY... [--output docs/results/findings.md]

STUDY are folders of `eatt study`; a cell of a later folder counts if an earlier one has none of that
name. What a finding needs and no folder has is listed as not measured. The rules were fixed before
the studies ran: a loss counts as none up to NOISE, which two seeds of one model differ by.
"""
import argparse
import json
import pathlib
import statistics
import sys

NOISE = 0.5         # BLEU on a dev set of about 1,000 sentences.
CLOSE = 0.78        # The largest loss of E-ATT that the paper reports, on En-Vi.
A_LITTLE = 1.0      # The paper loses 0.61 by selection, and 0.64 and 0.76 by the simple self-attentions.
FAILS = 5.0         # The paper loses 8 to 9 by the simple cross-attentions.


class Missing(Exception):
    """A cell that no study has."""


class Cells:
    """All finished cells of some studies, by name; each a list over seeds."""

    def __init__(self, folders):
        self.by_name = {}
        for folder in folders:
            found = {}
            for cell in json.loads((folder / "results.json").read_text())["cells"]:
                found.setdefault(cell["name"], []).append(cell)
            for name, cells in found.items():
                self.by_name.setdefault(name, cells)

    def all(self, name):
        if name not in self.by_name:
            raise Missing(name)
        return self.by_name[name]

    def bleu(self, name):
        return statistics.mean(cell["dev_bleu"] for cell in self.all(name))

    def loss(self, name):
        return self.bleu("vanilla") - self.bleu(name)

    def microjoules(self, name):
        return self.all(name)[0]["microjoules_per_sentence"]

    def density(self, role):
        return [100 * share for share in self.all("eatt")[0]["density"][role]]


def hybrid(self_attention, cross):
    """The name of a cell of the study hybrid."""
    return cross if self_attention == cross else f"self-{self_attention}-cross-{cross}"


def losses(cells, names):
    return {name: cells.loss(name) for name in names}


def shown(values):
    return ", ".join(f"{name} {value:+.2f}" for name, value in values.items())


def lost(values):
    return "BLEU over vanilla: " + shown({name: -value for name, value in values.items()})


# Each finding returns whether it holds, and the figures.

def eatt_is_close(cells):
    found = losses(cells, ["eatt"])
    return found["eatt"] <= CLOSE, lost(found)


def best_is_close(cells):
    found = losses(cells, ["best-distilled"])
    return found["best-distilled"] <= NOISE, lost(found)


def l1_is_harmless(cells):
    found = losses(cells, ["l1"])
    return found["l1"] <= NOISE, lost(found)


def selection_costs_a_little(cells):
    found = losses(cells, ["selection", "l1"])
    return found["l1"] < found["selection"] <= A_LITTLE, lost(found)


def simple_self_attention_works(cells):
    found = losses(cells, [hybrid(one, "vanilla") for one in ("dense", "randinit")])
    return max(found.values()) <= A_LITTLE, lost(found)


def simple_cross_attention_fails(cells):
    found = losses(cells, [hybrid("vanilla", one) for one in ("dense", "randinit")])
    return min(found.values()) >= FAILS, lost(found)


def one_place_costs_less(cells):
    found = losses(cells, [hybrid("eatt", "vanilla"), hybrid("vanilla", "eatt"), "eatt"])
    return max(list(found.values())[:2]) < found["eatt"], lost(found)


def interpolated(points, x):
    """The value at x of the line through `points`, sorted by x; None outside them."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def distilled_eatt_wins(cells):
    def students(attention):
        names = [f"student-{attention}-attention-{1 << halvings}" for halvings in range(4)]
        return sorted((cells.microjoules(name), cells.bleu(name)) for name in names)
    vanilla, differences = students("vanilla"), {}
    for energy, bleu in students("eatt"):
        at_equal_energy = interpolated(vanilla, energy)
        if at_equal_energy is not None:
            differences[f"at {energy:.1f} µJ"] = bleu - at_equal_energy
    if not differences:
        raise Missing("students of the two mechanisms with energies that overlap")
    return min(differences.values()) > 0, "BLEU over vanilla students: " + shown(differences)


def percentages(values):
    return "ρ in % from the bottom layer: " + ", ".join(f"{value:.1f}" for value in values)


def encoder_density_grows(cells):
    found = cells.density("encoder_self")
    middle = len(found) // 2
    return statistics.mean(found[middle:]) > statistics.mean(found[:middle]), percentages(found)


def decoder_density_peaks_in_the_middle(cells):
    found = cells.density("decoder_self")
    return 0 < found.index(max(found)) < len(found) - 1, percentages(found)


def query_density_is_highest_at_the_top(cells):
    found = cells.density("cross_query")
    return found.index(max(found)) >= len(found) - 2, percentages(found)


FINDINGS = [
    (f"E-ATT is close to vanilla (at most {CLOSE} BLEU behind)", eatt_is_close),
    (f"our best setting, distilled from vanilla, is level with it (at most {NOISE} behind)", best_is_close),
    (f"L1 distance is harmless (at most {NOISE} behind)", l1_is_harmless),
    (f"selection costs a little (more than L1, at most {A_LITTLE})", selection_costs_a_little),
    (f"Dense and RandInit work as self-attention (at most {A_LITTLE} behind)",
     simple_self_attention_works),
    (f"Dense and RandInit fail as cross-attention (at least {FAILS} behind)",
     simple_cross_attention_fails),
    ("E-ATT in one place costs less than in both", one_place_costs_less),
    ("distilled E-ATT beats distilled vanilla at equal energy", distilled_eatt_wins),
    ("ρ grows with the depth of the encoder (upper half above lower half)", encoder_density_grows),
    ("ρ of decoder self-attention is highest in a middle layer", decoder_density_peaks_in_the_middle),
    ("ρ of cross-attention queries is highest in one of the top two layers",
     query_density_is_highest_at_the_top),
]


def judge(cells, finding):
    try:
        holds, figures = finding(cells)
    except Missing as missing:
        return "not measured", f"no finished cell {missing}"
    return "holds" if holds else "does not hold", figures


def table(cells):
    lines = ["| finding of the paper | here | figures |", "|---|---|---|"]
    for title, finding in FINDINGS:
        lines.append(f"| {title} | {' | '.join(judge(cells, finding))} |")
    return "\n".join(lines) + "\n"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=pathlib.Path, metavar="STUDY")
    parser.add_argument("--output", type=pathlib.Path, help="also write the table to this file")
    arguments = parser.parse_args(words)
    for folder in arguments.studies:
        if not (folder / "results.json").is_file():
            sys.exit(f"{folder}: has no results.json; is it a folder of `eatt study`?")
    text = table(Cells(arguments.studies))
    print(text, end="")
    if arguments.output:
        arguments.output.write_text(
            "# The paper's findings, checked\n\n"
            "Made by `scripts/results/findings.py` from finished studies; BLEU is that of the dev set, "
            "mean over seeds where there are several.\n\n" + text)


if __name__ == "__main__":
    main()
