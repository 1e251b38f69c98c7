#!/usr/bin/env python3
"""Counts what a trained E-ATT model and a vanilla one of the same shape take to translate a test
set, and writes docs/results/energy.md and energy.svg.

  scripts/results/energy.py [--data ../shared/data/multi30k-en-de] [--runs runs/multi30k]

The models are those of scripts/results/multi30k.py, which trains them. Ten seconds on two cores.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EATT = ROOT / "build/release/bin/eatt"
LEVELS = ["alignment", "attention", "block", "model"]
CMOS45_INT8_PRODUCT, CMOS45_INT32_ADDITION = 0.2, 0.1  # pJ, see `eatt energy chips cmos45`.
DUTIES = ["enc-self", "dec-self", "cross-query", "cross-key", "scores", "context", "value",
          "output", "ffn", "norm", "residual", "embedding", "vocabulary", "search"]


def run(*words, stdin=None):
    print("$", *words, file=sys.stderr)
    return subprocess.run([str(word) for word in words], check=True, text=True, stdin=stdin,
                          stdout=subprocess.PIPE).stdout


class Study:
    def __init__(self, arguments):
        self.data, self.runs = arguments.data, arguments.runs
        self.source = self.data / "test_2016_flickr.en"
        self.commands = []

    def bundle(self, name):
        return self.runs / f"{name}-averaged"

    def count(self, name, *options):
        words = ["energy", "model", self.bundle(name), "-i", self.source, *options]
        shown = " ".join(str(word) for word in ["eatt", *words])
        for path, name in ((self.data, "$DATA"), (self.runs, "$RUNS"), (f"{ROOT}/", "")):
            shown = shown.replace(str(path), name)
        self.commands.append(shown)
        return json.loads(run(EATT, "--quiet", *words, "--json"))

    def bleu(self, name, precision, beam):
        options = ["--precision", precision, "--beam-size", beam]
        if beam > 1:
            options += ["--length-penalty", "0.6"]
        with open(self.source) as source, tempfile.TemporaryDirectory() as folder:
            hypothesis = pathlib.Path(folder) / "hypothesis"
            hypothesis.write_text(run(EATT, "translate", self.bundle(name), *options, stdin=source))
            scores = run(EATT, "evaluate", "--json", "--reference",
                         self.data / "test_2016_flickr.de", "--hypothesis", hypothesis)
        return json.loads(scores)["bleu"]["score"]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def figure(value):
    """Four digits."""
    return f"{value:#.4g}" if value < 1000 else f"{value:,.0f}"


def microjoules(part):
    return part["joules_per_sentence"] * 1e6


def exact(model, level, chip, kind="arithmetic"):
    return microjoules(model["levels"][level]["exact"]["chips"][chip][kind])


def paper(model, level, chip):
    return microjoules(model["levels"][level]["paper"]["chips"][chip])


def densities(report):
    found = report["densities"]
    rows = [[role, *(f"{100 * value:.2f}" for value in found[role])]
            for role in ("enc-self", "dec-self", "cross-query")]
    layers = len(rows[0]) - 1
    rows.append(["cross-key (once for all layers)", f"{100 * found['cross-key']:.2f}",
                 *[""] * (layers - 1)])
    return table(["ρ in %", *(f"layer {i + 1}" for i in range(layers))], rows)


def paper_chips(report):
    """Both accountings on both of the paper's chips, in float32."""
    model, vanilla = report["models"][:2]
    rows = []
    for level in LEVELS:
        row = ["**whole model**" if level == "model" else level]
        for chip in ("asic", "fpga"):
            if level == "model":
                row += ["–", "–"]
            else:
                row += [figure(paper(model, level, chip)),
                        f"{100 * paper(model, level, chip) / paper(vanilla, level, chip):.2f}"]
            row += [figure(exact(model, level, chip)),
                    f"{100 * exact(model, level, chip) / exact(vanilla, level, chip):.2f}"]
        rows.append(row)
    header = ["level"]
    for chip in ("asic", "fpga"):
        header += [f"{chip}: paper µJ", "% of vanilla", f"{chip}: exact µJ", "% of vanilla"]
    return table(header, rows)


def int8_levels(report, single):
    """The exact accounting on 45 nm CMOS in int8, beside vanilla in int8 and in float32."""
    model, vanilla = report["models"][:2]
    vanilla_float = single["models"][1]
    rows = []
    for level in LEVELS:
        own, twin = exact(model, level, "cmos45"), exact(vanilla, level, "cmos45")
        rows.append(["**whole model**" if level == "model" else level, figure(own), figure(twin),
                     f"{100 * own / twin:.2f}",
                     f"{100 * own / exact(vanilla_float, level, 'cmos45'):.2f}"])
    return table(["level", "eatt int8, µJ", "vanilla int8, µJ", "% of vanilla int8",
                  "% of vanilla float32"], rows) + vanilla_scores(model, vanilla)


def vanilla_scores(model, vanilla):
    """What vanilla's scores, which are floating numbers here, would change as integers."""
    scores = vanilla["duties"]["scores"]
    elements = scores["operations"]["mul"]["fp32"]
    each = CMOS45_INT8_PRODUCT + CMOS45_INT32_ADDITION
    floating = microjoules(scores["chips"]["cmos45"]["arithmetic"])
    whole = elements * each * 1e-6 / vanilla["text"]["sentences"]
    lower = exact(vanilla, "model", "cmos45") - floating + whole
    return (
        "Our int8 models compute softmax, context and norms in fp32, and so does vanilla its scores "
        f"({figure(floating)} µJ). With int8 products and int32 sums instead, and nothing for "
        f"rounding, these scores would take {figure(whole)} µJ, and E-ATT's whole model "
        f"{100 * exact(model, 'model', 'cmos45') / lower:.0f} % of vanilla's.\n\n")


