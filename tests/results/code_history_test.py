"""scripts/results/code_history.py on a made-up run folder."""

import contextlib
import io
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/results"))
import code_history  # noqa: E402

NORMS = ["encoder.layers.0.self_attn_layer_norm", "decoder.layers.0.self_attn_layer_norm",
         "decoder.layers.0.cross_attn_layer_norm", "encoder.layer_norm"]


def safetensors(tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": [len(values)],
                        "data_offsets": [len(data), len(data) + 4 * len(values)]}
        data += struct.pack(f"<{len(values)}f", *values)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class CodeHistory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_folder = Path(folder.name) / "run"
        self.output = Path(folder.name) / "page.md"
        events = []
        for update in (500, 700, 1000):
            checkpoint = self.run_folder / f"checkpoints/step-{update:08}"
            checkpoint.mkdir(parents=True)
            (checkpoint / "weights.safetensors").write_bytes(safetensors(
                {f"{norm}.{kind}": values for norm in NORMS
                 for kind, values in (("weight", [1, update / 1000]), ("bias", [-0.5, 0.5]))}))
            density = {"encoder_self": [0.05], "decoder_self": [0.1], "cross_query": [0.2], "cross_key": 0.15}
            events.append({"event": "validation", "update": update, "density": density})
        events.append({"event": "validation", "update": 1500, "density": density})  # Not kept.
        (self.run_folder / "log.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))

    def call(self):
        with contextlib.redirect_stderr(io.StringIO()):
            code_history.main(["--run", str(self.run_folder), "--data", str(self.run_folder),
                               "--output", str(self.output)])
        return self.output.read_text()

    def test_each_update_that_was_validated_and_kept_has_a_column(self):
        page = self.call()
        self.assertIn("| ρ in % / gain / bias at update | 500 | 1,000 |\n", page)
        self.assertIn("| encoder self, layer 1 | 5.0 / 0.75 / +0.00 | 5.0 / 1.00 / +0.00 |\n", page)
        self.assertIn("| cross, keys | 15.0 / 0.75 / +0.00 | 15.0 / 1.00 / +0.00 |\n", page)

    def test_a_run_without_checkpoints_says_what_to_do(self):
        (self.run_folder / "log.jsonl").write_text("")
        with self.assertRaisesRegex(SystemExit, "train with --train"):
            self.call()


if __name__ == "__main__":
    unittest.main()
