#!/usr/bin/env bash
# Runs the studies of docs/reproduce.md at full model size for 20 updates, and their dry runs, with
# small corpora in place of the real ones.
#   scripts/results/reproduce_check.sh FOLDER [DATA]
# FOLDER keeps data sets and studies, so the same command continues; DATA is ../shared/data by default.
# It takes about ten minutes on two cores: updates have one batch instead of the recipes' eight.
set -euo pipefail
folder=${1:?usage: scripts/results/reproduce_check.sh FOLDER [DATA]}
root=$(cd "$(dirname "$0")/../.." && pwd)
data=${2:-$root/../shared/data}
eatt=$root/build/release/bin/eatt
[ -d "$data" ] || { echo "reproduce_check: $data: no such folder" >&2; exit 1; }
mkdir -p "$folder"

# check RECIPE SRC TGT TRAIN DEV SEARCH PREPARE_OPTION...
# TRAIN and DEV are files without their endings. Dev and test set are the first lines of DEV.
check() {
  local recipe=$1 source=$2 target=$3 train=$4 dev=$5 search=$6
  shift 6
  echo "== $recipe"
  [ -e "$folder/$recipe-data/dataset.json" ] ||
    "$eatt" --quiet corpus prepare --train-sets "$train.$source" "$train.$target" \
      --output "$folder/$recipe-data" "$@"
  local part language
  for language in "$source" "$target"; do
    for part in dev test; do head -n 20 "$dev.$language" > "$folder/$recipe-$part.$language"; done
  done
  # shellcheck disable=SC2206  # Several words.
  local study=(overall --recipe "$recipe" --prepared "$folder/$recipe-data"
    --valid-sets "$folder/$recipe-dev.$source" "$folder/$recipe-dev.$target"
    --test-sets "$folder/$recipe-test.$source" "$folder/$recipe-test.$target"
    --output "$folder/$recipe-study" $search)
  "$eatt" --quiet study "${study[@]}" --seeds 5 --dry-run | head -n 2
  "$eatt" --quiet study "${study[@]}" --seeds 1 --cells eatt -- \
    --optimizer-delay 1 --after 20u --disp-freq 1u --valid-freq 20u > /dev/null
  grep -h '"event":"progress"' "$folder/$recipe-study/cells/eatt-s1/log.jsonl" |
    python3 -c '
import json, sys
losses = [json.loads(line)["loss"] for line in sys.stdin]
print(f"{len(losses)} updates of E-ATT, loss {losses[0]:.3f} to {losses[-1]:.3f}")'
  "$eatt" --quiet report "$folder/$recipe-study" --format json | python3 -c '
import json, sys
cells = [table for section in json.load(sys.stdin)["sections"] for table in section["tables"]
         if table["name"] == "cells"]
print("cell eatt-s1:", next(row[2] for row in cells[0]["rows"] if row[0] == "eatt-s1"))'
}

# The stand-ins are smaller than the corpora, so their vocabularies are too.
check iwslt15-en-vi en vi "$data"/iwslt15-en-vi/train30k "$data"/iwslt15-en-vi/tst2012 \
  "--beam-size 4 --length-penalty 1.5" --vocab-size 16000
check wmt14-en-de en de "$data"/multi30k-en-de/train "$data"/multi30k-en-de/val \
  "--beam-size 4 --length-penalty 0.6" --vocab-size 8000
check wmt17-zh-en zh en "$data"/3am-zh-en/3am.train "$data"/3am-zh-en/3am.val \
  "--beam-size 10 --length-penalty 1.5" --separate-vocab --vocab-size 8000 8000
