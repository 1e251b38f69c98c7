#!/usr/bin/env bash
# The selection projection and exact L1 scores of integers, over the fastest sgemm of the machine
# (OpenBLAS or oneDNN), on one thread. Prints a line per figure: name, value, -, information,
# separated by tabs; the libraries go to stderr.
#
#   bench/kernels/selection.sh [--quick]
#
# Results are compared first; then both sides run in turn. --quick takes fewer rounds.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
rounds=400
case "${1:-}" in
  --quick) rounds=60 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

program=$root/build/release/bench/selection_bench
if [ ! -x "$program" ]; then
  printf 'selection and integer scores\tskipped\t-\tno build/release/bench/selection_bench\n'
  exit 0
fi

export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
. "$root/bench/blas_environment.sh"
exec "$program" "$rounds"
