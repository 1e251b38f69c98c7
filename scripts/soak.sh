#!/usr/bin/env bash
# Long trials that are too slow for the test suite, on the built-in corpus:
#   scripts/soak.sh [translate] [train] [workers] [study] [--rounds N] [--folder DIR] [--output FILE]
#     translate  the same text with random threads, batches and windows: always the same bytes, no
#                growing memory; stopped by a signal: whole lines only, and nothing left behind
#     train      a training that is killed at random moments ends with the weights of one that is not
#     workers    two workers, of which a random one is killed at random moments: the job ends within
#                30 seconds, and the weights are those of two workers that nobody killed
#     study      the same for a study with two trainings at once
# Without names, all of them. N rounds of each, 20 by default: about 40 minutes on two cores. The
# report goes to standard output and to FILE. Exit code 1 if anything failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
eatt=$root/build/release/bin/eatt
rounds=20 folder= output= parts=()
while [ $# -gt 0 ]; do
  case $1 in
    translate | train | workers | study) parts+=("$1") ;;
    --rounds) rounds=$2; shift ;;
    --folder) folder=$(realpath -m "$2"); shift ;;
    --output) output=$(realpath -m "$2"); shift ;;
    *) echo "soak: '$1' is not one of translate, train, workers, study, --rounds, --folder, --output" >&2; exit 2 ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(translate train workers study)
[ -x "$eatt" ] || { echo "soak: $eatt is missing; build it with cmake --workflow --preset release" >&2; exit 1; }
if [ -z "$folder" ]; then
  folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder/bin"; cd "$folder"
# A copy, so that a build meanwhile does not disturb it.
cp "$root"/build/release/bin/eatt{,-train} bin/
eatt=$folder/bin/eatt
report=report.txt; : > $report
failed=0

say() { echo "$*" | tee -a $report; }
fail() { failed=$((failed + 1)); say "  FAILED: $*"; }
# Seconds between $1 and $2, with hundredths.
random_seconds() { awk -v low="$1" -v high="$2" -v r=$RANDOM 'BEGIN {printf "%.2f", low + (high - low) * r / 32767}'; }

[ -e corpus/train.zh ] || "$eatt" --quiet corpus generate --train 4000 --dev 200 --test 500 --output corpus
training=(train --recipe tiny --train-sets corpus/train.zh corpus/train.en
          --valid-sets corpus/dev.zh corpus/dev.en --vocab-size 900 --cpu-threads 1)

soak_translate() {
  [ -e model/best/config.json ] || "$eatt" --quiet "${training[@]}" --after 400u --model model
  for _ in $(seq 20); do cat corpus/test.zh; done > text.zh
  "$eatt" --quiet translate model/best -i text.zh -o reference.en
  local lines most=0 least=1000000000 memory
  lines=$(wc -l < text.zh)
  for round in $(seq "$rounds"); do
    local threads=$((1 + RANDOM % 2)) batch=$((16 + RANDOM % 4000)) window=$((1 + RANDOM % 5000))
    memory=$( { /usr/bin/env python3 - "$eatt" translate model/best -i text.zh -o "out$round.en" --quiet --overwrite \
      --cpu-threads $threads --mini-batch-words $batch --maxi-batch $window <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
    } )
    cmp -s reference.en "out$round.en" || fail "round $round: threads $threads, batch $batch, window $window: other bytes"
    rm -f "out$round.en"
    [ "$memory" -le $most ] || most=$memory
    [ "$memory" -ge $least ] || least=$memory
    # Stopped at a random moment: nothing, or the whole file; never a part under the final name.
    "$eatt" --quiet translate model/best -i text.zh -o stopped.en --cpu-threads 1 2>> last.log & local pid=$!
    sleep "$(random_seconds 0.01 1.5)"; kill -TERM $pid 2>/dev/null || true; wait $pid 2>/dev/null || true
    if [ -e stopped.en ]; then cmp -s reference.en stopped.en || fail "round $round: half a file after SIGTERM"; fi
    rm -f stopped.en
    [ -z "$(find . -maxdepth 1 -name '*.tmp-*')" ] || fail "round $round: temporary files are left"
  done
  say "translate: $rounds rounds of $lines lines, each compared byte by byte; peak memory $least to $most KB"
}

