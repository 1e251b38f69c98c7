# To be sourced by a suite that is a script in Python, with the suite's arguments behind it:
#   . bench/python_suite.sh; run_python_suite SCRIPT 'FIGURE' 'GOAL' "programs it needs" ARGUMENT…
# Programs are relative to build/release. Where something is missing, the figure is skipped.
run_python_suite() {
  local script=$1 figure=$2 goal=$3 programs=$4
  shift 4
  local root python=/usr/bin/python3 missing= program
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  [ -x "$python" ] || python=$(command -v python3 || true)
  [ -n "$python" ] || missing="no python3"
  for program in $programs; do
    [ -x "$root/build/release/$program" ] || missing="no build/release/$program"
  done
  if [ -n "$missing" ]; then
    printf '%s\tskipped\t%s\t%s\n' "$figure" "$goal" "$missing"
    exit 0
  fi
  export LC_ALL=C.UTF-8
  exec "$python" "$root/bench/$script" "$@"
}
