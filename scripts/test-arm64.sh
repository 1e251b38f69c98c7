#!/usr/bin/env bash
# Runs the kernels' tests as an arm64 program (NEON) under qemu: compiled by Debian's cross compiler,
# with the arm64 packages of Highway, fmt and GoogleTest unpacked into build/arm64/sysroot.
# Takes some minutes; not part of scripts/test.sh.
#
#   scripts/test-arm64.sh [TEST…]      e.g. scripts/test-arm64.sh attention scores
set -euo pipefail
cd "$(dirname "$0")/.."

# as_root COMMAND…
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
tools=(g++-aarch64-linux-gnu qemu-user)
if ! dpkg-query -W "${tools[@]}" >/dev/null 2>&1; then
  echo "test-arm64: installing ${tools[*]}"
  as_root apt-get -qq update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${tools[@]}"
fi

out=build/arm64
mkdir -p "$out/packages" "$out/sysroot"
packages=(libhwy1 libhwy-dev libfmt9 libfmt-dev libgtest-dev libgmock-dev)
if [ ! -e "$out/sysroot/complete" ]; then
  echo "test-arm64: fetching arm64 packages"
  if ! dpkg --print-foreign-architectures | grep -qx arm64; then
    as_root dpkg --add-architecture arm64
    as_root apt-get -qq update
  fi
  (cd "$out/packages" && apt-get -qq download "${packages[@]/%/:arm64}")
  for package in "$out"/packages/*.deb; do dpkg-deb -x "$package" "$out/sysroot"; done
  touch "$out/sysroot/complete"
fi

tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
  for file in tests/kernels/*_test.cc; do
    name=${file##*/}
    tests+=("${name%_test.cc}")
  done
fi

flags=(-std=c++20 -O2 -ffp-contract=off -Isrc -Itests -isystem "$out/sysroot/usr/include"
  -DHWY_SHARED_DEFINE -DFMT_SHARED -DHWY_COMPILE_ALL_ATTAINABLE
  "-DHWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
# compile SOURCE: an object that is newer than everything in src and tests/kernels stays.
compile() {
  local object=$out/${1//\//_}.o
  if [ ! -e "$object" ] || [ -n "$(find src/kernels src/base tests/kernels -newer "$object" -print -quit)" ]; then
    echo "test-arm64: compiling $1" >&2
    aarch64-linux-gnu-g++ "${flags[@]}" -c "$1" -o "$object"
  fi
  echo "$object"
}
objects=()
for source in src/kernels/*.cc src/kernels/*/*.cc src/base/error.cc; do objects+=("$(compile "$source")"); done
libraries=$out/sysroot/usr/lib/aarch64-linux-gnu
failed=0
for test in "${tests[@]}"; do
  object=$(compile "tests/kernels/${test}_test.cc")
  aarch64-linux-gnu-g++ "$object" "${objects[@]}" -L"$libraries" -Wl,-rpath-link,"$libraries" \
    -lhwy -lfmt -lgmock -lgtest -lgtest_main -lpthread -o "$out/${test}_test"
  echo "test-arm64: running ${test}_test"
  qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries" "$out/${test}_test" --gtest_brief=1 ||
    failed=1
done
exit $failed
