#!/usr/bin/env bash
# Measures what the project promises. Prints a line per figure, separated by tabs: name, value, goal
# (>=1.5 or <=0.45), and `holds` or `short`; a figure whose other side is missing on this machine has
# `skipped` as its value and the reason in the end; one without a goal ends in `information`.
# Installs and builds nothing.
#
#   scripts/bench.sh SUITE [--quick]
#
# A suite is the folder bench/SUITE: each script in it prints its own figures and can be run alone.
# --quick takes smaller sizes and ends within 50 seconds. Goals are ratios within one run; times of
# different runs or machines are not to be compared.
set -euo pipefail
cd "$(dirname "$0")/.."

suites=$(for folder in bench/*/; do compgen -G "$folder*.sh" > /dev/null && basename "$folder"; done |
  paste -sd ' ')
usage() {
  echo "usage: scripts/bench.sh SUITE [--quick], with SUITE one of: $suites" >&2
  exit 2
}

[ $# -ge 1 ] && [ $# -le 2 ] && [ "${2:---quick}" = --quick ] || usage
suite=$1
[[ " $suites " == *" $suite "* ]] || usage

if [ ! -x build/release/bin/eatt ]; then
  echo "scripts/bench.sh: build/release/bin/eatt is missing; build it by: cmake --workflow --preset release" >&2
  exit 1
fi

failed=0
for script in "bench/$suite"/*.sh; do
  "$script" "${@:2}" || { echo "scripts/bench.sh: $script failed" >&2; failed=1; }
done
exit $failed
