#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a host with a GPU: the tests with the CUDA backend, then NVIDIA's checkers on the kernels. Prints a table; non-zero when
# anything in it is not clean.
#   gpu-check.sh [STEP]...    all of: parity tests memcheck racecheck initcheck synccheck
#     parity    tests/kernels and the module test; a skip counts as a failure
#     tests     all the other tests
#     *check    compute-sanitizer on test_parity (on the GPU alone) and test_prims, at reduced levels
# Environment: SUBDD_BUILD   folder with bin/ and tests/ (default: the bundle that this script lies in, else build)
#              GPU_CHECK_LOGS folder for the logs (default: a temporary one)     GPU_CHECK_LEVELS  refine levels of the checkers (3)
#              GPU_CHECK_TIMEOUT seconds for a file, or a checker (600)     COMPUTE_SANITIZER  the program, where it is not on PATH
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
[ -n "${SUBDD_BUILD:-}" ] || { [ -d "$here/tests/kernels" ] && [ -x "$here/bin/subdd" ] && SUBDD_BUILD=$here; } || SUBDD_BUILD=$here/build
SUBDD_BUILD=$(cd "$SUBDD_BUILD" && pwd) || exit 2
[ -n "${SUBDD_SHAPES:-}" ] || { [ -d "$SUBDD_BUILD/shapes" ] && SUBDD_SHAPES=$SUBDD_BUILD/shapes; } || SUBDD_SHAPES=$here/tests/shapes
export SUBDD_BUILD SUBDD_SHAPES SUBDD_BIN="$SUBDD_BUILD/bin" SUBDD_TEST_BACKEND=cuda
logs=${GPU_CHECK_LOGS:-$(mktemp -d)}
limit=${GPU_CHECK_TIMEOUT:-600}
levels=${GPU_CHECK_LEVELS:-3}
tools=$(dirname "$0")
table=$logs/gpu-check.txt
bad=0
mkdir -p "$logs" && : >"$table"

sanitizer=${COMPUTE_SANITIZER:-$(command -v compute-sanitizer || true)}
for dir in /usr/local/cuda/bin /usr/local/cuda/compute-sanitizer /opt/cuda/bin; do
    [ -n "$sanitizer" ] || [ ! -x "$dir/compute-sanitizer" ] || sanitizer=$dir/compute-sanitizer
done

# row STEP WHAT RESULT SECONDS
row() { printf '%-10s %-14s %-44s %5s s\n' "$1" "$2" "$3" "$4" | tee -a "$table"; }

run_tests() { # STEP FLAGS...
    step=$1 start=$(date +%s)
    shift
    SUBDD_TEST_TIMEOUT=$limit "$tools/run-tests" --backend cuda "$@" >"$logs/$step.log" 2>&1
    rc=$?
    [ $rc -eq 0 ] || { bad=1 && grep -v 'passed  (' "$logs/$step.log" | head -n 60; }
    row "$step" run-tests "$(tail -n 1 "$logs/$step.log")" $(($(date +%s) - start))
}

# check TOOL TEST: clean when the test passed, nothing was skipped for want of the GPU, and the checker found nothing.
check() {
    log=$logs/$1-${2##*/}.log start=$(date +%s)
    more=
    [ "$1" != memcheck ] || more='--leak-check full'
    SUBDD_TEST_PLAIN=1 SUBDD_TEST_LEVELS=$levels timeout -k 10 "$limit" \
        "$sanitizer" --tool "$1" $more --error-exitcode 99 "$SUBDD_BUILD/tests/kernels/$2" >"$log" 2>&1
    rc=$?
    errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]* errors\{0,1\}\).*/\1/p; s/.*RACECHECK SUMMARY: \(.*\)/\1/p' "$log" | tail -n 1)
    passed=$(sed -n 's/.*\[ *PASSED *\] \([0-9]* test\)(s).*/\1s passed/p' "$log" | head -n 1)
    result="${errors:-no summary}, ${passed:-no test passed}"
    case $rc in 0) ;; 124) result="$result, timed out" bad=1 ;; *) result="$result, exit code $rc" bad=1 ;; esac
    [ -n "$errors" ] && [ -n "$passed" ] || bad=1
    ! grep -q '^skip: .*\(CUDA module\|driver\|GPU\)' "$log" || { result="$result, SKIPPED" && bad=1; }
    [ $rc -eq 0 ] || grep -E '=========|FAILED|ERROR' "$log" | head -n 40
    row "$1" "${2##*/}" "$result" $(($(date +%s) - start))
}

command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee -a "$table"
[ $# -gt 0 ] || set -- parity tests memcheck racecheck initcheck synccheck
for step in "$@"; do
    case $step in
    parity) run_tests parity --strict 'kernels/*' unit/device/module ;;
    tests) run_tests tests 'unit/*' 'engines/*' 'oracle/*' 'http/*' ;;
    memcheck | racecheck | initcheck | synccheck)
        if [ -z "$sanitizer" ]; then
            bad=1
            row "$step" - "compute-sanitizer is not installed" 0
        else
            check "$step" device/test_prims
            check "$step" test_parity
        fi
        ;;
    *) echo "gpu-check.sh: no step $step" >&2 && exit 2 ;;
    esac
done
echo "logs: $logs"
[ $bad -eq 0 ] && echo "gpu-check: clean" || { echo "gpu-check: NOT clean" && exit 1; }
