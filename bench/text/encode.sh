#!/usr/bin/env bash
# How many times faster `eatt corpus pieces encode` is than SentencePiece's own spm_encode: the same
# file, the same model, the same number of threads, ids written to a file, and compared first. Prints
# a line per figure: name, value, goal, holds|short, separated by tabs.
#
#   bench/text/encode.sh [--quick]
#
# Times are wall-clock seconds of the whole programs; the two run in turn, and the value is the
# median of the rounds. spm_encode has one thread: on several, as many of it run at once, each on its
# part of the file. The text is made up on the spot: words with spaces, of 60,000 types by Zipf's
# law, and Chinese without spaces; --quick takes less of it.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
eatt=$root/build/release/bin/eatt
made_up_text=$root/build/release/bench/made_up_text
goal=1

lines=50000 rounds=5
case "${1:-}" in
  --quick) lines=12000 rounds=3 ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

threads=$(nproc)
counts=(1)
[ "$threads" -gt 1 ] && counts+=("$threads")
name_of() { # TEXT THREADS
  echo "encoding $1 over spm_encode, $2 $([ "$2" = 1 ] && echo thread || echo threads)"
}

missing=
[ -x "$made_up_text" ] || missing="no build/release/bench/made_up_text"
command -v spm_encode > /dev/null || missing="no spm_encode (package sentencepiece)"
if [ -n "$missing" ]; then
  for text in words Chinese; do
    for count in "${counts[@]}"; do
      printf '%s\tskipped\t>=%d\t%s\n' "$(name_of "$text" "$count")" "$goal" "$missing"
    done
  done
  exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ours() { # TEXT THREADS
  "$eatt" corpus pieces encode "$folder/model.spm" --output-format id --cpu-threads "$2" \
    < "$1" > "$folder/ours"
}

# One process for each part; the parts were cut before.
theirs() { # TEXT THREADS
  local part processes=()
  for part in "$1.parts-$2".*; do
    spm_encode --model="$folder/model.spm" --output_format=id < "$part" > "$folder/theirs.${part##*.}" &
    processes+=($!)
  done
  wait "${processes[@]}"
}

wall_seconds() {
  local start=$EPOCHREALTIME
  "$@"
  awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { print end - start }'
}

"$made_up_text" words "$lines" "$folder/words" "$folder/other"
"$made_up_text" chinese "$lines" "$folder/Chinese" "$folder/other"
for text in words Chinese; do
  "$eatt" --quiet corpus pieces train --input "$folder/$text" --sample-size 5000 --vocab-size 4000 \
    --output "$folder/model.spm" > "$folder/log"
  for count in "${counts[@]}"; do
    split --number="l/$count" --numeric-suffixes "$folder/$text" "$folder/$text.parts-$count."
    : > "$folder/ratios"
    for ((round = 0; round < rounds; ++round)); do
      rm -f "$folder/theirs".*
      our_time=$(wall_seconds ours "$folder/$text" "$count")
      their_time=$(wall_seconds theirs "$folder/$text" "$count")
      if [ "$round" = 0 ] && ! cat "$folder/theirs".* | cmp -s - "$folder/ours"; then
        echo "$0: eatt and spm_encode give different ids for $text" >&2
        exit 1
      fi
      awk -v ours="$our_time" -v theirs="$their_time" 'BEGIN { print theirs / ours }' >> "$folder/ratios"
    done
    sort -n "$folder/ratios" | awk -v name="$(name_of "$text" "$count")" -v goal="$goal" '
      { value[NR] = $1 }
      END {
        median = value[int((NR + 1) / 2)]
        printf "%s\t%.1f\t>=%d\t%s\n", name, median, goal, (median >= goal) ? "holds" : "short"
      }'
  done
done
