# SPDX-License-Identifier: BSD-3-Clause
"""Records in docs/trust/, from which scripts/trust-page.py writes docs/trust.md: JSON with date and commit."""
import datetime
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "trust"


def commit_of_sources():
    """The commit of the sources, with + if they have changes; outside of a clone the environment variable COPPICE_COMMIT."""
    git = ["git", "-C", str(ROOT)]
    try:
        name = subprocess.run(git + ["rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True).stdout
        changed = subprocess.run(git + ["status", "--porcelain", "-uno"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return os.environ.get("COPPICE_COMMIT", "unknown")
    return name.strip() + ("+" if changed.strip() else "")


def store(path, content):
    """Writes a record; a file that exists is replaced as a whole."""
    head = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "commit": commit_of_sources()}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({**head, **content}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)


def device():
    """Name of the first GPU."""
    done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]
