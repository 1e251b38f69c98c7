"""scripts/results/quality.py on made-up run folders, with a stand-in for eatt."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/results"))
import quality  # noqa: E402
import scatter  # noqa: E402

class Program:
    """In place of eatt. The weights of a made-up bundle are its BLEU as text. Averaging adds `gain`, a
    beam 0.5, int8 takes 0.25."""

    def __init__(self, gain=-1):
        self.gain, self.calls = gain, []

    def __call__(self, _, *words, stdin=None):
        words = [str(word) for word in words if word != "--quiet"]
        self.calls.append(" ".join(words))
        return getattr(self, words[0])(words)

    def weights(self, bundle):
        return float((Path(bundle) / "model.safetensors").read_text())

    def write(self, bundle, bleu):
        Path(bundle).mkdir(exist_ok=True)
        (Path(bundle) / "model.safetensors").write_text(str(bleu))
        return ""

    def train(self, words):
        return ""

    def average(self, words):
        return self.write(words[-1], self.weights(words[1] + "/last") + self.gain)

    def quantize(self, words):
        return self.write(words[2], self.weights(words[1]) - 0.25)

    def translate(self, words):
        return str(self.weights(words[1]) + (0.5 if "--beam-size" in words else 0))

    def evaluate(self, words):
        hypothesis = Path(words[words.index("--hypothesis") + 1])
        return json.dumps({"bleu": {"score": float(hypothesis.read_text())}})

    def energy(self, words):
        def model(kind, additions, joules):
            exact = {"chips": {"asic": {"arithmetic": {"joules_per_sentence": joules}}}}
            paper = {"chips": {"asic": {"joules_per_sentence": joules / 2}}}
            return {"kind": kind, "densities": {"enc-self": [0.25, 0.75], "cross-key": 0.5},
                    "duties": {"enc-self": {"operations": {"add": {"fp32": additions}}}},
                    "levels": {"alignment": {"exact": exact, "paper": paper},
                               "model": {"exact": exact}}}
        return json.dumps({"models": [model("model", 30, 80e-6), model("vanilla", 100, 100e-6)]})


class Quality(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("data", "runs", "output"):
            (self.root / name).mkdir()
        for name in ("val", "test_2016_flickr"):
            for language in ("en", "de"):
                (self.root / "data" / f"{name}.{language}").write_text("one\ntwo\n")
        self.program = Program()

    def make_run(self, name, bleu, entropy, options="", updates=6000, finished=True):
        folder = self.root / "runs" / name
        (folder / "last").mkdir(parents=True)
        (folder / "last/model.safetensors").write_text(str(bleu))
        seed = name.rpartition("-s")[2]
        (folder / "training.toml").write_text(
            f'after = "{updates}u"\nseed = {seed}\ncross = ""\nsurrogate-width = 1\n'
            'learn-threshold = false\n' + (options or 'attention = "eatt"\n'))
        events = [{"event": "progress", "update": updates, "loss": entropy + 1},
                  {"event": "validation", "update": updates, "cross_entropy": entropy}]
        if finished:
            events.append({"event": "finished", "update": updates})
        (folder / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))

    def make_three(self):
        """Vanilla with two seeds, the paper's E-ATT and best, all finished."""
        self.make_run("vanilla-s1", 36, 1.75, 'attention = "vanilla"\n')
        self.make_run("vanilla-s2", 38, 1.77, 'attention = "vanilla"\n')
        self.make_run("paper-s1", 32, 1.95)
        self.make_run("best-maps-s1", 36, 1.78, 'attention = "eatt"\npreset = "best"\ndistill-maps = 1\n')

    def call(self, *options):
        """The page that the script writes, and the calls of eatt."""
        self.program.calls.clear()
        words = ["--runs", self.root / "runs", "--data", self.root / "data",
                 "--output", self.root / "output", *options]
        with mock.patch("common.run", self.program), mock.patch("quality_runs.run", self.program), \
                contextlib.redirect_stdout(io.StringIO()):
            quality.main([str(word) for word in words])
        return (self.root / "output/quality.md").read_text(), "\n".join(self.program.calls)

    def test_without_runs_every_setting_is_listed_as_not_run(self):
        page, calls = self.call()
        self.assertIn("Planned and not run yet (updates): vanilla (6,000); ", page)
        self.assertIn("Not known yet", page)
        self.assertIn("Finished runs: 0 of ", page)
        self.assertEqual(calls, "")

    def test_a_run_that_is_not_finished_is_not_scored(self):
        self.make_run("paper-s1", 32, 1.95, finished=False)
        page, calls = self.call()
        self.assertIn("paper's E-ATT (6,000); ", page)
        self.assertEqual(calls, "")

    def test_a_finished_run_counts_even_if_it_was_not_planned(self):
        self.assertNotIn("| ternary, t 0.6 | 6,000 |", self.call()[0])
        self.make_run("ternary-t0.6-s2", 34, 1.85,
                      'attention = "eatt"\ncode-levels = "1"\nthreshold = "0.6"\n')
        self.assertIn("| ternary, t 0.6 | 6,000 | 2 | 1.8500 | – | 34.00 |", self.call()[0])

    def test_seeds_have_a_mean_and_a_deviation(self):
        self.make_three()
        page, _ = self.call()
        self.assertIn("| vanilla | 6,000 | 1 2 | 1.7600 ± 0.0141 | +0.0000 | 37.00 ± 1.41 | "
                      "37.50 ± 1.41 |", page)
        self.assertIn("| paper's E-ATT | 6,000 | 1 | 1.9500 | +0.2000 | 32.00 | 32.50 | "
                      "50 / – / – / 50 | 0.300 |", page)
        self.assertIn("One seed only: paper's E-ATT (6,000); 6 levels, teacher's words and attention "
                      "(6,000).", page)
        self.assertIn("`--preset best` with a vanilla model as `--teacher` of words and attention "
                      "(`--distill-maps 1`) is +0.00 BLEU from vanilla", page)
        self.assertIn("The paper's E-ATT is -4.00 BLEU from vanilla with greedy search", page)

    def test_shares_of_energy_are_those_of_the_vanilla_twin(self):
        self.make_three()
        page, _ = self.call()
        self.assertIn("| paper's E-ATT | 6,000 | 40.00 | 80.00 | 80.00 | 80.00 | 80.00 | 80.00 | "
                      "+0.00 |", page)

    def test_vanilla_on_dev_decides_whether_checkpoints_are_averaged(self):
        self.make_three()
        self.assertIn("are of the last weights;", self.call()[0])
        for path in (self.root / "output/runs").glob("*.json"):
            path.unlink()
        for path in (self.root / "runs").glob("*-averaged/model.safetensors"):
            path.unlink()
        self.program = Program(gain=1)
        page, _ = self.call()
        self.assertIn("are of the mean of the last 8 checkpoints;", page)
        self.assertIn("| paper's E-ATT | 6,000 | 1 | 1.9500 | +0.2000 | 33.00 |", page)

    def test_scores_are_kept_until_the_weights_change(self):
        self.make_three()
        first, _ = self.call()
        second, calls = self.call()
        self.assertEqual((first, calls), (second, ""))
        (self.root / "runs/paper-s1/last/model.safetensors").write_text("33")
        page, calls = self.call()
        self.assertIn("| paper's E-ATT | 6,000 | 1 | 1.9500 | +0.2000 | 33.00 |", page)
        self.assertNotIn("vanilla", calls)

    def test_a_run_whose_folder_is_gone_still_counts(self):
        self.make_three()
        page, _ = self.call()
        shutil.rmtree(self.root / "runs/paper-s1")
        self.assertEqual(self.call(), (page, ""))

    def test_the_test_set_is_scored_when_asked_for_and_then_kept(self):
        self.make_three()
        page, calls = self.call()
        self.assertIn("Not scored yet", page)
        page, _ = self.call("--score-test")
        self.assertIn("| vanilla | float32 | 1 2 | 37.00 ± 1.41 | 37.50 ± 1.41 | – | – |", page)
        self.assertIn("| 6 levels, teacher's words and attention | int8 | 1 | 35.75 | 36.25 | -0.25 | -0.25 |",
                      page)
        self.assertEqual(self.call(), (page, ""))

    def test_a_seed_whose_test_score_is_missing_does_not_hide_the_others(self):
        self.make_three()
        self.call("--score-test")
        self.make_run("paper-s2", 34, 1.95)
        shutil.rmtree(self.root / "runs/vanilla-s2")
        page, _ = self.call()
        self.assertIn("| paper's E-ATT | float32 | 1 | 32.00 | 32.50 | -4.00 | -4.00 |", page)

    def test_a_run_with_other_options_than_its_name_says_is_refused(self):
        self.make_run("vanilla-s1", 36, 1.75, 'attention = "eatt"\n')
        with self.assertRaisesRegex(SystemExit, "trained with --attention eatt, not vanilla"):
            self.call()

    def test_a_lever_that_gains_less_than_the_noise_failed(self):
        options = 'attention = "eatt"\nlearn-threshold = true\n'
        self.make_run("paper-3k-s1", 30, 2.15, updates=3000)
        self.make_run("paper-learned-3k-s1", 30, 2.145, updates=3000)
        toml = self.root / "runs/paper-learned-3k-s1/training.toml"
        toml.write_text(toml.read_text().replace("learn-threshold = false\n", "")
                        .replace('attention = "eatt"\n', options))
        self.assertIn("- binary, learned t: -0.0050 against paper's E-ATT after 3,000 updates",
                      self.call()[0])

    def test_training_commands_are_those_of_the_settings(self):
        _, calls = self.call("--train", "eatt-self")
        self.assertRegex(calls, r"^train --recipe multi30k-en-de --attention eatt --cross vanilla "
                                r"--seed 1 --after 3000u .* --model \S+/eatt-self-3k-s1$")
        with self.assertRaisesRegex(SystemExit, "no setting vanila"):
            self.call("--train", "vanila")

    def test_models_of_another_width_or_text_are_compared_with_vanilla_of_the_same(self):
        self.make_three()
        self.assertIn("## Width and text", self.call()[0])
        wide = 'model-dim = 256\nffn-dim = 512\nlearn-rate = 0.002\n'
        self.make_run("d256-vanilla-3k-s1", 30, 2.0, wide + 'attention = "vanilla"\n', updates=3000)
        self.make_run("d256-paper-3k-s1", 28, 2.1, wide + 'attention = "eatt"\n', updates=3000)
        page, calls = self.call()
        self.assertIn("| Multi30k En→De | 256 | vanilla | 2.0000 | 30.00 | 30.50 | – | – |", page)
        self.assertIn("| Multi30k En→De | 256 | paper's E-ATT | 2.1000 (+0.1000) | 28.00 (-2.00) | "
                      "28.50 (-2.00) | – | – |", page)
        self.assertNotIn("| 256 | 6 levels", page)

    def test_the_last_pairs_of_the_talks_are_their_dev_set(self):
        given = self.root / "iwslt15-en-vi"
        given.mkdir()
        for language in ("en", "vi"):
            (given / f"train30k.{language}").write_text(
                "".join(f"{language} {i}\u2028\n" for i in range(1500)))
        _, calls = self.call("--train", "iwslt-d256-vanilla")
        self.assertRegex(calls, r"--target-language vi --attention vanilla --model-dim 256 --ffn-dim 512 .*"
                                r"--valid-sets \S+/runs/iwslt15-en-vi/dev.en \S+/dev.vi")
        made = self.root / "runs/iwslt15-en-vi"
        self.assertEqual((made / "train.vi").read_text().split("\n")[-2], "vi 499\u2028")
        self.assertEqual((made / "dev.en").read_text().split("\n")[0], "en 500\u2028")

    def test_the_picture_has_a_mark_and_a_label_for_each_setting(self):
        self.make_three()
        self.call()
        drawing = ElementTree.parse(self.root / "output/quality.svg").getroot()
        texts = [one.text for one in drawing.iter("{http://www.w3.org/2000/svg}text")]
        for label in ("vanilla", "paper's E-ATT", "6 levels, teacher's words and attention"):
            self.assertEqual(texts.count(label), 2)
        marks = [one for one in drawing.iter("{http://www.w3.org/2000/svg}circle") if len(one)]
        self.assertEqual(len(marks), 6)


