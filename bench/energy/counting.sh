#!/usr/bin/env bash
# What counting operations costs a translation. Prints a line per figure: name, value, goal,
# holds|short, separated by tabs; intervals go to stderr.
#
#   bench/energy/counting.sh [--quick]
#
# Random E-ATT models: the binary codes are what takes most to count. --quick takes smaller models
# and fewer rounds.
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
for program in bin/eatt bench/random_bundle bench/translate_bench; do
  [ -x "$root/build/release/$program" ] || missing="no build/release/$program"
done
if [ -n "$missing" ]; then
  printf 'counting\tskipped\t<=1.05\t%s\n' "$missing"
  exit 0
fi

exec "$python" "$root/bench/energy/counting.py" "$@"
