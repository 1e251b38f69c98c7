#!/usr/bin/env bash
# Makes reports of the example folders and checks them in a browser; see check_page.mjs.
#   run.sh EATT BUILD-FOLDER
# Ends with 77, which ctest shows as skipped, where there is no browser or no npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
eatt=$1 build=$2

skip() { echo "skipped: $*"; exit 77; }
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || skip "there is no Chromium; \`scripts/setup.sh test\` installs it"
for program in node npm; do
  command -v $program >/dev/null || skip "there is no $program; \`scripts/setup.sh test\` installs it"
done

mkdir -p "$build"
cd "$build"
# Installed once, and again when the list of packages changes.
if ! cmp -s "$here/package-lock.json" installed.json; then
  cp "$here/package.json" "$here/package-lock.json" .
  code=0
  timeout 240 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
    --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >npm.log 2>&1 || code=$?
  if [ $code != 0 ]; then
    if [ $code = 124 ] ||
      grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[134]|E50[0-9]' npm.log; then
      skip "the npm registry cannot be reached; $build/npm.log says why"
    fi
    cat npm.log
    exit 1
  fi
  cp "$here/package-lock.json" installed.json
fi

example=$here/../report/example
"$eatt" report "$example/study" -o study.html
"$eatt" report "$example/runs/vanilla" "$example/runs/eatt" -o runs.html
"$eatt" report "$example/runs/eatt" -o unfinished.html
exec timeout 240 node "$here/check_page.mjs" "$chromium" "$build/pictures" study.html runs.html unfinished.html
