"""Runs the demo and the commands of the documents, with models that train in seconds.

  run_docs.py demo BIN SANDBOX           runs scripts/demo.sh, unchanged, then what it says to try next
  run_docs.py document FILE BIN SANDBOX  runs the commands of a document in a copy of what that left
  run_docs.py links FILE ...             checks that the files and headings that are linked exist

SANDBOX is a folder that looks like the repository after the demo.
"""

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from documents import read_document

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARED = ["docs", "recipes", "scripts", "README.md", "CMakePresets.json", "src", "bench", "python"]


def shell(command, folder, **options):
    """Runs a command as typed in the repository with `eatt` in PATH."""
    path = f"{folder / 'build/release/bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "EATT_NUM_THREADS": "2"}
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options)


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_sandbox(sandbox, binaries):
    """A repository whose setup and build do nothing, because both are done."""
    shutil.rmtree(sandbox, ignore_errors=True)
    write_program(sandbox / "scripts/setup.sh", "#!/bin/sh\necho setup: nothing to do\n")
    write_program(sandbox / "build/release/bin/cmake", "#!/bin/sh\nexit 0\n")
    small = (HERE / "small_eatt.sh").read_text().replace("@EATT_BIN@", str(binaries))
    write_program(sandbox / "build/release/bin/eatt", small)
    (sandbox / "build/release/bin/eatt-train").symlink_to(binaries / "eatt-train")
    shutil.copy(ROOT / "scripts/demo.sh", sandbox / "scripts/demo.sh")


def test_demo(binaries, sandbox):
    make_sandbox(sandbox, binaries)
    done = shell("scripts/demo.sh", sandbox, stderr=subprocess.STDOUT)
    sys.stdout.write(done.stdout)
    if done.returncode != 0:
        return [f"scripts/demo.sh: exit code {done.returncode}"]
    mistakes = [f"scripts/demo.sh: {line}" for line in done.stdout.split("\n") if "warning" in line]
    if "demo-output/report.html" not in done.stdout.rstrip("\n").split("\n")[-1]:
        mistakes.append("scripts/demo.sh: the last line does not say where the report is")
    sections = re.findall(r"^== (\d+)\.", done.stdout, re.M)
    if sections != [str(number) for number in range(1, len(sections) + 1)]:
        mistakes.append(f"scripts/demo.sh: sections {', '.join(sections)}")
    # What to try next: indented lines, typed one after another in a new terminal.
    block = done.stdout.split("== What to try next\n")[1]
    next_commands = "\n".join(line for line in block.split("\n") if line.startswith("    "))
    print(f"== trying what it says\n{next_commands}")
    if next_commands.count("eatt ") < 5:
        mistakes.append("scripts/demo.sh: hardly anything to try next")
    for output in ["demo-output/mine", "demo-output/mine.json", "demo-output/prepared"]:
        shell(f"rm -rf {output}", sandbox)
    tried = subprocess.run(["env", "-i", f"PATH={os.environ['PATH']}", "bash", "-e", "-c",
                            next_commands], cwd="/", stdin=subprocess.DEVNULL)
    if tried.returncode != 0:
        mistakes.append(f"scripts/demo.sh: what to try next ends with exit code {tried.returncode}")
    return mistakes


def give(name, folder):
    """A file of the built-in corpus under the name that a document uses."""
    small = re.match(r"(newstest|newsdev|test|tst|dev|val)", Path(name).name)
    part = "train" if not small else "test" if "test" in small[1] else "dev"
    plain = name.removesuffix(".gz")
    ending = plain.rsplit(".", 1)[-1]
    side = ending if ending in ["en", "align"] else "zh"
    text = (folder / f"demo-output/corpus/{part}.{side}").read_bytes()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(gzip.compress(text) if name != plain else text)


def resembles(shown, printed):
    """Whether the lines are equal; a line "…" stands for any lines."""
    pattern = ".*".join(re.escape(part) for part in re.split(r"^…\n", shown, flags=re.M))
    return re.fullmatch(pattern, printed, re.S) is not None


