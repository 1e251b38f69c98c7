"""scripts/results/studies.py on made-up studies."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/results"))
import studies  # noqa: E402


def cell(name, state="done", seed=1, minutes=12.5):
    made = {"id": f"{name}-s{seed}", "seed": seed, "state": state}
    return made | ({"updates": 3000, "minutes": minutes, "version": "eatt 0.1.0", "cpu": "A CPU"}
                   if state == "done" else {})


def table(name):
    return {"name": name, "title": f"Title of {name}", "columns": ["model", "dev BLEU", "paper, dev BLEU"],
            "rows": [["vanilla", "37.00", "28.12"], ["a|b", "", ""]], "note": "A note."}


class Studies(unittest.TestCase):
    def pages(self, **folders):
        """Runs the script on folders given as (recipe, names of tables, cells)."""
        with tempfile.TemporaryDirectory() as above:
            for name, (recipe, tables, cells) in folders.items():
                folder = Path(above) / name
                folder.mkdir()
                (folder / "results.json").write_text(json.dumps({"tables": [table(one) for one in tables]}))
                (folder / "study.json").write_text(json.dumps(
                    {"command": f"eatt study --output {name}", "threads": 2, "jobs": 2,
                     "inputs": {"recipe": recipe}, "cells": cells}))
            output = Path(above) / "pages"
            output.mkdir()
            studies.main([*(str(Path(above) / name) for name in folders), "--output", str(output)])
            return {path.name: path.read_text() for path in output.iterdir()}

    def test_a_page_has_ours_beside_the_papers_and_how_it_was_made(self):
        cells = [cell("vanilla"), cell("l1"), cell("dense"), cell("vanilla", seed=2)]
        pages = self.pages(one=("multi30k-en-de", ["ablation"], cells))
        self.assertEqual(list(pages), ["ablation.md"])
        for part in ("| vanilla | 37.00 | 28.12 |", "| a\\|b | – | – |", "A note.",
                     "eatt study --output one", "- Updates: 3,000\n",
                     "- Minutes: 25.0 in all; 2 threads", "- Build: eatt 0.1.0\n", "- CPU: A CPU\n",
                     "| l1-s1 | 3,000 | 12.5 |"):
            self.assertIn(part, pages["ablation.md"])
        for other in ("dense-s1", "vanilla-s2"):
            self.assertNotIn(other, pages["ablation.md"])

    def test_folders_of_one_study_follow_each_other_and_iwslt_has_its_own_page(self):
        pages = self.pages(long=("multi30k-en-de", ["overall", "energy"], [cell("vanilla")]),
                           short=("multi30k-en-de", ["overall"], [cell("vanilla")]),
                           vietnamese=("iwslt15-en-vi-tiny", ["overall", "hybrid"], [cell("vanilla")]))
        self.assertEqual(set(pages), {"overall.md", "energy-study.md", "iwslt.md"})
        self.assertLess(pages["overall.md"].index("## long"), pages["overall.md"].index("## short"))
        self.assertNotIn("vietnamese", pages["overall.md"])
        self.assertIn("## vietnamese: Title of hybrid", pages["iwslt.md"])

    def test_what_is_not_done_is_named_unless_nobody_asked_for_it(self):
        cells = [cell("vanilla"), cell("eatt", "failed"), cell("best", "not chosen")]
        text = self.pages(one=("multi30k-en-de", ["overall"], cells))["overall.md"]
        self.assertIn("Not done: eatt-s1.\n", text)


if __name__ == "__main__":
    unittest.main()
