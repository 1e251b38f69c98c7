#!/usr/bin/env bash
# How many times faster `eatt corpus pieces train` is than SentencePiece's own spm_train, one thread
# each, on the same text. Prints a line per figure: name, value, goal, holds|short, separated by tabs.
#
#   bench/text/learn.sh [--quick]
#
# Times are wall-clock seconds of the whole programs; the two run in turn, and the value is the
# median of the rounds. The text is made up on the spot, see encode.sh; --quick takes less of it and
# one round.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
eatt=$root/build/release/bin/eatt
made_up_text=$root/build/release/bench/made_up_text
goal=1

lines=20000 pieces=8000 rounds=3
case "${1:-}" in
  --quick) lines=3000 pieces=4000 rounds=1 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac
name="learning $pieces pieces over spm_train"

missing=
[ -x "$made_up_text" ] || missing="no build/release/bench/made_up_text"
command -v spm_train > /dev/null || missing="no spm_train (package sentencepiece)"
if [ -n "$missing" ]; then
  printf '%s\tskipped\t>=%d\t%s\n' "$name" "$goal" "$missing"
  exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ours() {
  "$eatt" --quiet corpus pieces train --input "$folder/text" --vocab-size "$pieces" \
    --output "$folder/ours.spm" > "$folder/log"
}

theirs() {
  spm_train --input="$folder/text" --model_prefix="$folder/theirs" --model_type=bpe \
    --vocab_size="$pieces" --character_coverage=1 --num_threads=1 --minloglevel=2 > "$folder/log" 2>&1
}

wall_seconds() {
  local start=$EPOCHREALTIME
  "$@"
  awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { print end - start }'
}

"$made_up_text" words "$lines" "$folder/text" "$folder/other"
for ((round = 0; round < rounds; ++round)); do
  our_time=$(wall_seconds ours)
  their_time=$(wall_seconds theirs)
  awk -v ours="$our_time" -v theirs="$their_time" 'BEGIN { print theirs / ours }' >> "$folder/ratios"
done
sort -n "$folder/ratios" | awk -v name="$name" -v goal="$goal" '
  { value[NR] = $1 }
  END {
    median = value[int((NR + 1) / 2)]
    printf "%s\t%.1f\t>=%d\t%s\n", name, median, goal, (median >= goal) ? "holds" : "short"
  }'
