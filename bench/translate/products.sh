#!/usr/bin/env bash
# Products of rows by packed weights on one thread: bytes against oneDNN's int8 matmul, floats
# against the fastest sgemm of the machine (OpenBLAS or oneDNN). Prints a line per figure: name,
# value, goal, holds|short, separated by tabs; the libraries and GB/s go to stderr.
#
#   bench/translate/products.sh [--quick]
#
# Results are compared first; then both sides run in turn. --quick takes fewer rounds.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
rounds=100
case "${1:-}" in
  --quick) rounds=10 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

program=$root/build/release/bench/products_bench
if [ ! -x "$program" ]; then
  printf 'products by packed weights\tskipped\t-\tno build/release/bench/products_bench\n'
  exit 0
fi

export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
. "$root/bench/blas_environment.sh"
exec "$program" "$rounds"
