#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/trust.md from the records in docs/trust/.

usage: scripts/trust-page.py [--check]

The scripts and programs that the page names write the records (`--out`, `--record`). With --check nothing is written, and the
exit code is 1 if the page differs.
"""
import json
import sys

from bench_rows import markdown
from trust_records import FOLDER, ROOT

PAGE = ROOT / "docs" / "trust.md"
HEAD = """# How Coppice is tested

Written by `scripts/trust-page.py` from the records in `docs/trust/`; each states date and commit. `.ci/run --help` lists the
stages. The short form of each check is a test of the default run.

| check | short form | long form |
| --- | --- | --- |
| answers from definitions, LAPACK, GraphBLAS, Boost, NetworkX | `.ci/run test python` | `scripts/networkx-suite.py` |
| address, undefined-behaviour, leak and thread sanitizers | `.ci/run asan tsan` | |
| CUDA sanitizers | | `scripts/gpu-check.sh sanitize` |
| damaged inputs of readers | test `fuzz_readers` | `coppice_fuzz_readers TARGET 10000000` |
| failing allocations in every row of every registry | test `failing_resources` | `coppice_failing_resources 300` |
| failing allocations of readers, writers and the C interface; threads that do not start | tests `failing_allocations`, `c_failing_allocations`, `core` | |
| failing calls of the CUDA runtime in every row of every registry | test `failing_cuda_calls` | `coppice_failing_cuda_calls 300` |
| a kill at every system call of a write | test `crash` | |
| lines and branches that are executed | | `.ci/run coverage` |
| mutations of the source that tests find | | `.ci/run mutate` |
| CUDA kernels that tests launch | | `scripts/gpu-check.sh trust` |
| random work, memory and bits over time | test `soak` | `coppice_soak 86400` |
| binary interface, JSON schemas, files of earlier versions | tests `c_abi`, `docs_json_schemas`, `earlier_files` | |
| speed of a fixed set of figures | test `bench_records` | `scripts/record-bench.py`, [measured figures](performance.md) |
"""


def of(record):
    return f"{record['date']}, commit {record['commit']}"


def coverage(record):
    head = ["folder", "lines", "executed", "branches", "taken"]
    text = (f"{of(record)}; tests: {record['tests']}. `scripts/coverage.py`: a line counts once, executed by any instantiation; "
            "branches are those of conditions, without exceptions and the clean-up after them.")
    return text + "\n\n" + markdown(head, record["rows"])


def mutation(record):
    survivors = "\n".join(f"| `{s['file']}:{s['line']}` | {s['kind']} | {s['note'] or 'not examined'} |" for s in record["survivors"])
    found = 100 * record["found"] / max(1, record["tried"])
    text = (f"{of(record)}; `scripts/mutate.py --seed {record['seed']}`: {record['tried']} mutations of lines that the tests of the "
            f"host execute; they find {record['found']} ({found:.1f} %). {record['equivalent']} others change no result.")
    return text + (f"\n\n| survivor | change | examination |\n| --- | --- | --- |\n{survivors}" if survivors else "")


def kernels(record):
    text = (f"{of(record)}, {record['device']}; tests: the CUDA test programs. They launch {record['launched']} of the "
            f"{record['kernels']} instantiations of kernels that they contain, and some instantiation of "
            f"{record['templates_launched']} of the {record['templates']} templates. Reductions of CUB have different kernels for "
            "few and many elements; the tests of the direct solvers and of distributed solves on one device have fewer types than "
            "the library. `scripts/kernels.py --missing FILE` lists the others.")
    return text


def resources(record):
    head = ["registry", "threads", "rows", "failures", "coppice::error", "std::bad_alloc"]
    text = (f"{of(record)}; at most {record['limit']} allocations of a row fail, each alone and with all that follow. No crash, "
            "no leak, inputs unchanged, the same bits afterwards.")
    return text + "\n\n" + markdown(head, record["rows"])


def plain(record):
    return f"{of(record)}; {record['text']}"


SECTIONS = [("coverage", "Coverage", coverage), ("mutation", "Mutations", mutation), ("resources", "Failing allocations", resources),
            ("cuda_calls", "Failing calls of the CUDA runtime", plain), ("kernels", "CUDA kernels", kernels),
            ("crash", "Crash safety", plain), ("fuzz", "Damaged inputs", plain), ("soak", "Soak", plain)]


def page():
    parts = [HEAD]
    for name, title, write in SECTIONS:
        path = FOLDER / f"{name}.json"
        if path.exists():
            parts.append(f"## {title}\n\n{write(json.loads(path.read_text(encoding='utf-8')))}\n")
    return "\n".join(parts)


def main():
    new = page()
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != new:
            print("docs/trust.md differs from the records in docs/trust/; scripts/trust-page.py")
            return 1
        return 0
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
