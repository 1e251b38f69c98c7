"""What the tests of misbehaving clients and of signals share."""

import os
import shutil
import tempfile
import unittest

from server import make_bundle

ORDER = {"q": "ab cd ef", "source": "zh", "target": "en"}
LONG = {**ORDER, "q": "ab cd ef gh. " * 1500}


class FaultCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="eatt-serve-faults-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # Slow enough that a request can be interrupted.
        cls.slow = make_bundle(os.path.join(cls.folder, "slow"), "64")

    def expect_alive(self, server):
        status, _, answer = server.post("/translate", ORDER)
        self.assertEqual(status, 200)
        self.assertIn("translatedText", answer)
