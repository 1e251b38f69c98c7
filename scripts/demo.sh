#!/usr/bin/env bash
# Installs what is missing, builds eatt, and runs the main job on the built-in corpus. It can be run
# again; finished parts are then skipped. Results go to demo-output/ (or the folder given).
#   scripts/demo.sh [--serve] [FOLDER]
# With --serve it ends with the address of a page that translates with the trained model.
set -euo pipefail
cd "$(dirname "$0")/.."
serve=false
if [ "${1:-}" = --serve ]; then serve=true; shift; fi
output=$(printf %q "${1:-demo-output}")  # Quoted, because it becomes part of the commands below.
corpus=$output/corpus

section=0
step() { printf '\n== %d. %s\n' $((++section)) "$*"; }
# Prints a command exactly as it can be copied, redirections included, and runs it.
run() { printf '$ %s\n' "$1"; eval "$1"; }

# The build's own progress line on a terminal; elsewhere one line for every 40 steps, and all
# messages of the compiler.
build() {
  if [ -t 1 ]; then
    "$@"
  else
    "$@" | awk '!/^\[[0-9]+\/[0-9]+\]/ || ++steps % 40 == 0 { print; fflush() }'
  fi
}

cat <<'END'
The eatt demo: installs packages, builds the programs, trains two small models, and compares them.
On two cores with nothing installed yet, expect about 12 minutes: 1 to 2 to download 316 MB, 6 to 7
to build, 3 to train and evaluate. Run again, it takes less than a minute.
END

step "Packages"
scripts/setup.sh demo

step "Build (in build/release)"
cmake --preset release -DEATT_TESTS=OFF -DEATT_BENCH=OFF --log-level=NOTICE
build cmake --build --preset release --target eatt eatt-train eatt-serve
run 'export PATH="$PWD/build/release/bin:$PATH"'
run "eatt --version"

step "Generate the built-in Chinese-English corpus (synthetic, with gold word alignments)"
run "eatt corpus generate --pair zh-en --train 20000 --dev 500 --test 500 --seed 1 --output $corpus"
echo "The first two test sentences, their translations and word alignments:"
run "paste -d '\n' $corpus/test.zh $corpus/test.en $corpus/test.align | sed -n 1,6p"

step "Train a model with E-ATT attention (--preset best) and one with vanilla (a minute or two each)"
for attention in eatt vanilla; do
  run "eatt train --recipe builtin-zh-en --attention $attention \\
    --train-sets $corpus/train.zh $corpus/train.en \\
    --valid-sets $corpus/dev.zh $corpus/dev.en --model $output/$attention"
done

step "Quantize both models to 8 bits and translate the test set"
for attention in eatt vanilla; do
  run "eatt quantize $output/$attention/best $output/$attention.int8"
  run "eatt translate $output/$attention.int8 --stats < $corpus/test.zh > $output/$attention.en"
done
echo "The first two translations by each model:"
run "paste -d '\n' $output/eatt.en $output/vanilla.en | sed -n 1,4p"

step "Score the translations, and the word alignments in cross-attention"
# The corpus is tokenized already, so BLEU must not tokenize it again.
run "eatt evaluate --reference $corpus/test.en --metrics bleu,chrf,ter --tokenize none \\
    --hypothesis $output/eatt.en $output/vanilla.en"
for attention in eatt vanilla; do
  run "eatt align $output/$attention/best --sets $corpus/test.zh $corpus/test.en \\
    --choose-on $corpus/dev.zh $corpus/dev.en $corpus/dev.align > $output/$attention.align"
done
run "eatt evaluate --alignment-reference $corpus/test.align \\
    --alignment $output/eatt.align $output/vanilla.align"

step "Count the operations of both models and compute their energy"
run "eatt energy model $output/eatt/best --table levels < $corpus/test.zh"
run "eatt energy model $output/eatt/best --compare $output/vanilla/best --chip cmos45 \\
    --table models --plot $output/energy.svg < $corpus/test.zh"

step "Compare with the energy figures printed in the paper"
run "eatt energy formulas --length 22 --width 512 --table attention"

step "Show both models as a page: results, training curves, settings"
run "eatt report $output/eatt $output/vanilla -o $output/report.html"

cat <<END

== What to try next
The programs are in build/release/bin. In a new terminal, type this first:
    cd $(printf %q "$PWD")
    export PATH="\$PWD/build/release/bin:\$PATH"
Translate a sentence of your own with beam search (docs/translation.md):
    echo 他 喜欢 音乐 。 | eatt translate $output/eatt.int8 --beam-size 4
Train a model on your own text: put your files in place of these, one sentence per line
(the recipe "tiny" takes seconds; docs/tutorial.md explains every step):
    eatt train --recipe tiny --attention eatt --train-sets $corpus/train.zh $corpus/train.en \\
      --valid-sets $corpus/dev.zh $corpus/dev.en --model $output/mine
Prepare your own parallel text for training (docs/corpora.md):
    eatt corpus prepare --train-sets $corpus/train.zh $corpus/train.en --vocab-size 2000 \\
      --output $output/prepared
Score your own translations (docs/scores.md):
    eatt evaluate --reference $corpus/test.en --tokenize none < $output/eatt.en
Describe your own chip, and see what the model costs there (docs/energy.md):
    eatt energy chips --json cmos45 | sed 's/"cmos45"/"mine"/' > $output/mine.json
    eatt energy model $output/eatt/best --chip $output/mine.json < $corpus/test.zh
The energy chart is $output/energy.svg: open it in a browser.
The report of both models is $output/report.html: open it, too.
END

# A server that lives as long as this script; so does the file that its log goes to.
if $serve; then
  step "Serve the model"
  printf '$ eatt serve %s\n' "$output/eatt.int8"
  log=$(mktemp)
  trap 'kill "$server" 2>/dev/null; rm -f "$log"' EXIT
  eatt serve "$(eval "echo $output/eatt.int8")" --port 0 2>"$log" &
  server=$!
  address=
  while [ -z "$address" ]; do
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.1
    address=$(grep -o 'http://[0-9.:]*' "$log" | head -1 || true)
  done
  echo "It stops with Ctrl-C. Open this page in a browser: $address"
  wait "$server"
fi
