#!/usr/bin/env bash
# The selection projection and its gradient, over the fastest sgemm of the machine (OpenBLAS or
# oneDNN), on one thread. Prints a line per figure: name, value, -, information,
# separated by tabs; the libraries go to stderr.
#
#   bench/kernels/selection.sh [--quick]
#
# Results are compared first; then both sides run in turn. --quick takes fewer rounds.
set -euo pipefail
. "$(dirname "$0")/../kernel_suite.sh"
run_kernel_suite selection_bench 'selection' 400 60 "$@"
