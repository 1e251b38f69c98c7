#!/usr/bin/env bash
# Two workers on two "hosts": network namespaces of their own, joined by a pair of veth interfaces.
# First they train to the end; then the link is cut in the middle of a training, and both must end
# with a sentence that names who is silent, within the time-out and a few seconds more.
#   two_hosts.sh FOLDER_OF_PROGRAMS
# Where namespaces are refused, both workers are on this host, one behind a frozen process (SIGSTOP)
# instead of a cut link; the test says which of the two ran. Exit code 77: the programs are missing.
set -euo pipefail
bin=$1
[ -x "$bin/eatt-train" ] || { echo "skipped: no $bin/eatt-train"; exit 77; }
work=$(mktemp -d)
id=$$
hosts=(eatt-a-$id eatt-b-$id)
timeout_seconds=8

clean_up() {
  local pid
  for pid in $(jobs -p); do kill -KILL "$pid" 2> /dev/null || true; done
  for host in "${hosts[@]}"; do ip netns del "$host" 2> /dev/null || true; done
  rm -rf "$work"
}
trap clean_up EXIT

make_hosts() {
  local i
  for i in 0 1; do
    ip netns add "${hosts[i]}" || return 1
    ip -n "${hosts[i]}" link set lo up || return 1
  done
  ip link add "va$id" netns "${hosts[0]}" type veth peer name "vb$id" netns "${hosts[1]}" || return 1
  ip -n "${hosts[0]}" address add 10.213.7.1/24 dev "va$id" && ip -n "${hosts[0]}" link set "va$id" up || return 1
  ip -n "${hosts[1]}" address add 10.213.7.2/24 dev "vb$id" && ip -n "${hosts[1]}" link set "vb$id" up || return 1
}

if command -v ip > /dev/null && make_hosts 2> "$work/refused"; then
  namespaces=true
  address=10.213.7.1 cut="a cut link"
else
  namespaces=false
  address=127.0.0.1 cut="a frozen process"
  echo "network namespaces are refused here: $(head -n 1 "$work/refused" 2> /dev/null || echo "no ip command")"
fi
echo "this run has $cut"

# start RANK RUN OPTIONS…: a worker in the background; its messages go to WORK/RUN.RANK.
start() {
  local rank=$1 run=$2; shift 2
  local inside=()
  ! $namespaces || inside=(ip netns exec "${hosts[rank]}")
  env RANK="$rank" WORLD_SIZE=2 LOCAL_RANK=0 MASTER_ADDR=$address MASTER_PORT=$port \
    "${inside[@]}" "$bin/eatt-train" train --recipe tiny --prepared "$work/data" --model "$work/$run" \
    --cpu-threads 1 --model-dim 16 --ffn-dim 32 --enc-depth 1 --dec-depth 1 --mini-batch-words 300 \
    --worker-timeout $timeout_seconds "$@" 2> "$work/$run.$rank" &
}

fail() { echo "FAILED: $*"; tail -n 5 "$work"/*.[01]; exit 1; }

"$bin/eatt" --quiet corpus generate --pair zh-en --train 400 --dev 10 --test 10 --output "$work/corpus"
"$bin/eatt" --quiet corpus prepare --train-sets "$work/corpus/train.zh" "$work/corpus/train.en" \
  --vocab-size 900 --output "$work/data" > /dev/null

port=$((20000 + id % 20000))
start 0 whole --after 20u; first=$!
start 1 whole --after 20u; second=$!
wait $first || fail "worker 0 did not finish"
wait $second || fail "worker 1 did not finish"
[ -e "$work/whole/last/model.safetensors" ] || fail "there is no model"
echo "trained together: 20 updates"

port=$((port + 1))
start 0 cut --after 1000000u --save-freq 5u; first=$!
start 1 cut --after 1000000u --save-freq 5u; second=$!
for _ in $(seq 200); do
  [ ! -e "$work/cut/checkpoints/step-00000005" ] || break
  sleep 0.2
done
[ -e "$work/cut/checkpoints" ] || fail "the training did not begin"
begun=$(date +%s)
if $namespaces; then
  ip -n "${hosts[1]}" link set "vb$id" down
else
  kill -STOP $second
fi
code=0; wait $first || code=$?
[ $code = 1 ] || fail "worker 0 ended with exit code $code"
if $namespaces; then
  code=0; wait $second || code=$?
  [ $code = 1 ] || fail "worker 1 ended with exit code $code"
  grep -q "no answer from worker 0 at $address:$port for $timeout_seconds seconds" "$work/cut.1" ||
    fail "worker 1 does not name worker 0"
fi
grep -q "no answer from worker 1 (host .*) for $timeout_seconds seconds" "$work/cut.0" ||
  fail "worker 0 does not name worker 1"
seconds=$(($(date +%s) - begun))
[ $seconds -le $((timeout_seconds + 30)) ] || fail "it took $seconds seconds"
echo "$cut: ended after $seconds seconds, time-out $timeout_seconds: $(tail -n 1 "$work/cut.0")"
