#!/usr/bin/env bash
# Stands in for `eatt` while documents are tested: the same commands, but models and corpora are so
# small that training takes a second or two. Recipes are the real ones; flags after them, of which
# the last counts, make them small.
set -euo pipefail
small=() previous=
for argument in "$@"; do
  case $previous:$argument in
    --train:20000) argument=2000 ;;
    --seeds:5) argument=1 ;;
    --dev:500 | --test:500) argument=50 ;;
    *:6000 | *:8000 | *:32000) argument=1100 ;;  # Pieces: the small corpus has too few words for more.
  esac
  small+=("$argument")
  previous=$argument
done
# A model that has hardly learned anything prefers empty translations, which distillation leaves out.
[ "${1:-}" != distill ] || small=(distill --min-length 2 "${small[@]:1}")
if [[ " $* " == *" --recipe "* ]]; then
  [[ ${1:-} != study || " $* " == *" -- "* ]] || small+=(--)  # What follows is for the trainings.
  small+=(--enc-depth 2 --dec-depth 2 --model-dim 32 --heads 2 --ffn-dim 64
          --mini-batch-words 256 --optimizer-delay 1 --after 40u --save-freq 20u)
  [[ " $* " == *" --prepared "* ]] || small+=(--vocab-size 1000)
  [[ " $* " != *" --valid-sets "* ]] || small+=(--valid-freq 40u)
fi
exec @EATT_BIN@/eatt "${small[@]}"
