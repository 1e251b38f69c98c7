#!/usr/bin/env bash
# How many times faster eatt translates than a plain decoder in PyTorch (Python, fp32, key/value
# cache, same weights) and than CTranslate2 where that is installed; E-ATT over vanilla attention;
# memory, start and size of `eatt translate`. Prints a line per figure: name, value, goal,
# holds|short, separated by tabs; rates, intervals and a profile by part go to stderr.
#
#   bench/translate/speed.sh [--quick] [--only TEXT]
#
# Random models of Transformer-base's shape, 32,000 pieces, embeddings tied three ways; 24 source
# and 24 forced target pieces a sentence. --quick takes two layers a side and fewer rounds; memory
# is that of the whole shape all the same. --only takes the figures whose names contain the text.
# With EATT_FORCE_ISA=avx2 in the environment the other sides are kept to AVX2, too.
set -euo pipefail
. "$(dirname "$0")/../python_suite.sh"
run_python_suite translate/compare.py translation '>=11' \
  "bin/eatt bench/random_bundle bench/translate_bench bench/peak_memory" "$@"
