#!/usr/bin/env python3
"""Checks the paper's findings against the results of `eatt study`, and says of each whether it holds.

  scripts/results/findings.py STUDY... [--output docs/results/findings.md]

STUDY are folders of `eatt study`. A finding is judged once for each folder that has all cells it
compares, over the seeds that all of them have: models of different lengths, texts or seeds are never
compared. What no folder has is listed as not measured. The rules were fixed before the studies ran: a
loss counts as none up to NOISE, about what seeds of one model differ by; the line below the table says
what they differed by here, and remarks say where a verdict rests on less.
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


class Study:
    """The finished cells of one folder."""

    def __init__(self, folder):
        self.name = folder.resolve().name
        self.cells = {}  # By name, then by seed.
        for cell in json.loads((folder / "results.json").read_text())["cells"]:
            self.cells.setdefault(cell["name"], {})[cell["seed"]] = cell
        manifest = json.loads((folder / "study.json").read_text())
        self.updates = {cell["id"]: cell["updates"] for cell in manifest["cells"] if "updates" in cell}

    def seeds(self, names):
        """The seeds that all these cells have."""
        return sorted(set.intersection(*(set(self.cells.get(name, {})) for name in names)))


class Sample:
    """Cells of one study and the seeds that all of them have."""

    def __init__(self, study, names):
        self.study, self.names, self.seeds = study, names, study.seeds(names)

    def mean(self, name, value):
        return statistics.mean(value(self.study.cells[name][seed]) for seed in self.seeds)

    def bleu(self, name):
        return self.mean(name, lambda cell: cell["dev_bleu"])

    def loss(self, name):
        return self.bleu("vanilla") - self.bleu(name)

    def losses(self, *names):
        return {name: self.loss(name) for name in names}

    def energy(self, name):
        """Of attention, in % of vanilla's at full width."""
        def joules(cell):
            return cell["microjoules_per_sentence"]["attention_exact"]
        return 100 * self.mean(name, joules) / self.mean("vanilla", joules)

    def density(self, role):
        layers = zip(*(self.study.cells["eatt"][seed]["density"][role] for seed in self.seeds))
        return [100 * statistics.mean(layer) for layer in layers]

    def updates(self):
        found = {self.study.updates.get(f"{name}-s{seed}") for name in self.names for seed in self.seeds}
        return " or ".join("unknown" if one is None else f"{one:,}"
                           for one in sorted(found, key=lambda one: one or 0))


def hybrid(self_attention, cross):
    """The name of a cell of the study hybrid."""
    return cross if self_attention == cross else f"self-{self_attention}-cross-{cross}"


def students(attention):
    return [f"student-{attention}-attention-{1 << halvings}" for halvings in range(4)]


SIMPLE_SELF = [hybrid(one, "vanilla") for one in ("dense", "randinit")]
SIMPLE_CROSS = [hybrid("vanilla", one) for one in ("dense", "randinit")]
ONE_PLACE = [hybrid("eatt", "vanilla"), hybrid("vanilla", "eatt")]


def signed(value):
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")  # Adding 0 makes a positive zero.


def shown(values):
    return ", ".join(f"{name} {signed(value)}" for name, value in values.items())


def lost(values):
    return "BLEU difference from vanilla: " + shown({name: -value for name, value in values.items()})


def within_noise(difference):
    return f"; within noise ({NOISE})" if abs(difference) <= NOISE else ""


# Each finding returns whether it holds, or None if these models cannot show it, and the figures.

def eatt_is_close(sample):
    found = sample.losses("eatt")
    return found["eatt"] <= CLOSE, lost(found)


def best_is_close(sample):
    found = sample.losses("best-distilled")
    return found["best-distilled"] <= NOISE, lost(found)


def l1_is_harmless(sample):
    found = sample.losses("l1")
    return found["l1"] <= NOISE, lost(found)


def selection_costs_a_little(sample):
    found = sample.losses("selection", "l1")
    remarks = ""
    if abs(found["selection"] - found["l1"]) <= NOISE:
        remarks += f"; the two differ by no more than noise ({NOISE})"
    if found["selection"] < 0:
        remarks += "; selection is ahead of vanilla, so it costs nothing here"
    return found["l1"] < found["selection"] <= A_LITTLE, lost(found) + remarks


def simple_self_attention_works(sample):
    found = sample.losses(*SIMPLE_SELF)
    return max(found.values()) <= A_LITTLE, lost(found)


def simple_cross_attention_fails(sample):
    found = sample.losses(*SIMPLE_CROSS)
    return min(found.values()) >= FAILS, lost(found)


def dense_cross_attention_fails(sample):
    found = sample.losses(hybrid("vanilla", "dense"))
    return min(found.values()) >= FAILS, lost(found)


def one_place_costs_less(sample):
    found = sample.losses(*ONE_PLACE, "eatt")
    difference = found["eatt"] - max(found[name] for name in ONE_PLACE)
    return difference > 0, lost(found) + within_noise(difference)


