#!/usr/bin/env bash
# What this CPU can do at most, and each kernel as a share of it, on one thread. Prints a line per
# figure: name, value, goal, holds|short|information, separated by tabs.
#
#   bench/kernels/roofline.sh [--quick]
#
# EATT_FORCE_ISA measures another instruction set. --quick takes fewer rounds.
set -euo pipefail
. "$(dirname "$0")/../kernel_suite.sh"
run_kernel_suite roofline_bench 'share of the limit' 60 15 "$@"
