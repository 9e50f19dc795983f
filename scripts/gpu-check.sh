#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests and measures the CUDA backend on a machine with a GPU, in one go.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    cat <<'HELP'
usage: scripts/gpu-check.sh [--build DIR] [--out DIR] [--limit S] [OPTION...] [STAGE...]

Stages, all except `sanitize`, `trust`, `record`, `accuracy` and `python` by default:
  build      configures DIR with COPPICE_CUDA=ON and builds it (left out when DIR/bin holds the programs already)
  test       every CUDA test program
  sanitize   compute-sanitizer (memcheck, racecheck, initcheck, synccheck) over the CUDA test programs, several runs
             of a few test cases simultaneously: the number of reports of each tool and program, and their kernels; minutes
  trust      failing calls of the CUDA runtime, and which kernels the tests launch: records in docs/trust/
  solve      the main job on the GPU
  bench      every suite of `coppice bench` on the GPU, with its peers
  record     the fixed set of figures of GPU and host, at most eight minutes: a record in bench/results/, the tables of
             docs/results/, and what changed since the last record (scripts/record-bench.py)
  python     builds the Python package for the CUDA library of the build folder and runs python/tests; needs a package
             index, or wheels of what the tests import (cupy, torch, jax are tested where they are installed)
  accuracy   errors of the direct solvers on the GPU compared with those of LAPACK; minutes

  --build DIR   build folder, default build/gpu
  --out DIR     where logs and the measured rows (JSON lines) go, default build/gpu-check
  --limit S     seconds after which a program counts as hung, default 1200
  --tools LIST, --programs LIST, --cases PATTERN, --exclude-cases PATTERN, --jobs N, --time S, --suppressions FILE,
  --records
                for `sanitize`: tools and (parts of names of) programs, divided by commas; test cases as doctest takes
                them; simultaneous runs; seconds for all of them; known false reports with their reasons;
                writes reports as such a file has them. See scripts/gpu-sanitize.py --help
Exit code 0 when every stage that ran succeeded.
HELP
}

build=$root/build/gpu
out=$root/build/gpu-check
limit=1200
sanitize=()
stages=()
while [ $# -gt 0 ]; do
    case "$1" in
    --build) build=$2 && shift ;;
    --out) out=$2 && shift ;;
    --limit) limit=$2 && shift ;;
    --tools | --programs | --cases | --exclude-cases | --jobs | --time | --suppressions)
        sanitize+=("$1=$2") && shift
        ;;
    --records) sanitize+=("$1") ;;
    -h | --help) usage && exit 0 ;;
    build | test | sanitize | trust | solve | bench | record | python | accuracy) stages+=("$1") ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done
if [ ${#stages[@]} -eq 0 ]; then
    stages=(test solve bench)
    [ -x "$build/bin/coppice" ] || stages=(build "${stages[@]}")
fi
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || {
    echo "gpu-check: no NVIDIA GPU on this machine" >&2
    exit 5
}

failed=()
# run NAME COMMAND...: keeps the output in a log, shows its end, remembers failures.
run() {
    local name=$1 start=$SECONDS
    shift
    if timeout "$limit" "$@" >"$out/$name.log" 2>&1; then
        printf '%-40s ok    %4d s  %s\n' "$name" $((SECONDS - start)) "$(grep -a 'assertions:' "$out/$name.log" | tail -n 1)"
    else
        printf '%-40s FAILED (code %d)\n' "$name" $?
        tail -n 30 "$out/$name.log"
        failed+=("$name")
    fi
}

# Only the bindings are compiled, for the installed library. $COPPICE_PYTHON is an interpreter with the packages of the tests.
check_python() {
    local venv=$out/python prefix=$out/python-prefix
    rm -rf "$venv" "$prefix"
    run python-install cmake --install "$build" --prefix "$prefix"
    run python-venv "${COPPICE_PYTHON:-python3}" -m venv --system-site-packages "$venv"
    run python-packages "$venv/bin/pip" install -q scikit-build-core nanobind numpy scipy networkx pytest hypothesis tqdm \
        mypy numba igraph
    run python-wheel env -C "$root" "$venv/bin/pip" install --no-build-isolation --no-deps --force-reinstall . \
        -C build-dir="$out/python-objects" -C cmake.source-dir=python -C cmake.define.CMAKE_PREFIX_PATH="$prefix"
    run python-tests env -C "$out" "$venv/bin/python" -m pytest -q -p no:cacheprovider "$root/python/tests"
}

# $COPPICE_COMMIT names the commit if this is no clone, here and below.
record_trust() {
    local program
    rm -f "$out/kernels.txt"
    for program in "$build"/bin/coppice_test_*_cuda; do
        run "kernels-$(basename "$program")" env COPPICE_KERNELS_FILE="$out/kernels.txt" "$program"
    done
    run kernels "$root/scripts/kernels.py" "$out/kernels.txt" --out "$root/docs/trust/kernels.json" --missing "$out/not-launched.txt"
    run cuda-calls "$root/scripts/record-trust.py" --bin "$build/bin" --calls 60 cuda_calls
    "$root/scripts/trust-page.py"
}

# A partial record is a failure of the stage, but it is stored.
record_figures() {
    local folder
    "$root/scripts/record-bench.py" --build "$build" --limit 450 ${COPPICE_COMMIT:+--commit "$COPPICE_COMMIT"} |
        tee "$out/record.log" || failed+=(record)
    "$root/scripts/bench-tables.py" --pages
    for folder in "$root"/bench/results/*/; do # machines with a single record have nothing to compare
        "$root/scripts/compare-bench.py" "$folder" 2>&1 | tee -a "$out/record.log"
    done
}

for stage in "${stages[@]}"; do
    programs=("$build"/bin/coppice_test_*_cuda "$build"/bin/coppice_test_tridigpu) # a stage may have built them
    case "$stage" in
    build)
        limit=0 run configure cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCOPPICE_CUDA=ON
        limit=0 run build cmake --build "$build" --parallel "$(nproc)"
        ;;
    test)
        for program in "${programs[@]}"; do run "$(basename "$program")" "$program"; done
        ;;
    sanitize)
        "$root/scripts/gpu-sanitize.py" --bin="$build/bin" --out="$out/sanitize" --limit="$limit" "${sanitize[@]}" |
            tee "$out/sanitize.log" || failed+=(sanitize)
        ;;
    trust)
        record_trust
        ;;
    solve)
        run solve "$build/bin/coppice" solve generate:aniso2,nx=1200 --backend cuda --solution sine --json "$out/solve.json"
        grep -aE 'iterations|seconds|residual|converged' "$out/solve.log" | head -n 12
        ;;
    bench)
        run bench "$build/bin/coppice" bench all --backend cuda --json "$out/bench.jsonl"
        cat "$out/bench.log"
        ;;
    record)
        record_figures
        ;;
    python)
        check_python
        ;;
    accuracy)
        run accuracy "$build/bin/coppice" bench accuracy --backend cuda --json "$out/accuracy.jsonl"
        cat "$out/accuracy.log"
        ;;
    esac
done

[ ${#failed[@]} -eq 0 ] || {
    echo "gpu-check: failed: ${failed[*]}" >&2
    exit 1
}
echo "gpu-check: all stages passed"
