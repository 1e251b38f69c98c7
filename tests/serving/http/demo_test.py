"""scripts/demo.sh --serve ends with the address of a page. Its trainings and evaluations have a test of
their own (tests/docs); here `eatt` does nothing but serve."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from server import PROGRAMS, make_bundle

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts/demo.sh")
EATT = f"""#!/bin/sh
case "$1" in
  corpus) mkdir -p demo-output/corpus && cd demo-output/corpus
          touch test.zh test.en test.align dev.zh dev.en dev.align ;;
  serve) shift; exec {PROGRAMS}/eatt-serve "$@" ;;
esac
"""


class DemoTest(unittest.TestCase):
    def write_program(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="eatt-demo-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.write_program("scripts/setup.sh", "#!/bin/sh\n")
        self.write_program("build/release/bin/cmake", "#!/bin/sh\n")
        self.write_program("build/release/bin/eatt", EATT)
        shutil.copy(DEMO, os.path.join(self.folder, "scripts/demo.sh"))
        make_bundle(os.path.join(self.folder, "demo-output/eatt.int8"))

    def test_the_demo_ends_with_the_address_of_the_page_and_with_ctrl_c(self):
        path = os.path.join(self.folder, "build/release/bin") + ":" + os.environ["PATH"]
        demo = subprocess.Popen(["scripts/demo.sh", "--serve"], cwd=self.folder, env={**os.environ, "PATH": path},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True)
        self.addCleanup(demo.stdout.close)
        self.addCleanup(demo.wait)
        self.addCleanup(lambda: demo.poll() is None and os.killpg(demo.pid, signal.SIGKILL))
        lines = []
        for line in demo.stdout:
            lines.append(line)
            if "Open this page in a browser: " in line:
                break
        self.assertIn("http://127.0.0.1:", lines[-1], "".join(lines))
        address = lines[-1].split()[-1]
        with urllib.request.urlopen(address, timeout=20) as page:
            self.assertIn(b"<title>eatt", page.read())
        os.killpg(demo.pid, signal.SIGINT)
        self.assertNotEqual(demo.wait(20), 0)
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(address, timeout=20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
