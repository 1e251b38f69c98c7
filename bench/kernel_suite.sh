# To be sourced by a suite that is one program on one thread, with the suite's arguments behind it:
#   . bench/kernel_suite.sh; run_kernel_suite PROGRAM 'FIGURE' ROUNDS QUICK_ROUNDS ARGUMENT…
# The program is in build/release/bench. Where it is missing, the figure is skipped.
run_kernel_suite() {
  local name=$1 figure=$2 rounds=$3 quick_rounds=$4
  shift 4
  local root program
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  case "${1:-}" in
    --quick) rounds=$quick_rounds ;;
    '') ;;
    *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
  esac
  program=$root/build/release/bench/$name
  if [ ! -x "$program" ]; then
    printf '%s\tskipped\t-\tno build/release/bench/%s\n' "$figure" "$name"
    exit 0
  fi
  # OpenBLAS does not know CPUs newer than itself: see bench/README.md.
  export LC_ALL=C.UTF-8 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
  . "$root/bench/blas_environment.sh"
  exec "$program" "$rounds"
}
