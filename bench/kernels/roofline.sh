#!/usr/bin/env bash
# What this CPU can do at most, and each kernel as a share of it, on one thread. Prints a line per
# figure: name, value, goal, holds|short|information, separated by tabs.
#
#   bench/kernels/roofline.sh [--quick]
#
# EATT_FORCE_ISA measures another instruction set. --quick takes fewer rounds.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
rounds=60
case "${1:-}" in
  --quick) rounds=15 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

program=$root/build/release/bench/roofline_bench
if [ ! -x "$program" ]; then
  printf 'share of the limit\tskipped\t-\tno build/release/bench/roofline_bench\n'
  exit 0
fi
exec "$program" "$rounds"