def interpolated(points, x):
    """The value at x of the line through `points`, sorted by x; None outside them."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def distilled_eatt_wins(sample):
    def points(attention):
        return sorted((sample.energy(name), sample.bleu(name)) for name in students(attention))
    vanilla, differences = points("vanilla"), {}
    for energy, bleu in points("eatt"):
        at_equal_energy = interpolated(vanilla, energy)
        if at_equal_energy is not None:
            differences[f"at {energy:.1f} %"] = bleu - at_equal_energy
    if not differences:
        return None, "no students of the two mechanisms have energies that overlap"
    return (min(differences.values()) > 0,
            "BLEU difference from vanilla students at equal energy of attention "
            "(in % of vanilla's at full width): " + shown(differences)
            + within_noise(min(differences.values(), key=abs)))


def percentages(values):
    return "ρ in % from the bottom layer: " + ", ".join(f"{value:.1f}" for value in values)


def encoder_density_grows(sample):
    found = sample.density("encoder_self")
    middle = len(found) // 2
    if middle == 0:
        return None, "the encoder has one layer"
    remark = "" if found == sorted(found) else "; not from each layer to the next"
    return statistics.mean(found[middle:]) > statistics.mean(found[:middle]), percentages(found) + remark


def decoder_density_peaks_in_the_middle(sample):
    found = sample.density("decoder_self")
    if len(found) < 3:
        return None, "the decoder has no middle layer"
    return 0 < found.index(max(found)) < len(found) - 1, percentages(found)


def query_density_is_highest_at_the_top(sample):
    found = sample.density("cross_query")
    if len(found) < 3:
        return None, "the decoder has no more than two layers"
    return found.index(max(found)) >= len(found) - 2, percentages(found)


# Title, rule, the cells it compares.
FINDINGS = [
    (f"E-ATT is close to vanilla (at most {CLOSE} BLEU behind)", eatt_is_close, ["vanilla", "eatt"]),
    (f"our best setting, distilled from vanilla, is level with it (at most {NOISE} behind)",
     best_is_close, ["vanilla", "best-distilled"]),
    (f"L1 distance is harmless (at most {NOISE} behind)", l1_is_harmless, ["vanilla", "l1"]),
    (f"selection costs a little (more than L1, at most {A_LITTLE})", selection_costs_a_little,
     ["vanilla", "selection", "l1"]),
    (f"Dense and RandInit work as self-attention (at most {A_LITTLE} behind)",
     simple_self_attention_works, ["vanilla", *SIMPLE_SELF]),
    (f"Dense and RandInit fail as cross-attention (at least {FAILS} behind)",
     simple_cross_attention_fails, ["vanilla", *SIMPLE_CROSS]),
    (f"Dense alone fails as cross-attention (at least {FAILS} behind)", dense_cross_attention_fails,
     ["vanilla", hybrid("vanilla", "dense")]),
    ("E-ATT in one place costs less than in both", one_place_costs_less,
     ["vanilla", *ONE_PLACE, "eatt"]),
    ("distilled E-ATT beats distilled vanilla at equal energy", distilled_eatt_wins,
     ["vanilla", *students("vanilla"), *students("eatt")]),
    ("ρ grows with the depth of the encoder (upper half above lower half)", encoder_density_grows,
     ["eatt"]),
    ("ρ of decoder self-attention is highest in a middle layer", decoder_density_peaks_in_the_middle,
     ["eatt"]),
    ("ρ of cross-attention queries is highest in one of the top two layers",
     query_density_is_highest_at_the_top, ["eatt"]),
]


def judge(studies, rule, names):
    """A row for each study that has these cells: verdict, study, updates, seeds, figures."""
    rows = []
    for study in studies:
        if not study.seeds(names):
            continue
        sample = Sample(study, names)
        holds, figures = rule(sample)
        verdict = {True: "holds", False: "does not hold", None: "not measured"}[holds]
        seeds = ", ".join(str(seed) for seed in sample.seeds)
        rows.append([verdict, study.name, sample.updates(), seeds, figures])
    return rows or [["not measured", "", "", "", "no study has all of " + ", ".join(names)]]


def table(studies):
    lines = ["| finding of the paper | here | study | updates | seeds | figures |",
             "|---|---|---|---|---|---|"]
    for title, rule, names in FINDINGS:
        lines += [f"| {' | '.join([title, *row])} |" for row in judge(studies, rule, names)]
    return "\n".join(lines) + "\n"


def noise(studies):
    """What seeds differ by, as the studies measured it, beside what the rules take for it."""
    measured = []
    for study in studies:
        scores = [cell["dev_bleu"] for cell in study.cells.get("vanilla", {}).values()]
        if len(scores) > 1:
            measured.append(f"{statistics.stdev(scores):.2f} in {study.name} ({len(scores)} seeds)")
    text = f"The rules take differences of up to {NOISE} BLEU for noise."
    if measured:
        text += " Standard deviation of vanilla over seeds: " + ", ".join(measured) + "."
    return text + "\n"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=pathlib.Path, metavar="STUDY")
    parser.add_argument("--output", type=pathlib.Path, help="also write the table to this file")
    arguments = parser.parse_args(words)
    for folder in arguments.studies:
        if not (folder / "results.json").is_file():
            sys.exit(f"{folder}: has no results.json; is it a folder of `eatt study`?")
    studies = [Study(folder) for folder in arguments.studies]
    text = table(studies) + "\n" + noise(studies)
    print(text, end="")
    if arguments.output:
        arguments.output.write_text(
            "# The paper's findings, checked\n\n"
            "Made by `scripts/results/findings.py` from finished studies. BLEU is that of the dev set, "
            "mean over the seeds named; a row never mixes studies.\n\n" + text)


if __name__ == "__main__":
    main()
