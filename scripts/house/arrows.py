"""Which folder of src/ may include and link which: src/layers.toml against CMake and the sources."""

import re
import tomllib
from pathlib import Path


def read_layers(root):
    """{folder: {"what": …, "links": […], "torch": …}}, from the bottom up."""
    with open(root / "src/layers.toml", "rb") as file:
        return tomllib.load(file)


def order_problems(layers):
    """A folder links only folders that stand above it in the file."""
    seen, problems = set(), []
    for folder, layer in layers.items():
        for link in layer["links"]:
            if link not in seen:
                problems.append(f"src/layers.toml: {folder} links {link}, which must stand above it")
        seen.add(folder)
    return problems


def included_folders(root, folder):
    """{included folder: [file that includes it, …]}, itself left out."""
    found = {}
    for path in sorted((root / "src" / folder).rglob("*")):
        if path.suffix not in (".h", ".cc", ".in"):
            continue
        for include in re.findall(r'^\s*#include "(\w+)/', path.read_text(), re.M):
            if include != folder:
                found.setdefault(include, []).append(path.relative_to(root))
    return found


def linked_folders(root, folder):
    """Folders that the link lines of a folder's CMakeLists.txt name."""
    text = re.sub(r"#.*", "", (root / "src" / folder / "CMakeLists.txt").read_text())
    return set(re.findall(r"eatt::(\w+)", text)) - {folder, "flags", "torch"}


def arrow_problems(root):
    """Arrows that CMake or an #include has and src/layers.toml has not, and the other way round."""
    layers = read_layers(root)
    problems = order_problems(layers)
    folders = {path.parent.name for path in (root / "src").glob("*/CMakeLists.txt")}
    for folder in sorted(folders ^ set(layers)):
        problems.append(f"{folder} must be a folder of src/ and a section of src/layers.toml")
    for folder in sorted(folders & set(layers)):
        allowed = set(layers[folder]["links"])
        includes = included_folders(root, folder)
        for target in sorted(set(includes) & folders - allowed):
            problems.append(f"{includes[target][0]} includes {target}/, which {folder} may not")
        links = linked_folders(root, folder)
        for target in sorted(links - allowed):
            problems.append(f"src/{folder}/CMakeLists.txt links {target}, which {folder} may not")
        for target in sorted(allowed - set(includes)):
            problems.append(f"src/layers.toml: {folder} links {target} but includes nothing of it")
    return problems


def picture(layers):
    """The Mermaid flow chart of docs/architecture.md."""
    lines = ["```mermaid", "flowchart BT"]
    for title, torch in (("without libtorch", False), ("with libtorch", True)):
        lines.append(f'  subgraph {"torch" if torch else "free"} [{title}]')
        lines += [f"    {folder}" for folder, layer in layers.items()
                  if layer.get("torch", False) == torch]
        lines.append("  end")
    for folder, layer in layers.items():
        links = [link for link in layer["links"] if not is_implied(link, layer["links"], layers)]
        if links:
            lines.append(f'  {folder} --> {" & ".join(links)}')
    return "\n".join(lines + ["```"])


def reachable(folder, layers):
    found = set()
    for link in layers[folder]["links"]:
        found |= {link} | reachable(link, layers)
    return found


def is_implied(link, links, layers):
    """True if another link leads there: the picture leaves such arrows out."""
    return any(link in reachable(other, layers) for other in links if other != link)


def table(layers):
    """The table under the picture: every arrow."""
    rows = ["| folder | what it holds | may include |", "|---|---|---|"]
    for folder, layer in layers.items():
        links = ", ".join(f"`{link}`" for link in layer["links"]) or "–"
        rows.append(f"| `{folder}` | {layer['what']} | {links} |")
    return "\n".join(rows)


def numbered_list(layers):
    """The list of CONTRIBUTING.md."""
    return "\n".join(f"{i}. `{folder}`: {layer['what']}." for i, (folder, layer)
                     in enumerate(layers.items(), start=1))
