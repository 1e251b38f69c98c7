#!/usr/bin/env bash
# A large corpus from text to batches, on 2 threads: `eatt corpus prepare` with all filters, then the
# batches of one epoch, every pair read as training reads it. Prints speed, peak memory and disk, and
# how well the pairs are mixed.
#
#   bench/text/large_corpus.sh [--pairs N] [--folder DIR]
#
# N is 1,000,000 if not given. The text is made up on the spot, of 60,000 types of words on each
# side; its first hundredth comes again as a second corpus, of duplicates. 20 million pairs take 10 GB
# in DIR (a temporary folder if not given), which is emptied in the end. Peak memory is what the
# kernel reports for the whole process, mapped files included.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$root/build/release/bin
tools=$root/build/release/bench
pairs=1000000
folder=
while [ $# -gt 0 ]; do
  case "$1" in
    --pairs) pairs=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    *) echo "usage: $0 [--pairs N] [--folder DIR]" >&2; exit 2 ;;
  esac
done
[ -n "$folder" ] && mkdir -p "$folder"
work=$(mktemp -d ${folder:+-p "$folder"})
trap 'rm -rf "$work"' EXIT

megabytes() { du -sm --apparent-size "$@" | awk '{ sum += $1 } END { print sum }'; }
print() { printf '%s\t%s\n' "$1" "$2"; }

"$tools/made_up_text" words "$pairs" "$work/a.src" "$work/a.tgt"
head -n $((pairs / 100)) "$work/a.src" > "$work/b.src"
head -n $((pairs / 100)) "$work/a.tgt" > "$work/b.tgt"
print "pairs of text" $((pairs + pairs / 100))
print "text, MB" "$(megabytes "$work"/?.src "$work"/?.tgt)"

start=$(date +%s.%N)
TIMEFORMAT='%U %S'
{ time kilobytes=$("$tools/peak_memory" "$bin/eatt" --quiet corpus prepare --cpu-threads 2 \
  --train-sets "$work/a.src" "$work/a.tgt" "$work/b.src" "$work/b.tgt" \
  --drop-duplicates --drop-identical --max-ratio 3 --require-script Latin Latin \
  --output "$work/data" 2> "$work/log"); } 2> "$work/cpu" || { cat "$work/log" >&2; exit 1; }
seconds=$(awk -v start="$start" -v now="$(date +%s.%N)" 'BEGIN { print now - start }')
grep -E 'dropped|pairs kept|time' "$work/log" | sed 's/^/prepare: /; s/  */ /g'
print "prepare, seconds" "$(printf '%.0f' "$seconds")"
print "prepare, pairs/s" "$(awk -v pairs="$pairs" -v s="$seconds" 'BEGIN { printf "%.0f", pairs * 1.01 / s }')"
print "prepare, CPU seconds" "$(awk '{ printf "%.0f", $1 + $2 }' "$work/cpu")"
print "prepare, peak memory, MB" $((kilobytes / 1024))
print "data set, MB" "$(megabytes "$work/data")"

"$tools/draw_epoch" "$work/data" | sed 's/^/one epoch: /'
"$tools/draw_epoch" "$work/data" 0.5 0 | grep -E '^(pairs drawn|pairs/s|peak)' | sed 's/^/half of it: /'
