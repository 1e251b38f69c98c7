# For tests that need packages from the npm registry. They are skipped, by ctest's exit code 77, where
# there is no node, npm or registry.
skip() { echo "skipped: $*"; exit 77; }

# Sets `chromium`.
find_chromium() {
  chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
  [ -n "$chromium" ] || skip "there is no Chromium; \`scripts/setup.sh test\` installs it"
}

# Installs the packages of the folder $1 in the folder $2 and goes there: once, and again when the list
# of packages changes.
install_packages() {
  local from=$1 build=$2 program code=0
  for program in node npm; do
    command -v $program >/dev/null || skip "there is no $program; \`scripts/setup.sh test\` installs it"
  done
  mkdir -p "$build"
  cd "$build"
  cmp -s "$from/package-lock.json" installed.json && return
  cp "$from/package.json" "$from/package-lock.json" .
  timeout 240 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 \
    --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 >npm.log 2>&1 || code=$?
  if [ $code = 124 ] ||
    { [ $code != 0 ] &&
      grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[134]|E50[0-9]' npm.log; }; then
    skip "the npm registry cannot be reached; $build/npm.log says why"
  fi
  [ $code = 0 ] || { cat npm.log; exit 1; }
  cp "$from/package-lock.json" installed.json
}
