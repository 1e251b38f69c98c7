#!/usr/bin/env bash
# A large corpus from text to batches, on 2 threads: `eatt corpus prepare` with all filters, the
# batches of one epoch, every pair read as training reads it, and the first updates of a training.
# Prints the peak memory of each, a line per figure: name, value, goal, holds|short, separated by
# tabs. Speed, disk, what was dropped, and how well the pairs are mixed go to stderr.
#
#   bench/text/large_corpus.sh [--quick] [--pairs N] [--folder DIR]
#
# N is 1,000,000 if not given, and 20,000 with --quick, which also learns fewer pieces. The text is
# made up on the spot, of 60,000 types of words on each side; its first hundredth comes again as a
# second corpus, of duplicates. 20 million pairs take 11 GB in DIR (a temporary folder if not given),
# which is emptied in the end. Peak memory is what the kernel reports for the whole process, mapped
# files included.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$root/build/release/bin
tools=$root/build/release/bench
goal=500
pairs=1000000
folder=
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) pairs=20000 options=(--vocab-size 2000); shift ;;
    --pairs) pairs=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    *) echo "usage: $0 [--quick] [--pairs N] [--folder DIR]" >&2; exit 2 ;;
  esac
done
[ -z "$folder" ] || mkdir -p "$folder"
work=$(mktemp -d ${folder:+-p "$folder"})
trap 'rm -rf "$work"' EXIT

megabytes() { du -sm --apparent-size "$@" | awk '{ sum += $1 } END { print sum }'; }
note() { printf '%s\t%s\n' "$1" "$2" >&2; }
peak() { # NAME KILOBYTES
  awk -v name="peak memory of $1, $pairs pairs, MB" -v goal="$goal" -v kilobytes="$2" 'BEGIN {
    value = kilobytes / 1024
    printf "%s\t%.0f\t<=%d\t%s\n", name, value, goal, (value <= goal) ? "holds" : "short"
  }'
}
skipped() { # NAME WHY
  printf 'peak memory of %s, %d pairs, MB\tskipped\t<=%d\t%s\n' "$1" "$pairs" "$goal" "$2"
}

for tool in made_up_text peak_memory draw_epoch; do
  [ ! -x "$tools/$tool" ] || continue
  skipped "preparing with filters" "no build/release/bench/$tool"
  exit 0
done

"$tools/made_up_text" words "$pairs" "$work/a.src" "$work/a.tgt"
head -n $((pairs / 100)) "$work/a.src" > "$work/b.src"
head -n $((pairs / 100)) "$work/a.tgt" > "$work/b.tgt"
note "pairs of text" $((pairs + pairs / 100))
note "text, MB" "$(megabytes "$work"/?.src "$work"/?.tgt)"

start=$(date +%s.%N)
TIMEFORMAT='%U %S'
{ time kilobytes=$("$tools/peak_memory" "$bin/eatt" --quiet corpus prepare --cpu-threads 2 \
  --train-sets "$work/a.src" "$work/a.tgt" "$work/b.src" "$work/b.tgt" \
  --drop-duplicates --drop-identical --max-ratio 3 --require-script Latin Latin \
  ${options+"${options[@]}"} --output "$work/data" 2> "$work/log"); } 2> "$work/cpu" ||
  { cat "$work/log" >&2; exit 1; }
seconds=$(awk -v start="$start" -v now="$(date +%s.%N)" 'BEGIN { print now - start }')
grep -E 'dropped|pairs kept|time' "$work/log" | sed 's/^/prepare: /; s/  */ /g' >&2 || true
note "prepare, seconds" "$(printf '%.0f' "$seconds")"
note "prepare, pairs/s" "$(awk -v pairs="$pairs" -v s="$seconds" 'BEGIN { printf "%.0f", pairs * 1.01 / s }')"
note "prepare, CPU seconds" "$(awk '{ printf "%.0f", $1 + $2 }' "$work/cpu")"
note "data set, MB" "$(megabytes "$work/data")"
peak "preparing with filters" "$kilobytes"

# draw NAME ARGUMENT…: the batches of an epoch. Mixing is measured of all pairs in their places.
draw() {
  local name=$1 kilobytes; shift
  kilobytes=$("$tools/peak_memory" "$tools/draw_epoch" "$work/data" "$@" 2> "$work/epoch") ||
    { cat "$work/epoch" >&2; exit 1; }
  grep -v 'peak memory' "$work/epoch" | { [ $# = 0 ] && cat || grep '^pairs'; } | sed "s/^/$name: /" >&2
  peak "$name" "$kilobytes"
}
draw "one epoch of batches"
draw "an epoch with half of the pairs" --weights 0.5 0
draw "an epoch without pairs of more than 30 pieces" --max-length 30

# train NAME OPTION…: five updates of a small model on all of the data.
train() {
  local name=$1 kilobytes; shift
  if [ ! -x "$bin/eatt-train" ]; then
    skipped "$name" "no build/release/bin/eatt-train"
    return
  fi
  kilobytes=$("$tools/peak_memory" "$bin/eatt-train" --quiet train --recipe tiny --after 5u \
    --cpu-threads 2 --prepared "$work/data" --model "$work/run" "$@" 2> "$work/log") ||
    { cat "$work/log" >&2; exit 1; }
  rm -rf "$work/run"
  peak "$name" "$kilobytes"
}
train "the first updates of a training" --max-length 1000
train "the same without pairs of more than 30 pieces" --max-length 30
