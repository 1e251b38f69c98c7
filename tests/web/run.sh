#!/usr/bin/env bash
# Drives the server's page in a browser, see check_web.mjs: with a mock server, and with eatt-serve
# and a small model, if these are built.
#   run.sh BIN-FOLDER BUILD-FOLDER
# The server can be another program: EATT_SERVE. A bundle instead of the small model: EATT_BUNDLE.
# Ends with 77, which ctest shows as skipped, where there is no browser or no npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 build=$2
serve=${EATT_SERVE:-$bin/eatt-serve}

. "$here/../support/npm.sh"
find_chromium
install_packages "$here" "$build"

check() { timeout 400 node "$here/check_web.mjs" "$chromium" "$build/pictures" "$here/../../web" "$@"; }

# A model that has learned little but translates: a few seconds of training.
small_model() {
  "$bin/eatt" corpus generate --pair zh-en --train 2000 --dev 50 --test 50 --seed 1 --output corpus
  "$bin/eatt" train --recipe builtin-zh-en --vocab-size 1000 --model-dim 32 --heads 2 --ffn-dim 64 \
    --mini-batch-words 500 --after 300u --valid-freq 300u --save-freq 300u \
    --train-sets corpus/train.zh corpus/train.en --valid-sets corpus/dev.zh corpus/dev.en --model model
  "$bin/eatt" quantize model/best model.int8
}

# Starts the server at any free port; its address is in its first line.
start_server() {
  rm -f server.log  # An old log names the address of a server that is gone.
  "$serve" "$1" --port 0 2>server.log &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  for _ in $(seq 200); do
    address=$(grep -oE 'http://[0-9.:]+/?' server.log | head -n 1 || true)
    [ -n "$address" ] && return
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  echo "the server did not start:"
  cat server.log
  exit 1
}

check
if [ ! -x "$serve" ]; then
  echo "eatt-serve is not built: the page was checked with the mock server alone"
  exit 0
fi
bundle=${EATT_BUNDLE:-}
if [ -z "$bundle" ]; then
  if [ ! -x "$bin/eatt-train" ]; then
    echo "eatt-train is not built, so there is no model: the page was checked with the mock server alone"
    exit 0
  fi
  [ -e model.int8/config.json ] || small_model >model.log 2>&1 || { cat model.log; exit 1; }
  bundle=model.int8
fi
start_server "$bundle"
check "${address%/}/"