def check_names(command, folder):
    """The command must exist, and its help must have every flag it is shown with."""
    words = shlex.split(re.sub(r"[<>|'\"\\].*", "", command.replace("…", " ")))
    parts = words[:1]
    for word in words[1:]:
        if not re.fullmatch(r"[a-z]+", word):
            break
        parts.append(word)
    helped = shell(f"{' '.join(parts)} --help", folder, stderr=subprocess.STDOUT)
    if helped.returncode != 0:
        return f"there is no command `{' '.join(parts)}`"
    own = words[:words.index("--")] if "--" in words else words
    for flag in own:
        if re.fullmatch(r"--[a-z-]+", flag) and not re.search(rf"{flag}\b(?!-)", helped.stdout):
            return f"`{' '.join(parts)}` has no option {flag}"
    return None


def run_command(command, name, folder):
    print(f"-- {name}:{command.line}\n{command.text}", flush=True)
    done = shell(command.text, folder)
    if done.returncode != 0:
        return f"{name}:{command.line}: exit code {done.returncode}: {command.text}"
    if command.output is not None and not resembles(command.output, done.stdout):
        return f"{name}:{command.line}: prints something else:\n{done.stdout}"
    return None


def missing_commands(text, folder):
    """Commands of the program's overview that the text does not show."""
    overview = shell("eatt --help", folder).stdout
    commands = re.findall(r"^  ([a-z]+(?: [a-z]+)*)  ", overview, re.M)
    if len(commands) < 20:
        return [f"README.md: only {len(commands)} commands found in `eatt --help`"]
    return [f"README.md: does not show `eatt {command}`" for command in commands
            if not re.search(rf"\beatt {command}\b", text)]


def test_document(file, binaries, sandbox):
    name = str(file.relative_to(ROOT))
    document = read_document(file.read_text())
    mistakes = [f"{name}:{line}: {what}" for line, what in document.mistakes]
    with tempfile.TemporaryDirectory() as copy:
        folder = Path(copy) / "eatt"
        shutil.copytree(sandbox, folder, symlinks=True)
        shutil.rmtree(folder / "scripts")
        for shared in SHARED:
            (folder / shared).symlink_to(ROOT / shared)
        for given in document.given:
            give(given, folder)
        mistakes += filter(None, (run_command(c, name, folder) for c in document.commands))
        for command in document.named:
            problem = check_names(command.text, folder)
            if problem:
                mistakes.append(f"{name}:{command.line}: {problem}")
        if name == "README.md":
            mistakes += missing_commands(file.read_text(), folder)
    print(f"{name}: {len(document.commands)} commands run, names of {len(document.named)} checked")
    return mistakes


def anchors(text):
    """The headings of a document as GitHub links to them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links(files):
    mistakes = []
    for file in files:
        text = re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
            path, _, anchor = link.partition("#")
            target = file.parent / path if path else file
            if re.match(r"[a-z]+:", link):
                continue
            if not target.exists():
                mistakes.append(f"{file.relative_to(ROOT)}: the link {link} leads nowhere")
            elif anchor and anchor not in anchors(target.read_text()):
                mistakes.append(f"{file.relative_to(ROOT)}: {link}: there is no such heading")
        for script in re.findall(r"`((?:scripts|bench)/[\w./-]+\.(?:sh|py))\b[^`]*`", text):
            if not (ROOT / script).exists():
                mistakes.append(f"{file.relative_to(ROOT)}: there is no {script}")
    return mistakes


def main(arguments):
    kind, *rest = arguments
    paths = [Path(path).resolve() for path in rest]
    mistakes = {"demo": lambda: test_demo(*paths), "document": lambda: test_document(*paths),
                "links": lambda: test_links(paths)}[kind]()
    for mistake in mistakes:
        print(f"FAILED {mistake}", file=sys.stderr)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
