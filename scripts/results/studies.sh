#!/usr/bin/env bash
# Trains every study of docs/results and writes the pages, with the paper's findings:
#
#   scripts/results/studies.sh [FOLDER]
#
# FOLDER, studies by default, holds the studies. Stopped, the same command continues. On two cores it
# takes many hours (`eatt study … --dry-run` says how many). DATA is the folder with multi30k-en-de,
# iwslt15-en-vi, 3am-zh-en and alignments, JOBS the number of trainings at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
studies=${1:-studies}
data=${DATA:-../shared/data}
jobs=${JOBS:-2}
PATH=$PWD/build/release/bin:$PATH
multi30k=(--recipe multi30k-en-de
  --train-sets "$data"/multi30k-en-de/train.{en,de}
  --valid-sets "$data"/multi30k-en-de/val.{en,de}
  --test-sets "$data"/multi30k-en-de/test_2016_flickr.{en,de})
# IWSLT'15 has no dev set besides its test set tst2012: the last 1,000 pairs of train30k are held out.
held_out=$studies/iwslt15-en-vi
mkdir -p "$held_out"
for language in en vi; do
  head -n -1000 "$data/iwslt15-en-vi/train30k.$language" > "$held_out/train.$language"
  tail -n 1000 "$data/iwslt15-en-vi/train30k.$language" > "$held_out/dev.$language"
done
iwslt=(--recipe iwslt15-en-vi-tiny --train-sets "$held_out"/train.{en,vi}
  --valid-sets "$held_out"/dev.{en,vi} --test-sets "$data"/iwslt15-en-vi/tst2012.{en,vi})
failed=0

# A training that fails does not stop the studies after it; a signal does.
study() {
  local code=0
  eatt study "$@" || code=$?
  if [ "$code" -ge 128 ]; then exit "$code"; fi
  if [ "$code" -ne 0 ]; then failed=1; fi
}

study overall density case energy "${multi30k[@]}" --seeds 3 --jobs "$jobs" \
  --output "$studies/multi30k-6000" -- --after 6000u
study ablation hybrid distillation energy "${multi30k[@]}" --jobs "$jobs" \
  --output "$studies/multi30k-3000" -- --after 3000u
study overall hybrid --cells vanilla eatt best best-distilled self-vanilla-cross-dense \
  "${iwslt[@]}" --seeds 1 --jobs "$jobs" --output "$studies/iwslt15-3000" -- --after 3000u

# For word alignments of real text: hand-made links of Chinese and English are of news.
study overall --cells vanilla eatt best best-distilled --recipe iwslt15-en-vi-tiny --seeds 1 \
  --train-sets "$data"/3am-zh-en/3am.train.{zh,en} --valid-sets "$data"/3am-zh-en/3am.val.{zh,en} \
  --jobs "$jobs" --output "$studies/3am-3000" -- --source-language zh --target-language en --after 3000u

finished=()
for name in multi30k-6000 multi30k-3000 iwslt15-3000; do
  if [ -f "$studies/$name/results.json" ]; then finished+=("$studies/$name"); fi
done
scripts/results/studies.py "${finished[@]}"
scripts/results/findings.py "${finished[@]}" --output docs/results/findings.md

# named FOLDER: NAME=RUN of its finished cells.
named() {
  local name
  for name in vanilla eatt best best-distilled; do
    if [ -e "$1/cells/$name-s1/best/config.json" ]; then echo "$name=$1/cells/$name-s1"; fi
  done
}
demo=()
for name in eatt vanilla; do
  if [ -e "demo-output/$name/best/config.json" ]; then
    demo+=("${name/eatt/best}=demo-output/$name")  # The demo's E-ATT has the codes of best.
  fi
done
# shellcheck disable=SC2046  # Several words.
scripts/results/alignment.py --gold "$data/alignments" --multi30k $(named "$studies/multi30k-6000") \
  --zh-en $(named "$studies/3am-3000") ${demo[@]:+--builtin "${demo[@]}"}
exit "$failed"
