#!/usr/bin/env bash
# What the server makes of a CPU second, beside `eatt translate` on the same sentences; times of
# responses with and without load (on stderr); memory after many requests. Prints a line per figure:
# name, value, goal, holds|short, separated by tabs.
#
#   bench/serve/load.sh [--quick] [speed|memory]
#
# A random E-ATT model in int8 (width 256, 3 + 3 layers, 8,000 pieces), no cache of translations, 64
# connections of wrk on loopback. CPU time is that of the server's process; eatt translate's is
# without its start. --quick sends less. With speed or memory, only those figures.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
names=("served sentences per CPU second over eatt translate" "gain of batching over that of eatt translate"
  "growth of memory over many requests")
goals=('>=0.9' '>=0.9' '<=1.05')

missing=
for program in bin/eatt bin/eatt-serve bench/random_bundle; do
  [ -x "$root/build/release/$program" ] || missing="no build/release/$program"
done
command -v wrk >/dev/null || missing="no wrk (package wrk)"
command -v python3 >/dev/null || missing="no python3"
if [ -n "$missing" ]; then
  for i in "${!names[@]}"; do printf '%s\tskipped\t%s\t%s\n' "${names[i]}" "${goals[i]}" "$missing"; done
  exit 0
fi
exec python3 "$root/bench/serve/load.py" "$root/build/release" "$@"
