#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Executes the tutorials and writes their results.

    scripts/tutorials.py [NAME...]

A tutorial is docs/tutorials/NAME.py in the percent format. It is executed as a notebook, docs/tutorials/NAME.ipynb, from which
docs/tutorials/NAME.md, a page of the site, and its pictures NAME_1.png, NAME_2.png in docs/pictures/tutorials are written. Needs
the package coppice, what the tutorial imports, and jupytext, nbclient, ipykernel.
"""

from __future__ import annotations

import base64
import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "tutorials"
PICTURES = ROOT / "docs" / "pictures" / "tutorials"


def executed(source: Path):
    """Return the notebook of a tutorial with the outputs of its cells."""
    import jupytext
    from nbclient import NotebookClient

    text = source.read_text().replace("# SPDX-License-Identifier: BSD-3-Clause\n", "", 1)
    notebook = jupytext.reads(text, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    first = "%config InlineBackend.figure_formats = ['png']\n%config InlineBackend.rc = {'figure.dpi': 72}\n"
    notebook.cells[0:0] = [jupytext.reads(first, fmt="py:percent").cells[0]]
    notebook.cells[0].source = first
    notebook.cells[0].cell_type = "code"
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    del notebook.cells[0]
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), 1):
        cell.execution_count = number
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            if "execution_count" in output:
                output["execution_count"] = number
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = smaller(output.data["image/png"])
    return notebook


def smaller(picture: str) -> str:
    """Return a picture, in base64, with 256 colours: half of the size."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB").quantize(256).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def page_of(name: str, notebook) -> str:
    """Return the notebook as a page in Markdown, and write its pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob(f"{name}_*.png"):
        old.unlink()
    parts, pictures = [f"<!-- Written by scripts/tutorials.py from {name}.py. -->"], 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            if output.output_type == "stream":
                parts.append(f"```text\n{output.text.rstrip()}\n```")
            elif "image/png" in output.get("data", {}):
                pictures += 1
                (PICTURES / f"{name}_{pictures}.png").write_bytes(base64.b64decode(output.data["image/png"]))
                parts.append(f"![](../pictures/tutorials/{name}_{pictures}.png)")
    title = re.search(r"^# (.*)$", notebook.cells[0].source, re.M)
    assert title, f"{name}.py does not begin with a title"
    return "\n\n".join(parts) + "\n"


def main() -> None:
    names = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.py"))
    import nbformat

    for name in names:
        notebook = executed(FOLDER / f"{name}.py")
        nbformat.write(notebook, FOLDER / f"{name}.ipynb")
        (FOLDER / f"{name}.md").write_text(page_of(name, notebook))
        print(f"{name}: {len(notebook.cells)} cells")


if __name__ == "__main__":
    main()
