#!/usr/bin/env bash
# Lets an unmodified LibreTranslate client from npm translate through eatt-serve.
#   run.sh BIN-FOLDER SERVING_BUNDLE BUILD-FOLDER
# Ends with 77, which ctest shows as skipped, where there is no node, npm or npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 make_bundle=$2 build=$3

skip() { echo "skipped: $*"; exit 77; }
for program in node npm; do
  command -v $program >/dev/null || skip "there is no $program; \`scripts/setup.sh test\` installs it"
done

mkdir -p "$build"
cd "$build"
# Installed once, and again when the list of packages changes.
if ! cmp -s "$here/package-lock.json" installed.json; then
  cp "$here/package.json" "$here/package-lock.json" .
  timeout 120 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 >npm.log 2>&1 ||
    skip "the npm registry cannot be reached; $build/npm.log says why"
  cp "$here/package-lock.json" installed.json
fi

rm -rf model
"$make_bundle" model
"$bin/eatt-serve" model --port 0 2>server.log &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 100); do
  address=$(grep -o 'http://[0-9.:]*' server.log | head -1 || true)
  [ -z "$address" ] || break
  sleep 0.1
done
timeout 60 node "$here/translate.mjs" "$build" "$address"
