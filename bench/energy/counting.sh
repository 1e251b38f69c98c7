#!/usr/bin/env bash
# What counting operations costs a translation. Prints a line per figure: name, value, goal,
# holds|short, separated by tabs; intervals go to stderr.
#
#   bench/energy/counting.sh [--quick]
#
# Random E-ATT models: the binary codes are what takes most to count. --quick takes smaller models
# and fewer rounds.
set -euo pipefail
. "$(dirname "$0")/../python_suite.sh"
run_python_suite energy/counting.py counting '<=1.05' "bin/eatt bench/random_bundle bench/translate_bench" "$@"