def trained(study, reports, beam):
    """Models that were trained and ran, with their BLEU."""
    rows = []
    base = reports["vanilla", "float32", beam]["models"][0]
    for name in ("vanilla", "eatt"):
        for precision in ("float32", "int8"):
            model = reports[name, precision, beam]["models"][0]
            cells = [f"{name}, {precision}", f"{study.bleu(name, precision, beam):.2f}"]
            for kind in ("arithmetic", "with_memory"):
                own = exact(model, "model", "cmos45", kind)
                cells += [figure(own),
                          f"{100 * own / exact(base, 'model', 'cmos45', kind):.2f}"]
            rows.append(cells)
    return table(["model", "BLEU", "arithmetic, µJ per sentence", "%", "with memory, µJ", "%"], rows)


def where(report, title):
    """What the energy goes to, of the model and of its vanilla twin."""
    model, vanilla = report["models"][:2]
    rows = []
    for duty in DUTIES:
        values = []
        for one in (model, vanilla):
            work = one["duties"].get(duty)
            values.append(microjoules(work["chips"]["cmos45"]["arithmetic"]) if work else 0)
        rows.append([duty, *map(figure, values)])
    return table([f"duty ({title})", "eatt, µJ per sentence", "vanilla, µJ"], rows)


def conclusion(reports):
    single = reports["eatt", "float32", 1]
    model, vanilla = single["models"][:2]
    whole, whole_vanilla = reports["eatt", "int8", 1]["models"][:2]

    def share(one, other, level, chip, kind="arithmetic"):
        return 100 * exact(one, level, chip, kind) / exact(other, level, chip, kind)

    vanilla_int8 = single["models"][3]
    return (
        f"E-ATT does what it promises where it acts: counted exactly, aligning costs "
        f"{share(model, vanilla, 'alignment', 'asic'):.1f} % of vanilla's energy on the paper's "
        f"ASIC (its forms say {100 * paper(model, 'alignment', 'asic') / paper(vanilla, 'alignment', 'asic'):.1f} %), "
        f"which is {share(model, vanilla, 'attention', 'asic'):.0f} % of attention and "
        f"{share(model, vanilla, 'model', 'asic'):.0f} % of the whole model, as vocabulary, "
        f"feed-forward and the other projections stay what they were. "
        f"Rounding to int8 saves far more, vanilla attention included "
        f"({share(vanilla_int8, vanilla, 'model', 'cmos45'):.0f} % of float32 on 45 nm CMOS); "
        f"E-ATT then brings the model to {share(whole, whole_vanilla, 'model', 'cmos45'):.0f} % of "
        f"vanilla int8 in arithmetic, {share(whole, whole_vanilla, 'model', 'cmos45', 'with_memory'):.0f} % "
        f"with memory, for the BLEU that the table of trained models shows.\n\n")


def report_text(study, reports):
    single = reports["eatt", "float32", 1]
    text = single["models"][0]["text"]
    result = "# Energy of a trained model\n\n"
    result += (
        "Made by `scripts/results/energy.py`. The E-ATT model of [multi30k.md](multi30k.md) (4+4 "
        "layers, d 128, 4 heads, ffn 256, 6,000 pieces) translates test_2016_flickr, "
        f"{text['sentences']:,} sentences of {text['source_words']:,} words, one at a time, with "
        "greedy search unless a beam is named. Every figure is counted or computed from counts by "
        "the rules of [operation-counts.md](../operation-counts.md); none was measured with a "
        "meter. *Vanilla* is the twin of the same shape on the same pieces, but for the trained "
        "models below, each of which translates by itself.\n\n")
    result += "**What to conclude.** " + conclusion(reports)
    result += "![by duty and by length](energy.svg)\n\n"
    result += "## Densities, measured\n\n" + densities(single)
    result += ("## The paper's chips, float32\n\nµJ of arithmetic per sentence. Two accountings, "
               "never mixed; the paper's forms know no whole model.\n\n" + paper_chips(single))
    result += ("## 45 nm CMOS, int8, exact\n\nThe same model rounded to int8 (its own translation), "
               "µJ of arithmetic per sentence.\n\n"
               + int8_levels(reports["eatt", "int8", 1], single))
    result += ("## Trained models on 45 nm CMOS, exact\n\nEach with its own translation; 100 % is "
               "the trained vanilla model in float32. Memory by the model of "
               "[operation-counts.md](../operation-counts.md): neither model fits on the chip, so "
               "its weights come from DRAM for every piece.\n\nGreedy search:\n\n"
               + trained(study, reports, 1) + "A beam of 4 (length penalty 0.6):\n\n"
               + trained(study, reports, 4))
    result += ("## Where it goes, 45 nm CMOS\n\n" + where(single, "float32")
               + where(reports["eatt", "int8", 1], "int8"))
    result += "## Commands\n\n```\n" + "\n".join(study.commands) + "\n```\n"
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data/multi30k-en-de")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "runs/multi30k")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        sys.exit(f"{arguments.data}: no such folder; docs/data.md says where Multi30k comes from")
    study = Study(arguments)
    reports = {}
    for beam in (1, 4):
        search = [] if beam == 1 else ["--beam-size", beam, "--length-penalty", "0.6"]
        for name in ("eatt", "vanilla"):
            for precision in ("float32", "int8"):
                plot = ["--plot", ROOT / "docs/results/energy.svg"]
                wants_plot = (name, precision, beam) == ("eatt", "float32", 1)
                reports[name, precision, beam] = study.count(
                    name, "--precision", precision, *search, *(plot if wants_plot else []))
    text = report_text(study, reports)
    (ROOT / "docs/results/energy.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
