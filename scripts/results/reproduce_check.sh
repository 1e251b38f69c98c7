#!/usr/bin/env bash
# Runs the three recipes of docs/reproduce.md at full model size for 20 updates, and their dry runs,
# with small corpora in place of the real ones.
#   scripts/results/reproduce_check.sh FOLDER [DATA]
# FOLDER keeps data sets and runs, so the same command continues; DATA is ../shared/data by default.
# It takes about eight minutes on two cores: updates have one batch instead of the recipes' eight.
set -euo pipefail
folder=${1:?usage: scripts/results/reproduce_check.sh FOLDER [DATA]}
root=$(cd "$(dirname "$0")/../.." && pwd)
data=${2:-$root/../shared/data}
eatt=$root/build/release/bin/eatt
[ -d "$data" ] || { echo "reproduce_check: $data: no such folder" >&2; exit 1; }
mkdir -p "$folder"

# check RECIPE TRAIN_SRC TRAIN_TGT DEV_SRC DEV_TGT PREPARE_OPTION...
check() {
  local recipe=$1 train=("$2" "$3") dev=("$4" "$5")
  shift 5
  echo "== $recipe"
  [ -e "$folder/$recipe-data/dataset.json" ] ||
    "$eatt" --quiet corpus prepare --train-sets "${train[@]}" --output "$folder/$recipe-data" "$@"
  local options=(--recipe "$recipe" --prepared "$folder/$recipe-data" --valid-sets "${dev[@]}")
  "$eatt" --quiet study overall --dry-run "${options[@]}" --seeds 5 --output "$folder/$recipe-study" |
    head -n 2
  head -n 20 "${dev[0]}" > "$folder/$recipe-dev.${dev[0]##*.}"
  head -n 20 "${dev[1]}" > "$folder/$recipe-dev.${dev[1]##*.}"
  "$eatt" --quiet train --recipe "$recipe" --prepared "$folder/$recipe-data" \
    --valid-sets "$folder/$recipe-dev.${dev[0]##*.}" "$folder/$recipe-dev.${dev[1]##*.}" \
    --optimizer-delay 1 --after 20u --disp-freq 1u --valid-freq 20u --model "$folder/$recipe-run"
  grep -h '"event":"progress"' "$folder/$recipe-run/log.jsonl" |
    python3 -c '
import json, sys
losses = [json.loads(line)["loss"] for line in sys.stdin]
print(f"{len(losses)} updates, loss {losses[0]:.3f} to {losses[-1]:.3f}")'
}

# The stand-ins are smaller than the corpora, so their vocabularies are too.
check iwslt15-en-vi "$data"/iwslt15-en-vi/train30k.{en,vi} "$data"/iwslt15-en-vi/tst2012.{en,vi} \
  --vocab-size 16000
check wmt14-en-de "$data"/multi30k-en-de/train.{en,de} "$data"/multi30k-en-de/val.{en,de} \
  --vocab-size 8000
check wmt17-zh-en "$data"/3am-zh-en/3am.train.{zh,en} "$data"/3am-zh-en/3am.val.{zh,en} \
  --separate-vocab --vocab-size 8000 8000
