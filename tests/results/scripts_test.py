"""Every script of scripts/results that can be run starts, and says what it does."""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Scripts(unittest.TestCase):
    def executables(self):
        folders = (ROOT / "scripts", ROOT / "scripts/results")
        return [file for folder in folders for file in sorted(folder.iterdir())
                if file.is_file() and os.access(file, os.X_OK)]

    def test_a_script_with_a_run_bit_names_its_interpreter(self):
        self.assertGreater(len(self.executables()), 10)
        for script in self.executables():
            with self.subTest(script=script.name):
                self.assertTrue(script.read_bytes().startswith(b"#!/"), "no #! line")

    def test_help_of_the_python_scripts_shows_how_to_call_them(self):
        for script in self.executables():
            if script.suffix == ".py":
                with self.subTest(script=script.name):
                    result = subprocess.run([script, "--help"], capture_output=True, text=True)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertIn(f"scripts/{script.relative_to(ROOT / 'scripts')}", result.stdout)


if __name__ == "__main__":
    unittest.main()
