"""scripts/results/alignment.py on made-up runs, with a stand-in for `eatt inspect`."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/results"))
import alignment  # noqa: E402


def inspect(_, *words, stdin=None):
    """The errors of two layers; those of the run `eatt` are higher by 0.1."""
    model = Path(words[2])
    more = 0.1 if model.parent.name == "eatt" else 0

    def layer(error):
        return {"predicting": {"aer": error + more}, "reading": {"aer": error + more + 0.2},
                "best_head": {"aer": error + more - 0.05, "head": 3, "shift": 1}}
    return json.dumps({"alignment_error": [layer(0.6), layer(0.4)]})


class Alignment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("vanilla", "eatt"):
            (self.root / name / "best").mkdir(parents=True)
            (self.root / name / "best/config.json").write_text("{}")
            events = [{"event": "validation", "update": 50, "best": True},
                      {"event": "finished", "update": 60}]
            (self.root / name / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))
        (self.root / "gold").mkdir()
        (self.root / "gold/rwth-de-en.talp").write_text("1-2 3p4\n")

    def page(self, *words):
        runs = [f"{name}={self.root / name}" for name in ("vanilla", "eatt")]
        words = [*words, *runs, "--gold", self.root / "gold", "--output", self.root / "page.md"]
        with mock.patch("alignment.run", inspect), contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(sys, "argv", ["alignment.py", *map(str, words)]):
            alignment.main()
        return (self.root / "page.md").read_text()

    def test_models_stand_side_by_side_layer_by_layer(self):
        page = self.page("--multi30k")
        self.assertIn("| 2 | predicting | 0.400 | 0.500 |", page)
        self.assertIn("| 1 | best head | 0.550 (head 3, reading) | 0.650 (head 3, reading) |", page)
        self.assertIn("Lowest error of a layer (mean of heads): vanilla 0.400, "
                      "E-ATT, as in the paper 0.500.", page)
        self.assertIn("- vanilla: 60 updates, the model of update 50", page)
        self.assertIn("- the same, distilled: no finished training was at hand", page)

    def test_each_text_has_a_section_of_its_own(self):
        page = self.page("--zh-en")
        self.assertIn("## Chinese to English, real text", page)
        self.assertNotIn("## English to German", page)

    def test_links_are_turned_with_their_kinds(self):
        self.assertEqual(alignment.reversed_links(self.root / "gold/rwth-de-en.talp"), "2-1 4p3\n")

    def test_a_folder_without_a_model_is_named(self):
        with self.assertRaisesRegex(SystemExit, "none: holds no model best"):
            alignment.named_runs([f"vanilla={self.root / 'none'}"])


if __name__ == "__main__":
    unittest.main()
