#!/usr/bin/env bash
# Stands in for `eatt` while documents are tested: the same commands, but models and corpora are so
# small that training takes a second or two. The recipe that was asked for is read first, so that its
# name and the flags beside it are checked as well.
set -euo pipefail
eatt=@EATT_BIN@/eatt
given=("$@") small=() recipe= previous=
for argument in "$@"; do
  case $previous:$argument in
    --train:20000) argument=2000 ;;
    --dev:500 | --test:500) argument=50 ;;
    *:6000 | *:8000 | *:32000) argument=1100 ;;  # Pieces: the small corpus has too few words for more.
    --recipe:*) recipe=$argument argument=tiny ;;
  esac
  small+=("$argument")
  previous=${argument}
done
if [ -n "$recipe" ] && [[ " $* " != *" --dump-config "* && " $* " != *" --after "* ]]; then
  [ "${1:-}" != train ] || "$eatt" "${given[@]}" --dump-config > /dev/null
  small+=(--after 40u --valid-freq 40u --save-freq 20u)
fi
exec "$eatt" "${small[@]}"
