#!/usr/bin/env bash
# Figures about the sources, one per line, tab-separated: files and their median size, the longest
# function, the most parameters, the files that name a mechanism of attention, folders and arrows.
#   scripts/house.sh               print them
#   scripts/house.sh --check       print every broken rule, exit 1 if there is one (a test runs this)
#   scripts/house.sh --write-docs  make the picture and lists of the documents from src/layers.toml
#   scripts/house.sh --build       also build from nothing, without ccache, and print the minutes
set -euo pipefail
exec python3 "$(dirname "$0")/house/house.py" "$@"
