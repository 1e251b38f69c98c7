#!/usr/bin/env bash
# Lets an unmodified LibreTranslate client from npm translate through eatt-serve.
#   run.sh BIN-FOLDER SERVING_BUNDLE BUILD-FOLDER
# Ends with 77, which ctest shows as skipped, where there is no node, npm or npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 make_bundle=$2 build=$3

. "$here/../../support/npm.sh"
install_packages "$here" "$build"

rm -rf model server.log  # An old log names the address of a server that is gone.
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
