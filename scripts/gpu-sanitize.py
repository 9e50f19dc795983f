#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the CUDA test programs under the tools of compute-sanitizer and counts the reports.

A program is divided into runs of a few test cases; runs of all tools and programs share the machine. For every tool and
program the table names the number of reports, and below it each distinct report with its kernel, or for copies with the
host functions that asked for them. Exit code 0: no reports, all runs completed.

A suppression file is XML. In front of each element a comment names the reason:

    <suppressions>
      <!-- why this is no fault -->
      <record>...</record>              as --records writes it: API errors, initcheck, racecheck
      <!-- why this is no fault -->
      <exclude tool="synccheck" kernel="part of the mangled name"/>     kernels that a tool does not look at
      <!-- why this is no fault -->
      <report tool="racecheck" matches="regular expression"/>           reports whose text contains a match
    </suppressions>

memcheck and initcheck run with COPPICE_CUDA_POOL=0: each buffer is an allocation to the tool, so that accesses beyond its
end and memory that was freed before are found. initcheck also runs with COPPICE_RANKS_IN_TURN=1: it marks a new allocation
as unwritten while other threads use the device, and then forgets the first writes to it.
"""
import argparse
import collections
import concurrent.futures
import glob
import html
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import time

TOOLS = ["racecheck", "initcheck", "synccheck", "memcheck"]  # the slowest first
FOUND = 86  # exit code of compute-sanitizer where it has reports
Run = collections.namedtuple("Run", "tool program first last log")
Result = collections.namedtuple("Result", "run code seconds reports unprinted")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the test programs")
    parser.add_argument("--out", required=True, help="folder of the logs")
    parser.add_argument("--tools", default=",".join(TOOLS), help="default: %(default)s")
    parser.add_argument("--programs", default="", help="names, or parts of names, divided by commas; default: all")
    parser.add_argument("--cases", default="", help="test cases, as doctest's -tc takes them; default: all")
    parser.add_argument("--exclude-cases", default="", help="test cases that are left out (doctest's -tce)")
    parser.add_argument("--cases-per-run", type=int, default=6, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) * 3 // 4),
                        help="runs at once; default: three for four cores")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one run; default: %(default)s")
    parser.add_argument("--time", type=float, default=0, help="seconds for everything: runs that still go on are "
                        "stopped, and those left are named; default: no limit")
    parser.add_argument("--print-limit", type=int, default=5000, help="reports that a run writes; default: %(default)s")
    parser.add_argument("--suppressions", default=os.path.splitext(os.path.abspath(__file__))[0] + ".xml",
                        help="suppression file, empty for none; default: gpu-sanitize.xml next to this script")
    parser.add_argument("--records", action="store_true", help="also writes each run's reports as records for a "
                        "suppression file, beside its log")
    options = parser.parse_args()
    options.tools = options.tools.split(",")
    for tool in options.tools:
        if tool not in TOOLS:
            parser.error(f"--tools: {tool} is none of {', '.join(TOOLS)}")
    return options


def filters(options):
    given = [("--test-case", options.cases), ("--test-case-exclude", options.exclude_cases)]
    return [f"{name}={pattern}" for name, pattern in given if pattern]


def programs(options):
    found = sorted(glob.glob(f"{options.bin}/coppice_test_*_cuda")) + glob.glob(f"{options.bin}/coppice_test_tridigpu")
    if options.programs:
        found = [p for p in found if any(part in os.path.basename(p) for part in options.programs.split(","))]
    if not found:
        sys.exit(f"gpu-sanitize: no CUDA test program in {options.bin} matches --programs {options.programs}")
    return found


def case_count(program, options):
    """Test cases of a program that pass the filters; 0 for a program that is no list of cases."""
    if not program.endswith("_cuda"):
        return 0
    text = subprocess.run([program, "--count", "--no-colors=1", *filters(options)], capture_output=True, text=True,
                          check=False).stdout
    found = re.search(r"passing the current filters: (\d+)", text)
    if not found:
        sys.exit(f"gpu-sanitize: {program} --count prints no number of test cases: {text.strip()}")
    return int(found[1])


def all_runs(options):
    counts = {program: case_count(program, options) for program in programs(options)}
    for tool in options.tools:
        for program, count in sorted(counts.items(), key=lambda item: -item[1]):
            name = os.path.basename(program)
            if not program.endswith("_cuda"):
                if not options.cases:
                    yield Run(tool, program, 0, 0, f"{options.out}/{tool}-{name}.log")
                continue
            for first in range(1, count + 1, options.cases_per_run):
                last = min(first + options.cases_per_run - 1, count)
                yield Run(tool, program, first, last, f"{options.out}/{tool}-{name}-{first:03}.log")


def suppressions(options):
    """Arguments of compute-sanitizer and patterns of reports for each tool, from the suppression file."""
    chosen, false_reports = {tool: [] for tool in options.tools}, {tool: [] for tool in options.tools}
    if not options.suppressions:
        return chosen, false_reports
    text = open(options.suppressions, encoding="utf-8").read()
    element = r"<record>.*?</record>|<(?:exclude|report)\s[^>]*/>"
    with_reason = re.findall(rf"<!--\s*(\S(?:(?!-->).)*?)\s*-->\s*({element})", text, re.S)
    if len(with_reason) != len(re.findall(element, re.sub(r"<!--.*?-->", "", text, flags=re.S), re.S)):
        sys.exit(f"gpu-sanitize: {options.suppressions}: an element has no comment in front that names the reason")
    records = [body for _, body in with_reason if body.startswith("<record>")]
    if records:
        plain = f"{options.out}/suppressions.xml"
        with open(plain, "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="utf-8"?>\n<ComputeSanitizerOutput>\n' + "\n".join(records) +
                       "\n</ComputeSanitizerOutput>\n")
        for given in chosen.values():
            given += ["--suppressions", plain]
    for reason, body in with_reason:
        print(f"suppressed: {' '.join(reason.split())}")
        if not body.startswith("<record>"):
            of = dict(re.findall(r'(\w+)="([^"]*)"', body))
            if of.get("tool") in chosen and "matches" in of:
                false_reports[of["tool"]].append(html.unescape(of["matches"]))
            elif of.get("tool") in chosen:
                chosen[of["tool"]] += ["--kernel-name-exclude", f"kernel_substring={of['kernel']}"]
    return chosen, false_reports


def command(run, slot, options, suppressed):
    words = ["compute-sanitizer", "--tool", run.tool, "--error-exitcode", str(FOUND), "--print-limit",
             str(options.print_limit), "--port", str(49152 + 32 * slot), *suppressed[run.tool]]
    if run.tool == "memcheck":  # tests provoke failed allocations on purpose
        words += ["--report-api-errors", "no"]
    if options.records:
        words += ["--xml", "--save", f"{run.log}.xml"]
    words.append(run.program)
    if run.last:
        words += [f"--first={run.first}", f"--last={run.last}", "--no-colors=1", *filters(options)]
    return words


def environment(tool):
    chosen = {"COPPICE_CUDA_POOL": "0"} if tool in ("memcheck", "initcheck") else {}
    if tool == "initcheck":
        chosen["COPPICE_RANKS_IN_TURN"] = "1"
    return {**os.environ, **chosen}


def execute(run, slots, options, suppressed, false_reports, end):
    """Runs it in the next free slot. Code None: not started any more; 124: stopped."""
    slot = slots.get()
    begin = time.monotonic()
    try:
        left = min(options.limit, end - begin) if end else options.limit
        if left <= 0:
            return Result(run, None, 0, collections.Counter(), 0)
        with open(run.log, "wb") as log:
            process = subprocess.Popen(command(run, slot, options, suppressed), stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True, env=environment(run.tool))
            try:
                code = process.wait(left)
            except subprocess.TimeoutExpired:
                code = 124
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return Result(run, code, time.monotonic() - begin, *read_log(run.log, false_reports[run.tool]))
    finally:
        slots.put(slot)


def shortened(name, most=170):
    name = re.sub(r"\(anonymous namespace\)::", "", re.sub(r"coppice::(v\d+_\d+::)?", "", name))
    name = re.sub(r"^(void|static void) ", "", name)
    depth = 0
    for i, c in enumerate(name):  # without the parameters: the first bracket outside of template arguments
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            name = name[:i]
            break
    return name if len(name) <= most else name[:most] + "..."


SILENT_FRAMES = re.compile(r"libcuda|libcudart|cudaMem|cudaLaunch|copy_bytes|load_bytes|libc\.so|doctest|^main|_start")


def place_of(lines):
    """The kernel of a report; where it has none, the innermost host functions of ours."""
    for line in lines:
        if found := re.search(r"\bat (.+?)\+0x[0-9a-f]+", line):
            return shortened(found[1])
    frames = [re.sub(r"^.*Host Frame:\s*", "", line) for line in lines if "Host Frame:" in line]
    ours = [shortened(re.sub(r"\s*\[0x.*|\+0x.*| in [^ ]*$", "", f)) for f in frames if not SILENT_FRAMES.search(f)]
    return " <- ".join(ours[:3]) or "no place"


NO_REPORT = re.compile(r"COMPUTE-SANITIZER|SUMMARY|^Target application|were not printed|^This tool|^Please|^$")


def read_log(path, false_reports):
    """Counts of (message, place) without the known false reports, and how many reports were not printed."""
    reports, head, lines, unprinted = collections.Counter(), None, [], 0

    def close():
        if head is not None and not any(re.search(pattern, " ".join([head, *lines])) for pattern in false_reports):
            message = re.sub(r" (at|in|on) (host access to )?0x[0-9a-f]+.*| (at|access at) .+\+0x.*", "", head)
            reports[message, place_of([head, *lines])] += 1

    for raw in open(path, encoding="utf-8", errors="replace"):
        if not raw.startswith("========= "): # doctest prints longer lines of them
            continue
        line = raw[9:].rstrip()
        if found := re.search(r"SUMMARY: (\d+) errors? w(?:ere|as) not printed", line):
            unprinted += int(found[1])
        if line.startswith("     "):
            lines.append(line)
            continue
        if not line.strip():
            continue
        close()
        head, lines = (None if NO_REPORT.search(line.strip()) else line.strip()), []
    close()
    return reports, unprinted


def show(results):
    """The table; the number of tools and programs with a finding."""
    groups, findings = collections.defaultdict(list), 0
    for r in results:
        groups[r.run.tool, os.path.basename(r.run.program)].append(r)
    for (tool, program), runs in groups.items():
        reports = sum((r.reports for r in runs), collections.Counter())
        number = sum(reports.values()) + sum(r.unprinted for r in runs)
        seconds = sum(r.seconds for r in runs)
        print(f"{tool:10} {program:28} {number:8} reports  {len(runs):3} runs {seconds:6.0f} s")
        for (message, place), count in reports.most_common():
            print(f"    {count:6}  {message}\n            {place}")
        unusual = [r for r in runs if r.code not in (0, FOUND)]
        for r in unusual:
            what = {None: "not run: no time left", 124: f"stopped after {r.seconds:.0f} s"}
            print(f"    cases {r.run.first} to {r.run.last}: {what.get(r.code, f'exit code {r.code}')}; "
                  f"{os.path.basename(r.run.log)}")
        findings += 1 if number or unusual else 0
    return findings


def main():
    options = arguments()
    if not shutil.which("compute-sanitizer"):
        sys.exit("gpu-sanitize: compute-sanitizer is not in PATH; it comes with the CUDA toolkit")
    os.makedirs(options.out, exist_ok=True)
    suppressed, false_reports = suppressions(options)
    end = time.monotonic() + options.time if options.time else 0
    slots = queue.Queue()
    for slot in range(options.jobs):
        slots.put(slot)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda run: execute(run, slots, options, suppressed, false_reports, end), all_runs(options)))
    sys.exit(1 if show(results) else 0)


if __name__ == "__main__":
    main()
