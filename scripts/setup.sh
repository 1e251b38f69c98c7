#!/usr/bin/env bash
# Installs the Debian packages eatt needs, by name, and only those that are missing.
#   scripts/setup.sh [demo|test|runtime|fuzz]
#     demo     compiler, libraries and libtorch: builds both programs (default)
#     test     the same, and what the tests need
#     runtime  the torch-free half only: builds `eatt`
#     fuzz     the same, and clang, whose libFuzzer scripts/fuzz.sh needs
set -euo pipefail

purpose=${1:-demo}
case $purpose in
  demo | test | runtime | fuzz) ;;
  *) echo "setup: '$purpose' is not one of demo, test, runtime, fuzz" >&2; exit 2 ;;
esac

# Why each group is there is shown to the user before anything is installed.
build=(g++ cmake ninja-build pkg-config ccache)
# libexpat1-dev reads the XML of TMX and XLIFF files, part by part, for `eatt corpus convert`.
libraries=(nlohmann-json3-dev libspdlog-dev libfmt-dev
           zlib1g-dev libexpat1-dev libutf8proc-dev nettle-dev libhwy-dev)
# The server: Boost's Beast and Asio, which are headers only, and TLS.
libraries+=(libboost-dev libssl-dev)
# libtorch's products go to whatever provides libblas.so.3; apt alone would pick the slow reference.
# libgloo-dev has the headers of what libtorch's workers talk through.
training=(libtorch-dev libgloo-dev libopenblas0-pthread libtomlplusplus-dev)
# libcli11-dev reads the options of benchmarks; zsh and groff-base judge completion and man pages; parallel
# translates shards in a test.
testing=(libsentencepiece-dev libgtest-dev libgmock-dev libbenchmark-dev python3 python3-torch python3-pytest
         python3-sentencepiece sentencepiece git libdnnl-dev libcli11-dev zsh groff-base parallel)
# chromium, node and npm open the pages of `eatt report` in a test; a node of another origin, such as
# nodesource's, which conflicts with Debian's npm, will do.
testing+=(chromium)
# nginx and openssl stand before the server in tests; wrk loads it in scripts/bench.sh serve.
testing+=(nginx-light openssl wrk)
# iproute2 makes two hosts of one machine, in which workers train together.
testing+=(iproute2)
command -v node >/dev/null || testing+=(nodejs)
command -v npm >/dev/null || testing+=(npm)
# clang builds what runs under the sanitizers in half of gcc's time.
testing+=(clang libclang-rt-14-dev lld)
fuzzing=(clang libclang-rt-14-dev)

wanted=("${build[@]}" "${libraries[@]}")
trains=true
case $purpose in runtime | fuzz) trains=false ;; esac
$trains && wanted+=("${training[@]}")
[ "$purpose" = test ] && wanted+=("${testing[@]}")
[ "$purpose" = fuzz ] && wanted+=("${fuzzing[@]}")

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<EOF
setup: this system has no apt-get. eatt is developed on Debian 12; elsewhere, install what these
packages contain with your package manager, then build with \`cmake --workflow --preset release\`:
  ${wanted[*]}
EOF
  exit 1
fi
. /etc/os-release
if [ "${ID:-}" != debian ] || [ "${VERSION_ID:-}" != 12 ]; then
  echo "setup: this is ${PRETTY_NAME:-not Debian 12}, not Debian 12; trying Debian 12's package names." >&2
fi

missing=()
for package in "${wanted[@]}"; do is_installed "$package" || missing+=("$package"); done

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ]; then
    as_root=(env)
  elif command -v sudo >/dev/null; then
    as_root=(sudo env)
  else
    echo "setup: installing packages needs root or sudo; these are missing: ${missing[*]}" >&2
    exit 1
  fi
  apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y --no-install-recommends)

  echo "setup: refreshing the package lists"
  "${apt[@]}" -qq update
  echo "setup: missing: ${missing[*]}"
  echo "setup: the compiler and libraries are for building eatt, libtorch and OpenBLAS for training, the rest for the tests"
  # "Need to get 123 MB of archives. After this operation, 456 MB of additional disk space will be used."
  "${apt[@]}" --simulate -V install "${missing[@]}" >/dev/null || {
    echo "setup: apt cannot install them; is this Debian 12 with the main archive enabled?" >&2
    exit 1
  }
  "${apt[@]}" --assume-no install "${missing[@]}" 2>/dev/null |
    sed -n 's/^\(Need to get\|After this operation\)/setup: \1/p' || true
  # A line per package is too much to read; a line every so often shows that it moves.
  "${apt[@]}" -q -o Dpkg::Use-Pty=0 install "${missing[@]}" |
    awk '/^Get:/ {kind = "fetched"} /^Unpacking/ {kind = "unpacked"} /^Setting up/ {kind = "set up"}
         kind != "" && ++count[kind] % 50 == 0 {print "setup:", count[kind], "packages", kind; fflush()}
         {kind = ""}'
fi

if $trains; then
  blas=$(readlink -f "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || echo x86_64-linux-gnu)/libblas.so.3" || true)
  case $blas in
    *openblas* | *blis* | *mkl*) ;;
    *) echo "setup: warning: libtorch uses ${blas:-an unknown BLAS}, which is slow;" \
            "switch to OpenBLAS with \`update-alternatives --config libblas.so.3-$(uname -m)-linux-gnu\`" >&2 ;;
  esac
fi
echo "setup: all ${#wanted[@]} packages are installed"
