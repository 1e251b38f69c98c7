#!/usr/bin/env python3
"""Writes a page of docs/results for each study, from the folders of finished `eatt study` commands.

  scripts/results/studies.py STUDY... [--output docs/results]

A page has the tables of its study, ours beside the paper's, from every folder that has them, and how
they were made: command, updates, minutes, build, CPU. Folders with a recipe of IWSLT'15 get a page of
their own. scripts/results/studies.sh trains them all.
"""
import argparse
import json
import pathlib
import sys

from common import ROOT, table

# The page of each study.
PAGES = {"overall": "overall", "ablation": "ablation", "hybrid": "hybrid",
         "distillation": "distillation", "density": "density", "case": "case",
         "energy": "energy-study"}
IWSLT = "iwslt"
OURS = ("vanilla", "eatt", "best", "best-distilled")
# Which cells a study compares, by their names.
COMPARES = {"overall": lambda name: name in OURS,
            "ablation": lambda name: name in (*OURS, "selection", "l1"),
            "hybrid": lambda name: name in (*OURS, "dense", "randinit") or name.startswith("self-"),
            "distillation": lambda name: name in ("vanilla", "eatt", "best-distilled")
            or name.startswith("student-"),
            "density": lambda name: name in OURS[1:],
            "case": lambda name: name in OURS,
            "energy": lambda name: name in (*OURS, "selection", "l1", "dense", "randinit")}


class Study:
    """A folder of `eatt study`."""

    def __init__(self, folder):
        self.name = folder.resolve().name
        self.manifest = json.loads((folder / "study.json").read_text())
        results = json.loads((folder / "results.json").read_text())
        self.tables = {one["name"]: one for one in results["tables"]}

    def is_iwslt(self):
        return "iwslt" in self.manifest["inputs"]["recipe"]

    def cells(self, kind):
        """The finished cells that a study of this kind compares; only overall has several seeds."""
        return [cell for cell in self.manifest["cells"]
                if cell["state"] == "done" and (kind == "overall" or cell["seed"] == 1)
                and COMPARES[kind](cell["id"].rpartition("-s")[0])]


def each_once(values):
    return ", ".join(dict.fromkeys(str(value) for value in values))


def how_it_was_made(study, cells):
    minutes = sum(cell["minutes"] for cell in cells)
    text = f"```sh\n{study.manifest['command']}\n```\n"
    text += f"- Updates: {each_once(format(cell['updates'], ',') for cell in cells)}\n"
    text += f"- Minutes: {minutes:,.1f} in all; {study.manifest['threads']} threads, " \
            f"{study.manifest['jobs']} training(s) at a time\n"
    text += f"- Build: {each_once(cell['version'] for cell in cells)}\n"
    text += f"- CPU: {each_once(cell['cpu'] for cell in cells)}\n\n"
    rows = [[cell["id"], f"{cell['updates']:,}", f"{cell['minutes']:.1f}"] for cell in cells]
    return text + table(["cell", "updates", "minutes"], rows)


def unfinished(study):
    """Cells that were to be trained and are not done, in a sentence."""
    missing = [cell["id"] for cell in study.manifest["cells"] if cell["state"] not in ("done", "not chosen")]
    return f"Not done: {', '.join(missing)}.\n\n" if missing else ""


def section(study, kind):
    found = study.tables[kind]
    cells = [[text.replace("|", "\\|") or "–" for text in row] for row in found["rows"]]
    text = f"## {study.name}: {found['title']}\n\n" + table(found["columns"], cells)
    if found["note"]:
        text += found["note"] + "\n\n"
    return text + how_it_was_made(study, study.cells(kind)) + unfinished(study)


def page(title, sections):
    return (f"# {title}\n<!-- made by scripts/results/studies.py -->\n"
            "BLEU is that of the best checkpoint by the dev set. Columns that begin with *paper* are the "
            "paper's figures, of base-size models trained on GPUs ([studies](../studies.md)).\n\n"
            + "".join(sections).rstrip("\n") + "\n")


def pages(studies):
    """The text of each page, by its name."""
    result = {}
    for kind, name in PAGES.items():
        sections = [section(study, kind) for study in studies
                    if kind in study.tables and not study.is_iwslt() and study.cells(kind)]
        if sections:
            result[name] = page(f"The study {kind}", sections)
    sections = [section(study, kind) for study in studies if study.is_iwslt()
                for kind in PAGES if kind in study.tables and study.cells(kind)]
    if sections:
        result[IWSLT] = page("IWSLT'15 English-Vietnamese, a part of the corpus", sections)
    return result


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", type=pathlib.Path, metavar="STUDY")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results")
    arguments = parser.parse_args(words)
    for folder in arguments.studies:
        if not (folder / "results.json").is_file():
            sys.exit(f"{folder}: has no results.json; is it a folder of `eatt study`?")
    for name, text in pages([Study(folder) for folder in arguments.studies]).items():
        path = arguments.output / f"{name}.md"
        path.write_text(text)
        print(path)


if __name__ == "__main__":
    main()
