"""Finds the commands of a Markdown document.

Commands stand in fenced blocks: every line of a `sh` block, the lines after "$ " of a `console`
block, whose other lines are output. Inline code that starts with "eatt " is a command too: as a cell
of a table it is run; in a sentence, or with a placeholder such as BUNDLE, its names are checked. An
HTML comment before a block says how to treat it:
  <!-- not run: REASON -->        too long, or it needs something that tests do not have
  <!-- output compared -->        what the commands print must be what the document shows
  <!-- given: FILE FILE ... -->   files that the commands from here on may read
"""

import re
from dataclasses import dataclass, field

LANGUAGES = {"sh", "console", "text", "json", "toml", "python", "cpp", "c", "cmake", "mermaid"}
FENCE = re.compile(r"^```(\S*)\s*$")
COMMENT = re.compile(r"^<!-- (not run|given|output compared)(?:: (.*))? -->\s*$")
INLINE = re.compile(r"`(eatt(?:-train)? [^`]+)`")
# BUNDLE, SRC.zh, N, "…" and "a|b": words that stand for something else.
PLACEHOLDER = re.compile(r"…|(?:^|[\s/=.])[A-Z][A-Z_]*(?:$|[\s/.])|\w\|\w")


@dataclass
class Command:
    line: int
    text: str
    output: str | None = None   # What the document shows below it, if that is to be compared.


@dataclass
class Document:
    commands: list = field(default_factory=list)   # To be run, in order.
    named: list = field(default_factory=list)      # With placeholders: only names are checked.
    given: list = field(default_factory=list)
    mistakes: list = field(default_factory=list)   # (line, what is wrong with the document)


def console_commands(first, lines, compared):
    """The commands of a `console` block with what is shown below each."""
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], ""))
        elif found and found[-1].text.endswith("\\") and not found[-1].output:
            found[-1].text += "\n" + line
        elif found:
            found[-1].output += line + "\n"
    if not compared:
        for command in found:
            command.output = None
    return found


def read_block(document, language, first, lines, marks):
    if language not in LANGUAGES:
        document.mistakes.append((first, f"a code block of the language '{language}'; expected "
                                         f"one of {', '.join(sorted(LANGUAGES))}"))
    if "not run" in marks:
        if not marks["not run"]:
            document.mistakes.append((first, "'not run' without a reason"))
    elif language == "sh":
        document.commands.append(Command(first, "\n".join(lines)))
    elif language == "console":
        document.commands += console_commands(first, lines, "output compared" in marks)
    elif language == "text" and any(re.match(r"(\$ )?eatt ", line) for line in lines):
        document.mistakes.append((first, "a command in a text block; use sh or console"))


def read_document(text):
    document, marks, block = Document(), {}, None
    for number, line in enumerate(text.split("\n"), 1):
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if block is not None:
            if fence:
                read_block(document, *block, marks)
                block, marks = None, {}
            else:
                block[2].append(line)
        elif fence:
            block = (fence[1], number + 1, [])
        elif comment and comment[1] == "given":
            document.given += (comment[2] or "").split()
        elif comment:
            marks[comment[1]] = comment[2]
        else:
            for command in INLINE.findall(line):
                is_run = f"| `{command}` |" in line and not PLACEHOLDER.search(command)
                (document.commands if is_run else document.named).append(Command(number, command))
    if block is not None:
        document.mistakes.append((block[1], "a code block that does not end"))
    return document
