#!/usr/bin/env bash
# How many times faster `eatt evaluate` is than bench/plain_metrics.py, one thread each, digits
# compared first. Prints a line per figure: name, value, goal, holds|short, separated by tabs.
#
#   bench/text/metrics.sh [--quick]
#
# The text is made up on the spot, 100,000 pairs of lines; --quick takes fewer. Times are CPU
# seconds (user and system) of the whole programs, reading included; the two run in turn, and the
# value is the median of the rounds. Plain Python takes minutes for TER, so that has one round only.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
eatt=$root/build/release/bin/eatt
goal=30

lines=(100000 100000 100000)
rounds=(3 3 1)
case "${1:-}" in
  --quick) lines=(6000 4000 500) rounds=(3 3 3) ;;
  '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3 || true)
if [ -z "$python" ] || [ ! -x "$eatt" ]; then
  missing=$([ -x "$eatt" ] && echo "no python3" || echo "no build/release/bin/eatt")
  for metric in bleu chrf ter; do
    printf '%s over plain Python\tskipped\t>=%d\t%s\n' "$metric" "$goal" "$missing"
  done
  exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# cpu_seconds OUTPUT COMMAND ...: the command's output goes to the file, its CPU time to stdout.
cpu_seconds() {
  local output=$1 TIMEFORMAT='%U %S'
  shift
  { time "$@" > "$output" 2> "$folder/errors"; } 2> "$folder/time" || {
    cat "$folder/errors" >&2
    return 1
  }
  awk '{ print $1 + $2 }' "$folder/time"
}

score_in() {
  "$python" -c 'import json, sys
print("%.10f" % json.load(open(sys.argv[1]))[sys.argv[2]]["score"])' "$1" "$2"
}

metrics=(bleu chrf ter)
for i in 0 1 2; do
  metric=${metrics[i]}
  "$python" "$root/bench/text/metrics_text.py" "${lines[i]}" "$folder"
  files=(--metrics "$metric" --reference "$folder/reference" --hypothesis "$folder/hypothesis")
  : > "$folder/ratios"
  for ((round = 0; round < rounds[i]; ++round)); do
    ours=$(cpu_seconds "$folder/ours" "$eatt" evaluate --json --cpu-threads 1 "${files[@]}")
    plain=$(cpu_seconds "$folder/plain" "$python" "$root/bench/plain_metrics.py" "${files[@]}")
    our_score=$(score_in "$folder/ours" "$metric")
    plain_score=$(score_in "$folder/plain" "$metric")
    if [ "$our_score" != "$plain_score" ]; then
      echo "$0: $metric is $our_score by eatt, but $plain_score by plain Python" >&2
      exit 1
    fi
    awk -v ours="$ours" -v plain="$plain" 'BEGIN { print plain / ours }' >> "$folder/ratios"
  done
  sort -n "$folder/ratios" | awk -v name="$metric over plain Python" -v goal="$goal" '
    { value[NR] = $1 }
    END {
      median = value[int((NR + 1) / 2)]
      printf "%s\t%.1f\t>=%d\t%s\n", name, median, goal, (median >= goal) ? "holds" : "short"
    }'
done
