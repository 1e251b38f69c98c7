#!/usr/bin/env bash
# Products of rows by packed weights on one thread: bytes against oneDNN's int8 matmul, floats
# against the fastest sgemm of the machine (OpenBLAS or oneDNN). Prints a line per figure: name,
# value, goal, holds|short, separated by tabs; the libraries and GB/s go to stderr.
#
#   bench/translate/products.sh [--quick]
#
# Results are compared first; then both sides run in turn. --quick takes fewer rounds.
set -euo pipefail
. "$(dirname "$0")/../kernel_suite.sh"
run_kernel_suite products_bench 'products by packed weights' 100 10 "$@"