# Kills a command at random moments until it ends by itself; prints how often it was killed.
killed_until_done() {
  local kills=0 pid
  while :; do
    setsid "$@" > last.log 2>&1 & pid=$!
    if [ $kills -lt 6 ]; then
      sleep "$(random_seconds 0.3 6)"
      if kill -0 $pid 2>/dev/null; then
        kill -KILL -- -$pid 2>/dev/null || true; wait $pid 2>/dev/null || true
        kills=$((kills + 1)); continue
      fi
    fi
    if wait $pid; then echo $kills; return 0; fi
    cat last.log >&2; return 1
  done
}

same_weights() { cmp -s "$1/last/model.safetensors" "$2/last/model.safetensors"; }

soak_train() {
  local options=(--after 300u --save-freq 20u --valid-freq 100u) total=0 kills
  for attention in eatt vanilla; do
    [ -e "whole-$attention/last" ] ||
      "$eatt" --quiet "${training[@]}" "${options[@]}" --attention $attention --model whole-$attention
  done
  for round in $(seq "$rounds"); do
    local attention=eatt; [ $((round % 2)) = 0 ] || attention=vanilla
    rm -rf killed
    kills=$(killed_until_done "$eatt" "${training[@]}" "${options[@]}" --attention $attention --model killed) ||
      { fail "round $round: $attention did not end"; continue; }
    total=$((total + kills))
    same_weights whole-$attention killed || fail "round $round: $attention: other weights after $kills kills"
  done
  say "train: $rounds trainings, killed $total times in all; weights compared with an uninterrupted training"
}

# The processes of a training that have a rank, by its folder.
worker_of() {
  local rank=$1 run=$2 process
  for process in $(pgrep -f -- "--model $run( |$)"); do
    ! tr '\0' '\n' < "/proc/$process/environ" 2> /dev/null | grep -qx "RANK=$rank" || echo "$process"
  done
}

soak_workers() {
  local options=(--after 300u --save-freq 20u --valid-freq 100u --workers 2 --worker-timeout 20)
  local total=0 longest=0 kills pid victim begun
  [ -e whole-workers/last ] || "$eatt" --quiet "${training[@]}" "${options[@]}" --model whole-workers
  for round in $(seq "$rounds"); do
    rm -rf killed-workers
    for kills in 0 1 2 3; do
      "$eatt" "${training[@]}" "${options[@]}" --model killed-workers > last.log 2>&1 & pid=$!
      [ "$kills" != 3 ] || break
      until [ -n "$(worker_of 1 killed-workers)" ] || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
      sleep "$(random_seconds 0.5 8)"
      victim=$(worker_of $((RANDOM % 2)) killed-workers | head -n 1)
      [ -n "$victim" ] || break
      kill -KILL "$victim" 2> /dev/null || break
      total=$((total + 1)); begun=$(date +%s)
      ! wait $pid || fail "round $round: killing worker $victim went unnoticed"
      [ $(($(date +%s) - begun)) -le $longest ] || longest=$(($(date +%s) - begun))
    done
    wait $pid || { cat last.log >&2; fail "round $round: the training did not end"; continue; }
    same_weights whole-workers killed-workers || fail "round $round: other weights after $kills kills"
  done
  [ $longest -le 30 ] || fail "a job took $longest seconds to end after a worker was killed"
  say "workers: $rounds trainings by two workers, of which one was killed $total times in all; the job" \
    "ended within $longest seconds each time; weights compared with an uninterrupted training"
}

soak_study() {
  local words=(study density --recipe tiny --train-sets corpus/train.zh corpus/train.en
               --valid-sets corpus/dev.zh corpus/dev.en --jobs 2 --cpu-threads 2)
  local after=(-- --after 200u --save-freq 20u --valid-freq 100u --vocab-size 900) total=0 kills count
  count=$(((rounds + 3) / 4))
  [ -e whole-study/results.md ] || "$eatt" --quiet "${words[@]}" --output whole-study "${after[@]}" > /dev/null
  for round in $(seq $count); do
    rm -rf killed-study
    kills=$(killed_until_done "$eatt" "${words[@]}" --output killed-study "${after[@]}") ||
      { fail "round $round: the study did not end"; continue; }
    total=$((total + kills))
    cmp -s whole-study/results.csv killed-study/results.csv || fail "round $round: other results after $kills kills"
  done
  say "study: $count studies, killed $total times in all; results compared with an uninterrupted study"
}

say "soak: $("$eatt" --version | head -n 1), $(date -u +%F), $(nproc) CPUs"
for part in "${parts[@]}"; do soak_"$part"; done
say "$([ $failed = 0 ] && echo "all held" || echo "$failed failed")"
[ -z "$output" ] || cp $report "$output"
[ $failed = 0 ]
