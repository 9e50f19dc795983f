#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which CUDA kernels the tests launch, from the lists of the test programs (tests/support/cuda_kernels.cpp).

usage: scripts/kernels.py LIST... [--out FILE] [--missing FILE]

    for test in build/bin/coppice_test_*_cuda; do COPPICE_KERNELS_FILE=kernels.txt $test; done   # scripts/gpu-check.sh trust
    scripts/kernels.py kernels.txt --out docs/trust/kernels.json --missing build-ci/kernels-not-launched.txt

A kernel is an instantiation: a template with its types. The second figure counts templates: a kernel with the name of the
function object that it runs, without their types. --missing lists the templates of which no instantiation is launched, then
the other instantiations that are not.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from trust_records import device, store


def demangled(names):
    found = subprocess.run(["c++filt"], input="\n".join(names) + "\n", capture_output=True, text=True, check=True).stdout
    return dict(zip(names, found.splitlines()))


def without_types(name):
    """Names of the kernel and of the templates in its arguments, without their arguments."""
    name = re.sub(r"\(anonymous namespace\)::|coppice::(v0_1::)?|\{lambda\([^{}]*\)#\d+\}", lambda m: "lambda" if m[0][0] == "{" else "", name)
    name = re.sub(r"^void ", "", name)
    words = re.findall(r"[A-Za-z_][\w:]*", name.split("(")[0])
    types = {"double", "float", "int", "long", "unsigned", "char", "short", "bool", "std::complex", "const", "true", "false",
             "signed", "ul", "u", "l"}
    return " ".join(dict.fromkeys(w for w in words if w not in types))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=Path, metavar="LIST")
    parser.add_argument("--out", type=Path, metavar="FILE", help="record for docs/trust.md")
    parser.add_argument("--missing", type=Path, metavar="FILE", help="gets the kernels that no test launches")
    options = parser.parse_args()
    launched, all_kernels = set(), set()
    for path in options.lists:
        for line in path.read_text(encoding="utf-8").splitlines():
            state, name = line.split(" ", 1)
            all_kernels.add(name)
            if state == "launched":
                launched.add(name)
    names = demangled(sorted(all_kernels))
    own = {mangled for mangled, name in names.items() if "coppice" in name}
    templates, of_launched = {without_types(names[m]) for m in own}, {without_types(names[m]) for m in own & launched}
    not_launched = sorted(templates - of_launched)
    print(f"{len(own)} kernels, {len(own & launched)} launched; {len(templates)} templates, {len(of_launched)} launched")
    if options.missing:
        rest = sorted(names[m] for m in own - launched if without_types(names[m]) in of_launched)
        options.missing.write_text("\n".join(["templates:", *not_launched, "", "instantiations:", *rest]) + "\n", encoding="utf-8")
    if options.out:
        store(options.out, {"device": device(), "kernels": len(own), "launched": len(own & launched), "templates": len(templates),
                            "templates_launched": len(of_launched)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
