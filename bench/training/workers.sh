#!/usr/bin/env bash
# What it costs two processes to train one model together: their time per target piece and worker
# over that of two independent trainings that run at the same time, one thread each, d 256; and when
# the first gradients are handed over, as a share of forward and backward pass, and how many of them
# had not been added up when backward ended. Prints a line per figure: name, value, goal, holds|short,
# separated by tabs; rates go to stderr.
#
#   bench/training/workers.sh [--quick]
#
# Both sides run in turn. --quick takes one round of fewer updates.
set -euo pipefail
. "$(dirname "$0")/../python_suite.sh"
run_python_suite training/workers.py 'two workers' '<=1.15' 'bin/eatt bin/eatt-train' "$@"
