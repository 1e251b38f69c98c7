#!/usr/bin/env bash
# How many times faster a training update of eatt is than the same in plain PyTorch (Python, same
# model, batch, libtorch and BLAS), with vanilla attention and with E-ATT, and how much faster E-ATT
# is than vanilla attention. Prints a line per
# figure: name, value, goal, holds|short, separated by tabs; threads, times and intervals go to
# stderr.
#
#   bench/training/step.sh [--quick]
#
# Sides run in turn, each at its best setting of threads; loss and gradient are compared first.
# --quick takes 400 tokens an update and leaves out d 512.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
case "${1:-}" in
  --quick | '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3 || true)
missing=
[ -n "$python" ] || missing="no python3"
[ -x "$root/build/release/bench/training_step_bench" ] ||
  missing="no build/release/bench/training_step_bench"
if [ -n "$missing" ]; then
  printf 'training step\tskipped\t>=1.0\t%s\n' "$missing"
  exit 0
fi

exec "$python" "$root/bench/training/interleave.py" "$@"
