#!/usr/bin/env bash
# How fast a bundle of 240 MB opens and hashes. Prints a line per figure: name, value, goal,
# holds|short, separated by tabs. What is measured: bench/bundle_bench.cc.
#
#   bench/text/bundle.sh [--quick]
#
# The bundle is made on the spot in a temporary folder (TMPDIR) that is removed; --quick takes fewer
# rounds, not a smaller bundle.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
program=$root/build/release/bench/bundle_bench

rounds=7
case "${1:-}" in
  --quick) rounds=3 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

if [ ! -x "$program" ] || ! command -v sha256sum > /dev/null; then
  missing=$([ -x "$program" ] && echo "no sha256sum" || echo "no build/release/bench/bundle_bench")
  printf 'open a bundle of 240 MB, ms\tskipped\t<=20\t%s\n' "$missing"
  printf 'SHA-256 over sha256sum\tskipped\t>=0.8\t%s\n' "$missing"
  exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" "$folder" "$rounds"
