#!/usr/bin/env bash
# Attention on distances against products: scores, forward, backward (attention_bench) and memory of
# a training step (attention_memory, each form in a process of its own). Prints a line per figure:
# name, value, goal, holds|short|information, separated by tabs.
#
#   bench/kernels/attention.sh [--quick]
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
bench=$root/build/release/bench
quick=
case "${1:-}" in
  --quick) quick=1 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac
if [ ! -x "$bench/attention_bench" ]; then
  printf 'attention kernels\tskipped\t\tno build/release/bench/attention_bench\n'
  exit 0
fi

# One thread everywhere. OpenBLAS does not know CPUs newer than itself: see bench/README.md.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
. "$root/bench/blas_environment.sh"

"$bench/attention_bench" ${quick:+--quick}

# ratio NAME VALUE OF GOAL: VALUE / OF, which should be at most GOAL.
ratio() {
  awk -v name="$1" -v value="$2" -v of="$3" -v goal="$4" 'BEGIN {
    x = value / of; printf "%s\t%.4f\t<=%s\t%s\n", name, x, goal, x <= goal ? "holds" : "short" }'
}
length=512
[ -n "$quick" ] && length=256
fused=$("$bench/attention_memory" fused $length)
bmm=$("$bench/attention_memory" bmm $length)
ratio "memory of fused attention over bmm, softmax, bmm, length $length" "$fused" "$bmm" 0.30
# The broadcasting form takes about 4 tensors of length² · 64 floats a head.
needed=$((64 * length * length * 64 * 4 / 1024 * 9 / 2))
if [ "$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)" -gt "$needed" ]; then
  ratio "memory of fused attention over broadcasting, length $length" "$fused" \
    "$("$bench/attention_memory" broadcast $length)" 0.05
else
  printf 'memory of fused attention over broadcasting, length %s\tskipped\t<=0.05\tneeds %s MB of memory\n' \
    "$length" $((needed / 1024))
fi
ratio "memory of fused attention, length $((4 * length)) over $length" \
  "$("$bench/attention_memory" fused $((4 * length)))" "$fused" 4.5
