#!/usr/bin/env bash
# How many times faster a training update of eatt is than the same in plain PyTorch (Python, same
# model, batch, libtorch and BLAS), with vanilla attention and with E-ATT, and how much faster E-ATT
# is than vanilla attention. Prints a line per
# figure: name, value, goal, holds|short, separated by tabs; threads, times and intervals go to
# stderr.
#
#   bench/training/step.sh [--quick]
#
# Sides run in turn, each at its best setting of threads; loss and gradient are compared first.
# --quick takes 400 tokens an update and leaves out d 512.
set -euo pipefail
. "$(dirname "$0")/../python_suite.sh"
run_python_suite training/interleave.py 'training step' '>=1.0' bench/training_step_bench "$@"
