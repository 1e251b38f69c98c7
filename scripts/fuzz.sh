#!/usr/bin/env bash
# Fuzzes one target, or all of them, with libFuzzer under the address and undefined-behavior
# sanitizers.
#   scripts/fuzz.sh TARGET|parsers|all SECONDS
# New inputs gather in build/fuzz/corpus/TARGET and are used again by the next run. What crashes a
# target is kept in fuzz/regressions/TARGET: fix it, then commit the file, and the tests replay it.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=()
for file in fuzz/*_fuzz.cc; do targets+=("$(basename "$file" _fuzz.cc)"); done
if [ $# -ne 2 ] || ! [[ $2 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: scripts/fuzz.sh TARGET|parsers|all SECONDS   (targets: ${targets[*]})" >&2
  exit 2
fi
case "$1" in
  all) chosen=("${targets[@]}") ;;
  # Those that need no kernels, which clang takes minutes to compile.
  parsers) chosen=(chip lines manifest pharaoh piece_model safetensors tsv) ;;
  *) chosen=("$1") ;;
esac
if [ ! -f "fuzz/${chosen[0]}_fuzz.cc" ]; then
  echo "fuzz: there is no target '$1'; there are: ${targets[*]}" >&2
  exit 2
fi
command -v clang++ >/dev/null || { echo "fuzz: needs clang++; scripts/setup.sh fuzz installs it" >&2; exit 1; }

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${chosen[@]/%/_fuzz}"

failed=0
for target in "${chosen[@]}"; do
  corpus=build/fuzz/corpus/$target
  regressions=fuzz/regressions/$target
  log=build/fuzz/$target.log
  mkdir -p "$corpus" "$regressions"
  if build/fuzz/fuzz/"${target}_fuzz" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 \
       -max_len=16384 -print_final_stats=1 -artifact_prefix="$regressions/" \
       "$corpus" "fuzz/seeds/$target" "$regressions" >"$log" 2>&1; then
    awk -v target="$target" -v seconds="$2" '
      /stat::number_of_executed_units/ {runs = $2}
      /stat::average_exec_per_sec/ {speed = $2}
      END {printf "%s: %d inputs in %d s (%d per second), no finding\n", target, runs, seconds, speed}' "$log"
  else
    failed=1
    echo "$target: FOUND something; the input is in $regressions/, the report in $log:"
    grep -m1 -A12 -E 'ERROR|runtime error|ALARM' "$log" || tail -n 20 "$log"
  fi
done
find fuzz/regressions -type d -empty -delete
exit $failed