class Scatter(unittest.TestCase):
    def test_ticks_are_round_and_cover_the_values(self):
        self.assertEqual(scatter.ticks(30.3, 36.9), ([30, 32, 34, 36, 38], 0))
        self.assertEqual(scatter.ticks(0.04, 1), ([0, 0.2, 0.4, 0.6, 0.8, 1], 1))
        values, _ = scatter.ticks(35, 35)
        self.assertTrue(values[0] <= 35 <= values[-1] and len(values) > 1)

    def test_the_front_leaves_out_points_that_cost_more_and_are_worse(self):
        points = [scatter.Point(x, 0, y, 0, "", "") for x, y in ((1, 3), (2, 2), (3, 5), (3, 4))]
        self.assertEqual([point.y for point in scatter.front(points)], [3, 5])

    def test_labels_do_not_cover_each_other(self):
        points = [scatter.Point(0.5 + i / 500, 0, 30 + i / 50, 0, f"setting {i}", "a")
                  for i in range(12)] + [scatter.Point(1, 0, 36, 0, "far", "a")]
        drawing = scatter.Drawing(scatter.Panel("", "", "", points), 0, ["a"])
        drawing.parts()
        boxes = drawing.taken[len(points):]
        self.assertEqual(len(boxes), len(points))
        for i, one in enumerate(boxes):
            self.assertFalse(any(scatter.overlap(one, other) for other in boxes[i + 1:]))


if __name__ == "__main__":
    unittest.main()
