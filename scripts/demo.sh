#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job on the built-in corpus. Can be run again;
# it is then quick. Results go to demo-output/ (or the folder given).
#   scripts/demo.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-demo-output}
eatt=build/release/bin/eatt

step() { printf '\n== %s\n' "$*"; }
# Shows a command as a user would type it, then runs it.
run() { printf '$ %s\n' "${*//$eatt/eatt}"; "$@"; }

step "1. Packages"
scripts/setup.sh demo

step "2. Build (build/release)"
cmake --preset release -DEATT_TESTS=OFF -DEATT_BENCH=OFF
cmake --build --preset release --target eatt eatt-train
run $eatt --version

step "3. The built-in Chinese-English corpus (synthetic, with gold word alignments)"
run $eatt corpus generate --pair zh-en --train 20000 --dev 500 --test 500 --seed 1 --output "$output/corpus"
paste -d '\n' <(head -n 2 "$output/corpus/test.zh") <(head -n 2 "$output/corpus/test.en") \
  <(head -n 2 "$output/corpus/test.align") | sed 's/^/    /'

step "4. Pieces and a memory-mapped data set"
run $eatt corpus prepare --train-sets "$output/corpus/train.zh" "$output/corpus/train.en" \
  --vocab-size 2000 --output "$output/prepared"

step "5. What the paper says attention costs, computed beside printed"
run $eatt energy formulas --length 22 --width 512 --table attention

step "What to try next"
cat <<EOF
  your own text:   eatt corpus prepare --train-sets SOURCE TARGET --output DIR     (docs/corpora.md)
  your own scores: eatt evaluate --reference REF --metrics bleu,chrf,ter < HYP      (docs/scores.md)
  your own sizes:  eatt energy formulas --length 64 --width 1024                    (docs/energy.md)
EOF
