#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the suite `splittings` of a file of suites (scripts/record-bench.py --suites splittings).

usage: scripts/splittings-picture.py FILE.json PICTURE.svg

The picture has iterations above and time below, on logarithmic axes; empty markers denote runs that did not converge.
"""
import argparse
import math
import re
import sys
from pathlib import Path

from bench_rows import parse

FORESTS = ("alt-i", "alt-o", "mos-d", "mos-a", "mos", "adi", "block-forest")
SERIES = [
    ("jacobi", "Jacobi", "#888888"),
    ("forest", "one forest", "#1f77b4"),
    ("several", "several forests, the best", "#2ca02c"),
    ("ilu0", "ILU(0), ours", "#ff7f0e"),
    ("cuSPARSE ILU(0)", "ILU(0), cuSPARSE", "#d62728"),
    ("auto", "auto", "#9467bd"),
]


def iterations(row):
    return int(re.match(r"(\d+) iterations", row["note"]).group(1))


def converged(row):
    return ", converged" in row["note"]


def chosen(rows):
    """Of one kind of matrix: a row for each of SERIES."""
    by_name = {row["method"]: row for row in rows}
    several = [row for row in rows if row["method"].split(",")[0] in FORESTS]
    reached = [row for row in several if converged(row)]
    if reached:
        by_name["several"] = min(reached, key=lambda row: row["seconds"])
    return {name: by_name[name] for name, _, _ in SERIES if name in by_name}


def label(kind):
    return kind.split(":")[0]


def picture(kinds, path):
    left, width, height, gap, foot = 70, 46 * len(kinds), 210, 46, 110
    parts = []
    panels = [
        ("iterations", lambda row: iterations(row)),
        ("milliseconds, set-up included", lambda row: row["seconds"] * 1e3),
    ]
    for p, (title, value) in enumerate(panels):
        top = 60 + p * (height + gap)
        values = [value(row) for rows in kinds.values() for row in rows.values() if value(row) > 0]
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

        def y(v, top=top, low=low, high=high):
            return top + height * (1 - (math.log10(v) - low) / (high - low))

        parts.append(f'<text x="{left}" y="{top - 8}" class="t">{title}</text>')
        for e in range(low, high + 1):
            parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y(10.0 ** e):.1f}" y2="{y(10.0 ** e):.1f}" class="g"/>')
            parts.append(f'<text x="{left - 6}" y="{y(10.0 ** e) + 4:.1f}" text-anchor="end">{10 ** e:,}</text>')
        for k, rows in enumerate(kinds.values()):
            for s, (name, _, colour) in enumerate(SERIES):
                if name not in rows or value(rows[name]) <= 0:
                    continue
                x, fill = left + 46 * k + 8 + 6 * s, colour if converged(rows[name]) else "none"
                parts.append(f'<circle cx="{x}" cy="{y(value(rows[name])):.1f}" r="3.4" stroke="{colour}" fill="{fill}"/>')
    bottom = 60 + 2 * height + gap
    for k, kind in enumerate(kinds):
        x = left + 46 * k + 23
        parts.append(f'<text transform="translate({x},{bottom + 14}) rotate(40)">{label(kind)}</text>')
    for s, (_, title, colour) in enumerate(SERIES):
        x = left + 165 * s
        parts.append(f'<circle cx="{x}" cy="16" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 8}" y="20">{title}</text>')
    total = left + max(width + 60, 165 * len(SERIES)), bottom + foot
    with open(path, "w", encoding="utf-8") as out:
        out.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" width="{total[0]}">\n'
            "<style>text{font:12px sans-serif;fill:#333}.t{font-weight:bold}.g{stroke:#ddd}</style>\n"
            f'<rect width="{total[0]}" height="{total[1]}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE.json")
    parser.add_argument("picture", type=Path, metavar="PICTURE.svg")
    options = parser.parse_args()
    kinds = {}
    for row in parse(options.file)[0]:
        if row["suite"] == "splittings":
            kinds.setdefault(row["problem"].split(", c_diag")[0], []).append(row)
    if not kinds:
        sys.exit(f"{options.file}: no rows of the suite splittings")
    picture({kind: chosen(rows) for kind, rows in kinds.items()}, options.picture)


if __name__ == "__main__":
    main()
