#!/usr/bin/env bash
# `eatt translate` on raw text, encoding and decoding of pieces included, against CTranslate2 with
# SentencePiece, both in int8 with the same weights: words per second at two sizes, on one thread
# and on all, with and without a shortlist, greedy and with beam 4. Prints a line per figure: name,
# value, goal, holds|short, separated by tabs; words per second and core go to stderr.
#
#   bench/translate/end_to_end.sh [--quick] [--only TEXT]
#
# --quick takes the small model on one thread, greedy. --only takes the figures whose names contain
# the text. With EATT_FORCE_ISA=avx2 in the environment CTranslate2 is kept to AVX2, too.
set -euo pipefail
. "$(dirname "$0")/../python_suite.sh"
run_python_suite translate/end_to_end.py 'text to text' '>=1.5' "bin/eatt bench/random_bundle" "$@"
