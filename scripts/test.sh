#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: the release build with libtorch, the
# torch-free half under the address and undefined-behavior sanitizers. Both replay the seeds of all
# fuzz targets and mutations of them; `scripts/fuzz.sh all 600` searches for more. Can be run again;
# it is then quick.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }
# A run without warnings stays quiet; CI turns them into errors, so that none is overlooked.
werror=OFF
[ "${CI:-}" = true ] && werror=ON

step "Packages"
scripts/setup.sh test

step "Release build"
cmake --preset release -DEATT_WERROR=$werror
cmake --build --preset release

step "Sanitizer build of the torch-free half"
cmake --preset sanitize
cmake --build --preset sanitize

step "Tests under the sanitizers"
ctest --preset sanitize

step "Tests of the release build"
ctest --preset release
