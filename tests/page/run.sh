#!/usr/bin/env bash
# Makes reports of the example folders and checks them in a browser; see check_page.mjs.
#   run.sh EATT BUILD-FOLDER
# Ends with 77, which ctest shows as skipped, where there is no browser or no npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
eatt=$1 build=$2

. "$here/../support/npm.sh"
find_chromium
install_packages "$here" "$build"

example=$here/../report/example
"$eatt" report "$example/study" -o study.html
"$eatt" report "$example/runs/vanilla" "$example/runs/eatt" -o runs.html
"$eatt" report "$example/runs/eatt" -o unfinished.html
exec timeout 240 node "$here/check_page.mjs" "$chromium" "$build/pictures" study.html runs.html unfinished.html
