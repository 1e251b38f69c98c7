"""Figures about the sources: sizes of files and functions, parameters, files that name a mechanism."""

import re
import statistics
from pathlib import Path

MECHANISMS = ("vanilla", "eatt", "selection", "l1", "dense", "randinit")
# Names of mechanisms in code, and of the weights that only some mechanisms have.
NAMED = re.compile(
    r"\bMechanism::(" + "|".join(MECHANISMS) + r")\b"
    r'|"[^"\n]*\b(q_proj|k_proj|w1|w2|score_table|[qk]_threshold)\b[^"\n]*"')
# Words that start a block which is no function.
NO_FUNCTION = re.compile(
    r"^(if|for|while|switch|else|do|try|catch|namespace|class|struct|enum|union|extern|case|default)\b")


def sources(root):
    return sorted(path for path in (root / "src").rglob("*") if path.suffix in (".h", ".cc"))


def without_strings_and_comments(line):
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', '""', line)
    return re.sub(r"//.*", "", line).rstrip()


def functions(path):
    """Yields (name, first line, lines, parameters) of each function, as .clang-format lays it out."""
    lines = [without_strings_and_comments(line) for line in path.read_text().splitlines()]
    for end_of_head, line in enumerate(lines):
        if not line.endswith("{") or line.strip() in ("{", "}"):
            continue
        first = start_of_statement(lines, end_of_head)
        head = " ".join(part.strip() for part in lines[first:end_of_head + 1])
        name = function_name(head)
        if name is None:
            continue
        indent = re.match(r" *", lines[first]).group()
        last = next((i for i in range(end_of_head + 1, len(lines))
                     if lines[i].startswith(indent + "}")), end_of_head)
        yield name, first + 1, last - first + 1, parameter_count(head)


def start_of_statement(lines, line):
    """The first line of the statement that ends on `line`."""
    while line > 0:
        before = lines[line - 1]
        if before == "" or before.endswith((";", "{", "}", ":", ">")) or before.startswith("#"):
            break
        line -= 1
    return line


def function_name(head):
    """The name of the function whose head this is, or None if it is another kind of block."""
    head = re.sub(r"^(template ?<.*?> )?(\[\[\w+\]\] )?", "", head)
    if NO_FUNCTION.match(head) or re.search(r"\[[^\]]*\]\s*(\(|\{|mutable)|= ?\{$|^\}|return ", head):
        return None
    match = re.search(r"([\w:~]+|operator\S+) ?\(", head)
    return match.group(1) if match else None


def parameter_count(head):
    inside = argument_text(head)
    if not inside.strip() or inside.strip() == "void":
        return 0
    depth, count = 0, 1
    for previous, c in zip(" " + inside, inside):
        depth += c in "(<[{"
        depth -= c in ")]}" or (c == ">" and previous != "-")
        count += c == "," and depth == 0
    return count


def argument_text(head):
    """What stands between the first parenthesis and its partner."""
    start, depth = head.index("("), 0
    for i in range(start, len(head)):
        depth += (head[i] == "(") - (head[i] == ")")
        if depth == 0:
            return head[start + 1:i]
    return head[start + 1:]


def is_innermost_kernel(root, path):
    """Loops of kernels, written once per instruction set, may take as many parameters as they need."""
    return path.is_relative_to(root / "src/kernels")


def mechanism_files(root):
    """Files of src/ that name a mechanism or the weights of one."""
    return [path for path in sources(root) if any(
        NAMED.search(re.sub(r"//.*", "", line)) for line in path.read_text().splitlines())]


def median_lines(root):
    return statistics.median(len(path.read_text().splitlines()) for path in sources(root))


def crowded_folders(root, most=25):
    """(folder, files) of the folders with more than `most` files, subfolders not counted."""
    counts = {}
    for path in sources(root):
        counts[path.parent] = counts.get(path.parent, 0) + 1
    return sorted((str(folder.relative_to(root)), count) for folder, count in counts.items()
                  if count > most)


def type_names(root):
    """{(namespace, type): [header, …]} of the types that headers define, libtorch's modules too."""
    found = {}
    for path in sources(root):
        if path.suffix != ".h":
            continue
        text = path.read_text()
        namespaces = re.findall(r"^namespace ([\w:]+) \{", text, re.M)
        names = re.findall(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;{]*)? \{", text, re.M)
        names += re.findall(r"^TORCH_MODULE\((\w+)\)", text, re.M)
        for name in names:
            found.setdefault((namespaces[0] if namespaces else "", name), []).append(path)
    return found


def types_defined_twice(root):
    """Two types of one name in one program break the one-definition rule."""
    return {key: paths for key, paths in type_names(root).items() if len(paths) > 1}
