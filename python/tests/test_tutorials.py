# SPDX-License-Identifier: BSD-3-Clause
"""The tutorials run; their notebooks and pages have been written from the present text."""

import ast
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "tutorials"
SOURCES = sorted(FOLDER.glob("*.py"))


def needs(source):
    """Return the packages that a tutorial imports."""
    tree = ast.parse(source.read_text())
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_tutorials_run(source, tmp_path):
    missing = [name for name in sorted(needs(source)) if not find_spec(name)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    run = subprocess.run([sys.executable, source], cwd=tmp_path, capture_output=True, text=True,
                         env={**os.environ, "MPLBACKEND": "Agg"})
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_notebooks_have_been_executed(source):
    """After a change of a tutorial: scripts/tutorials.py."""
    notebook = json.loads(source.with_suffix(".ipynb").read_text())
    page, text = source.with_suffix(".md").read_text(), source.read_text()
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 3 and all(part in text and part in page for part in code)
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert outputs and not [output for output in outputs if output["output_type"] == "error"]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert pictures and page.count("![](../pictures/tutorials/") == len(pictures)
    for number in range(1, len(pictures) + 1):
        assert (ROOT / f"docs/pictures/tutorials/{source.stem}_{number}.png").stat().st_size > 1000


def test_the_guide_names_the_tutorials():
    guide = (ROOT / "docs/guide/python.md").read_text()
    assert len(SOURCES) >= 5 and all(f"../tutorials/{source.stem}.md" in guide for source in SOURCES)
