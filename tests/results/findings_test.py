"""scripts/results/findings.py on made-up studies."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/results"))
import findings  # noqa: E402

PAPER = json.loads("""{"vanilla": 28.12, "selection": 27.51, "l1": 28.05, "eatt": 27.45,
  "self-dense-cross-vanilla": 27.48, "self-randinit-cross-vanilla": 27.36,
  "self-vanilla-cross-dense": 19.92, "self-vanilla-cross-randinit": 19.31,
  "self-eatt-cross-vanilla": 28.08, "self-vanilla-cross-eatt": 27.72}""")
STUDENTS = {"vanilla": [(100, 28.12), (50, 27.22), (25, 25.52), (12.5, 21.08)],
            "eatt": [(34.09, 27.45), (17.05, 27.32), (8.53, 26.42), (4.28, 20.07)]}
DENSITY = {"encoder_self": [5.9, 5.85, 15.03, 17.4, 17.69, 17.13],
           "decoder_self": [20.17, 23.73, 28.08, 28.2, 28.3, 23.88],
           "cross_query": [33.87, 36.83, 45.09, 47.26, 54.99, 54.73]}


def cell(name, bleu, energy=100, seed=1):
    return {"name": name, "seed": seed, "dev_bleu": bleu,
            "microjoules_per_sentence": {"attention_exact": energy},
            "density": {role: [one / 100 for one in row] for role, row in DENSITY.items()}}


def papers_cells():
    cells = [cell(name, bleu) for name, bleu in PAPER.items()]
    for attention, students in STUDENTS.items():
        cells += [cell(f"student-{attention}-attention-{1 << i}", bleu, energy)
                  for i, (energy, bleu) in enumerate(students)]
    return cells


class Findings(unittest.TestCase):
    def tables(self, studies):
        """The table and the line on noise of studies, given as {name: cells}."""
        with tempfile.TemporaryDirectory() as above:
            folders = []
            for name, cells in studies.items():
                folders.append(Path(above) / name)
                folders[-1].mkdir()
                made = [{"id": f"{one['name']}-s{one['seed']}", "updates": 3000} for one in cells]
                (folders[-1] / "results.json").write_text(json.dumps({"cells": cells}))
                (folders[-1] / "study.json").write_text(json.dumps({"cells": made}))
            found = [findings.Study(folder) for folder in folders]
            return findings.table(found), findings.noise(found)

    def judged(self, cells):
        """Verdict and figures of each finding in one study."""
        rows = self.tables({"one": cells})[0].splitlines()[2:]
        return {rule.__name__: (row.split(" | ")[1], row.split(" | ")[-1])
                for (_, rule, _), row in zip(findings.FINDINGS, rows)}

    def test_all_findings_hold_for_the_papers_own_figures(self):
        judged = self.judged(papers_cells())
        self.assertEqual(judged.pop("best_is_close")[0], "not measured")
        self.assertEqual({verdict for verdict, _ in judged.values()}, {"holds"}, judged)

    def test_a_finding_that_fails_is_reported_with_its_figures(self):
        cells = [one | {"dev_bleu": 24.0} if one["name"] == "eatt" else one for one in papers_cells()]
        verdict, figures = self.judged(cells)["eatt_is_close"]
        self.assertEqual(verdict, "does not hold")
        self.assertEqual(figures, "BLEU difference from vanilla: eatt −4.12 |")

    def test_every_finding_can_fail(self):
        upside_down = [one | {"dev_bleu": 50 - one["dev_bleu"]} for one in papers_cells()]
        upside_down.append(cell("best-distilled", 10))
        upside_down = [one | {"dev_bleu": 40} if one["name"] == "vanilla" else one for one in upside_down]
        for one in upside_down:
            one["density"] = {role: row[::-1] if role != "decoder_self" else sorted(row)
                              for role, row in one["density"].items()}
            if one["name"].startswith("self-vanilla-cross"):
                one["dev_bleu"] = 39
            if one["name"].startswith("student-eatt"):
                one["dev_bleu"] = 1
        verdicts = {name: verdict for name, (verdict, _) in self.judged(upside_down).items()}
        self.assertEqual(set(verdicts.values()), {"does not hold"}, verdicts)

    def test_what_was_not_trained_is_not_judged(self):
        verdict, why = self.judged([cell("vanilla", 30)])["l1_is_harmless"]
        self.assertEqual(verdict, "not measured")
        self.assertIn("l1", why)

    def test_cells_of_different_studies_are_never_compared(self):
        table, _ = self.tables({"long": [cell("vanilla", 99)], "short": [cell("l1", 31)]})
        self.assertIn("no study has all of vanilla, l1", table)

    def test_each_study_that_has_the_cells_is_judged_with_its_updates_and_seeds(self):
        table, _ = self.tables({"first": [cell("vanilla", 30), cell("l1", 29)],
                                "second": [cell("vanilla", 30), cell("l1", 30.25)]})
        self.assertIn("| does not hold | first | 3,000 | 1 | BLEU difference from vanilla: l1 −1.00 |",
                      table)
        self.assertIn("| holds | second | 3,000 | 1 | BLEU difference from vanilla: l1 +0.25 |", table)

    def test_means_are_over_the_seeds_that_all_cells_have(self):
        table, noise = self.tables({"one": [cell("vanilla", 30), cell("vanilla", 40, seed=2),
                                            cell("l1", 30)]})
        self.assertIn("| one | 3,000 | 1 | BLEU difference from vanilla: l1 +0.00 |", table)
        self.assertIn("Standard deviation of vanilla over seeds: 7.07 in one (2 seeds)", noise)

    def test_models_of_one_layer_say_nothing_about_the_course_of_density(self):
        shallow = cell("eatt", 30)
        shallow["density"] = {role: [0.1] for role in DENSITY}
        judged = self.judged([shallow])
        for name in ("encoder_density_grows", "decoder_density_peaks_in_the_middle",
                     "query_density_is_highest_at_the_top"):
            self.assertEqual(judged[name][0], "not measured")

    def test_selection_that_costs_nothing_is_told(self):
        _, figures = self.judged([cell("vanilla", 30), cell("selection", 30.25), cell("l1", 30.5)]
                                 )["selection_costs_a_little"]
        self.assertIn("differ by no more than noise", figures)
        self.assertIn("selection is ahead of vanilla", figures)


if __name__ == "__main__":
    unittest.main()
