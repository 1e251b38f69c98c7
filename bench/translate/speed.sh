#!/usr/bin/env bash
# How many times faster eatt translates than a plain decoder in PyTorch (Python, fp32, key/value
# cache, same weights) and than CTranslate2 where that is installed; E-ATT over vanilla attention;
# memory, start and size of `eatt translate`. Prints a line per figure: name, value, goal,
# holds|short, separated by tabs; rates, intervals and a profile by part go to stderr.
#
#   bench/translate/speed.sh [--quick]
#
# Random models of Transformer-base's shape, 32,000 pieces, embeddings tied three ways; 24 source
# and 24 forced target pieces a sentence. --quick takes two layers a side and fewer rounds; memory is
# that of the whole shape all the same.
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/../.." && pwd)
case "${1:-}" in
  --quick | '') ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3 || true)
missing=
[ -n "$python" ] || missing="no python3"
for program in bin/eatt bench/random_bundle bench/translate_bench bench/peak_memory; do
  [ -x "$root/build/release/$program" ] || missing="no build/release/$program"
done
if [ -n "$missing" ]; then
  printf 'translation\tskipped\t>=11\t%s\n' "$missing"
  exit 0
fi

exec "$python" "$root/bench/translate/compare.py" "$@"
