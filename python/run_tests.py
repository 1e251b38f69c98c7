"""Runs the package's tests, or says what is missing and ends with 77 (skipped, to ctest)."""

import importlib.util
import pathlib
import sys

missing = [name for name in ("torch", "pytest") if importlib.util.find_spec(name) is None]
if missing:
    print("skipped: no " + " and no ".join(f"python3-{name}" for name in missing))
    sys.exit(77)

import pytest

# The package under test is the built one, on PYTHONPATH, not the sources beside this file.
sys.path = [path for path in sys.path if pathlib.Path(path) != pathlib.Path(__file__).parent]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib",
                      str(pathlib.Path(__file__).parent / "tests")]))
