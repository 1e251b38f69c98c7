#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job on the built-in corpus. Can be run again;
# it is then quick. Results go to demo-output/ (or the folder given).
#   scripts/demo.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-demo-output}
eatt=build/release/bin/eatt

step() { printf '\n== %s\n' "$*"; }
# Shows a command as a user would type it, then runs it; what it prints may go to a file.
exec 3>&1
run() { printf '$ %s\n' "${*//$eatt/eatt}" >&3; "$@"; }

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

corpus=$output/corpus
for attention in eatt vanilla; do
  step "4. Training with $attention attention (a minute or two; run again, it is finished already)"
  run $eatt train --recipe builtin-zh-en --attention $attention \
    --train-sets "$corpus/train.zh" "$corpus/train.en" \
    --valid-sets "$corpus/dev.zh" "$corpus/dev.en" --model "$output/$attention"
done

step "5. Both models with weights of eight bits, on text they have not seen"
for attention in eatt vanilla; do
  run $eatt quantize "$output/$attention/best" "$output/$attention.int8"
  run $eatt translate "$output/$attention.int8" --stats < "$corpus/test.zh" > "$output/$attention.en"
done

step "6. How good they are, and what their cross-attention aligns"
for attention in eatt vanilla; do
  run $eatt align "$output/$attention/best" --sets "$corpus/test.zh" "$corpus/test.en" \
    --choose-on "$corpus/dev.zh" "$corpus/dev.en" "$corpus/dev.align" > "$output/$attention.align"
done
run $eatt evaluate --reference "$corpus/test.en" --metrics bleu,chrf,ter \
  --hypothesis "$output/eatt.en" "$output/vanilla.en"
run $eatt evaluate --alignment-reference "$corpus/test.align" \
  --alignment "$output/eatt.align" "$output/vanilla.align"
echo "    source, reference, eatt, vanilla:"
paste -d '\n' <(head -n 2 "$corpus/test.zh") <(head -n 2 "$corpus/test.en") \
  <(head -n 2 "$output/eatt.en") <(head -n 2 "$output/vanilla.en") | sed 's/^/    /'

step "7. What they cost: every operation counted, beside the paper's accounting"
for attention in eatt vanilla; do
  run $eatt energy model "$output/$attention/best" --table levels < "$corpus/test.zh"
done
run $eatt energy model "$output/eatt/best" --compare "$output/vanilla/best" --table models \
  --plot "$output/energy.svg" < "$corpus/test.zh"

step "8. What the paper says attention costs, computed beside printed"
run $eatt energy formulas --length 22 --width 512 --table attention

step "What to try next"
cat <<EOF
  your own words:  echo 他 喜欢 音乐 。 | eatt translate $output/eatt.int8 --beam-size 4  (docs/translation.md)
  your own model:  eatt train --recipe multi30k-en-de --train-sets SRC TGT …       (docs/training.md)
  your own text:   eatt corpus prepare --train-sets SOURCE TARGET --output DIR     (docs/corpora.md)
  your own scores: eatt evaluate --reference REF --metrics bleu,chrf,ter < HYP      (docs/scores.md)
  your own chip:   eatt energy model $output/eatt/best --chip mine.json < TEXT       (docs/energy.md)
EOF
