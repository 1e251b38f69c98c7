#!/usr/bin/env bash
# Two workers on two "hosts": network namespaces of their own, joined by a pair of veth interfaces.
# First they train to the end; then the link is cut in the middle of a training, and both must end
# with a sentence that names who is silent, within the time-out and a few seconds more.
#   two_hosts.sh FOLDER_OF_PROGRAMS [--proxy]
# Where namespaces are refused, or with --proxy, both workers are on this host and worker 1 reaches
# worker 0 through a TCP proxy, which stalls instead of a link that is cut: connections stay open, but
# nothing comes through. The test says which of the two ran. Exit code 77: the programs are missing.
set -euo pipefail
bin=$1
[ -x "$bin/eatt-train" ] || { echo "skipped: no $bin/eatt-train"; exit 77; }
work=$(mktemp -d)
id=$$
hosts=(eatt-a-$id eatt-b-$id)
timeout_seconds=8
proxy=

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

# start_proxy PORT TO: everything that worker 1 sends or gets goes through PORT and is passed on to
# TO, where worker 0 keeps the store. Gloo's own connections are made to addresses that the workers
# exchange there, so the proxy opens another port for worker 0's address and puts it in its place, on
# the way to worker 1. Gloo lets the worker with the higher port connect to the other, and compares
# ports as they are in memory, low byte first: a port below all that the system chooses, in either
# order of bytes, makes that worker 1, and for worker 0 the port of worker 1 becomes the highest.
# SIGUSR1 makes everything stall.
start_proxy() {
  cat > "$work/proxy.py" <<'END'
import re, signal, socket, sys, threading, time
stalled = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: stalled.set())
ADDRESS = re.compile(rb"(?s)(\x02\x00)(..)(\x7f\x00\x00\x01)")  # sockaddr_in of 127.0.0.1

LOW_PORTS = range(0x2800, 0x8000, 0x100)

def open_door(to, ports):
    for port in ports:
        try:
            door = socket.create_server(("127.0.0.1", port))
        except OSError:
            continue
        threading.Thread(target=serve, args=(door, to), daemon=True).start()
        return port

def for_worker_1(found):
    port = open_door(int.from_bytes(found[2], "big"), LOW_PORTS)
    return found[1] + port.to_bytes(2, "big") + found[3]

def for_worker_0(found):
    return found[1] + b"\xff\xff" + found[3]

def pass_on(source, target, new_address):
    while data := source.recv(1 << 16):
        while stalled.is_set():
            time.sleep(1)
        target.sendall(ADDRESS.sub(new_address, data) if new_address else data)
    target.shutdown(socket.SHUT_WR)

def connect(to):
    while True:  # Worker 1 may be here before worker 0.
        try:
            return socket.create_connection(("127.0.0.1", to))
        except OSError:
            time.sleep(0.1)

def serve(door, to):
    store = to == int(sys.argv[2])
    while True:
        near, _ = door.accept()
        far = connect(to)
        for way in ((near, far, for_worker_0 if store else None),
                    (far, near, for_worker_1 if store else None)):
            for end in way[:2]:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=pass_on, args=way, daemon=True).start()

open_door(int(sys.argv[2]), [int(sys.argv[1])])
print("ready", flush=True)
while True:
    signal.pause()
END
  rm -f "$work/proxy.ready"
  python3 "$work/proxy.py" "$1" "$2" > "$work/proxy.ready" & proxy=$!
  for _ in $(seq 100); do
    ! grep -qs ready "$work/proxy.ready" || return 0
    sleep 0.1
  done
  fail "the proxy did not start"
}

fail() { echo "FAILED: $*"; tail -n 5 "$work"/*.[01] || true; exit 1; }

echo "--proxy was asked for" > "$work/refused"
if [ "${2:-}" != --proxy ] && command -v ip > /dev/null && make_hosts 2> "$work/refused"; then
  namespaces=true
  address=10.213.7.1 cut="a cut link between network namespaces"
else
  namespaces=false
  address=127.0.0.1 cut="a stalling proxy"
  command -v python3 > /dev/null || { echo "skipped: neither network namespaces nor python3"; exit 77; }
  echo "no network namespaces: $(head -n 1 "$work/refused")"
fi
echo "this run has $cut"

# start RANK RUN OPTIONS…: a worker in the background; its messages go to WORK/RUN.RANK.
start() {
  local rank=$1 run=$2; shift 2
  local inside=()
  ! $namespaces || inside=(ip netns exec "${hosts[rank]}")
  env RANK="$rank" WORLD_SIZE=2 LOCAL_RANK=0 MASTER_ADDR=$address MASTER_PORT="${ports[rank]}" \
    "${inside[@]}" "$bin/eatt-train" train --recipe tiny --prepared "$work/data" --model "$work/$run" \
    --cpu-threads 1 --model-dim 16 --ffn-dim 32 --enc-depth 1 --dec-depth 1 --mini-batch-words 300 \
    --worker-timeout $timeout_seconds "$@" 2> "$work/$run.$rank" &
}

"$bin/eatt" --quiet corpus generate --pair zh-en --train 400 --dev 10 --test 10 --output "$work/corpus"
"$bin/eatt" --quiet corpus prepare --train-sets "$work/corpus/train.zh" "$work/corpus/train.en" \
  --vocab-size 900 --output "$work/data" > /dev/null

# Where worker 0 and worker 1 find the store.
port=$((20000 + id % 10000))
ports=("$port" "$port")
if ! $namespaces; then
  ports=("$port" $((port - 10000)))
  start_proxy "${ports[1]}" "${ports[0]}"
fi
start 0 whole --after 20u; first=$!
start 1 whole --after 20u; second=$!
wait $first || fail "worker 0 did not finish"
wait $second || fail "worker 1 did not finish"
[ -e "$work/whole/last/model.safetensors" ] || fail "there is no model"
echo "trained together: 20 updates"

if $namespaces; then
  ports=($((port + 1)) $((port + 1)))
else
  kill -KILL $proxy
  wait $proxy 2> /dev/null || true
  ports=($((port + 1)) $((port - 9900)))
  start_proxy "${ports[1]}" "${ports[0]}"
fi
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
  kill -USR1 $proxy
fi
code=0; wait $first || code=$?
[ $code = 1 ] || fail "worker 0 ended with exit code $code"
code=0; wait $second || code=$?
[ $code = 1 ] || fail "worker 1 ended with exit code $code"
grep -q "no answer from worker 0 at $address:${ports[1]} for $timeout_seconds seconds" "$work/cut.1" ||
  fail "worker 1 does not name worker 0"
grep -q "no answer from worker 1 (host .*) for $timeout_seconds seconds" "$work/cut.0" ||
  fail "worker 0 does not name worker 1"
seconds=$(($(date +%s) - begun))
[ $seconds -le $((timeout_seconds + 30)) ] || fail "it took $seconds seconds"
echo "$cut: ended after $seconds seconds, time-out $timeout_seconds: $(tail -n 1 "$work/cut.0")"
