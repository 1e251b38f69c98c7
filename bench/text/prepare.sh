#!/usr/bin/env bash
# The peak memory of `eatt corpus prepare`, learning of the pieces included, at its default options
# with 2 threads. Prints a line per figure: name, value, goal, holds|short, separated by tabs.
#
#   bench/text/prepare.sh [--quick]
#
# Half a million and a million pairs, to see how it grows; --quick takes fewer pairs and learns fewer
# pieces. The text is made up on the spot, of 60,000 types of words on each side by Zipf's law. Peak
# memory is what the kernel reports for the whole process, mapped files included.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
eatt=$root/build/release/bin/eatt
made_up_text=$root/build/release/bench/made_up_text
peak_memory=$root/build/release/bench/peak_memory
goal=400

sizes=(500000 1000000) options=()
case "${1:-}" in
  --quick) sizes=(40000) options=(--vocab-size 2000) ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for pairs in "${sizes[@]}"; do
  name="peak memory of preparing $pairs pairs, MB"
  if [ ! -x "$made_up_text" ] || [ ! -x "$peak_memory" ]; then
    printf '%s\tskipped\t<=%d\tno build/release/bench/made_up_text or peak_memory\n' "$name" "$goal"
    continue
  fi
  "$made_up_text" words "$pairs" "$folder/source" "$folder/target"
  kilobytes=$("$peak_memory" "$eatt" --quiet corpus prepare --cpu-threads 2 --overwrite \
    --train-sets "$folder/source" "$folder/target" --output "$folder/data" \
    ${options+"${options[@]}"} 2> "$folder/log") || { cat "$folder/log" >&2; exit 1; }
  awk -v name="$name" -v goal="$goal" -v kilobytes="$kilobytes" 'BEGIN {
    value = kilobytes / 1024
    printf "%s\t%.0f\t<=%d\t%s\n", name, value, goal, (value <= goal) ? "holds" : "short"
  }'
done
