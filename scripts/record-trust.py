#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs that try crashes, failing resources, damaged inputs and random work, and stores what they report in
docs/trust/, from which scripts/trust-page.py writes docs/trust.md.

usage: scripts/record-trust.py [--bin DIR] [--allocations N] [--executions N] [--seconds S] [--calls N] [NAME...]

NAME: crash, resources, fuzz, soak; all by default. cuda_calls needs a GPU. The defaults take some five minutes; --executions
1000000 --seconds 86400 is a long form. A program that fails stores nothing.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from trust_records import FOLDER, ROOT, device, store


def output_of(options, *words):
    done = subprocess.run([options.bin / words[0], *map(str, words[1:])], capture_output=True, text=True)
    print(done.stdout + done.stderr, end="", flush=True)
    if done.returncode:
        sys.exit(f"{words[0]}: exit code {done.returncode}; no record is stored")
    return done.stdout


def crash(options):
    kills = re.findall(r"^(.+?) +(\d+) kills$", output_of(options, "coppice_crash_test", options.bin / "coppice"), re.M)
    every = ", ".join(f"{name} {count}" for name, count in kills)
    return {"text": f"`coppice_crash_test`: kills at every system call from the first that creates a file, without and with an "
                    f"older file: {every}. Each time the file had its old or its new content, and the next run removed what was "
                    "left. Data are on the disk before the rename, the folder after it."}


def resources(options):
    text = output_of(options, "coppice_failing_resources", options.allocations)
    rows = re.findall(r"^(.+?) +(\d+) threads?, +(\d+) rows, +(\d+) failures: (\d+) coppice::error, (\d+) std::bad_alloc$", text, re.M)
    return {"limit": options.allocations, "rows": [list(row) for row in rows]}


def fuzz(options):
    texts = []
    for program in ("coppice_fuzz_readers", "coppice_fuzz_operations"):
        found = re.findall(r"^(\w+): (\d+) executions$", output_of(options, program, "all", options.executions), re.M)
        total = sum(int(count) for _, count in found)
        texts.append(f"`{program} all {options.executions}`: {len(found)} targets, {total:,} executions")
    return {"text": "; ".join(texts) + ". No crash; readers never take more memory than the limit for the size of the input; "
                    "operations agree with their definitions."}


def soak(options):
    found = re.findall(r"^seed (\d+): (\d+) tasks, ([\d.]+) MB in memory .*?, ([\d.]+) MB at the end$",
                       output_of(options, "coppice_soak", options.seconds), re.M)
    every = "; ".join(f"{tasks} tasks, memory {early} MB after a quarter of the time, {late} MB at the end"
                      for _, tasks, early, late in found)
    return {"text": f"`coppice_soak {options.seconds:g}`: two processes at the same time: {every}. Every answer has the same bits for "
                    "other numbers of threads."}


def cuda_calls(options):
    text = output_of(options, "coppice_failing_cuda_calls", options.calls)
    counts = r"(\d+) rows, (\d+) calls, (\d+) failures: (\d+) coppice::error, (\d+) std::bad_alloc, (\d+) right results"
    rows, calls, failures, errors, bad_allocs, right = re.search(counts, text).groups()
    ignored = re.findall(r"^right result after a failure of (\w+): (\d+)$", text, re.M)
    return {"text": f"{device()}, `coppice_failing_cuda_calls {options.calls}`: {rows} rows of the registries make {int(calls):,} calls, "
                    f"of which at most {options.calls} of a row fail, each alone: {failures} failures, {errors} coppice::error, "
                    f"{bad_allocs} std::bad_alloc, {right} right results nevertheless "
                    f"({', '.join(f'`{name}` {count}' for name, count in ignored)}): loops that cannot be recorded as a graph "
                    "run from the host, and some attributes and waits are not needed. Inputs are unchanged, the next call has the "
                    "same bits; at most 12 graphs, events, streams or blocks of memory more exist after the failures of a row."}


RECORDS = {"crash": crash, "resources": resources, "fuzz": fuzz, "soak": soak, "cuda_calls": cuda_calls}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin", metavar="DIR")
    parser.add_argument("--allocations", type=int, default=300, metavar="N", help="of a row that fail; default: 300")
    parser.add_argument("--executions", type=int, default=100000, metavar="N", help="of each target; default: 100000")
    parser.add_argument("--seconds", type=float, default=120, metavar="S", help="of random work; default: 120")
    parser.add_argument("--calls", type=int, default=60, metavar="N", help="of the CUDA runtime that fail in a row; default: 60")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    for name in options.names:
        if name not in RECORDS:
            parser.error(f"{name} is none of {', '.join(RECORDS)}")
    for name in options.names or [n for n in RECORDS if n != "cuda_calls"]:
        store(FOLDER / f"{name}.json", RECORDS[name](options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
