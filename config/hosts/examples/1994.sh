#!/bin/sh
# 1994 again. NASA's prototype of a zoomed engine sent the runs of a fan to workstations of which each might fail. Here 32 runs go to four nodes of this machine
# (four.yaml): one starts nothing, one loses its watchdog and its relay, one is killed, one is frozen, and at last the host of the study is killed and
# begun again. The map is that of this machine alone, to the last bit, and nothing is left.
#
#   sh config/hosts/examples/1994.sh        PEREGRINE names the program; without, it is found in PATH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
peregrine=${PEREGRINE:-peregrine}
dir=$(mktemp -d)
log=$dir/studies/fan/study.jsonl

cp -r "$examples/e3.yaml" "$examples/maps" "$examples/geometry" "$dir"
sed -i 's,^\( *fan: {solver: throughflow.*\)},\1\, runs: 8\, settings: {refine: 1.75}},' "$dir/e3.yaml"

say() { echo "$(date +%T) $*"; }
fail() { say "$*; see $dir"; exit 1; }

# study makes the runs on the nodes.
study() {
  export TMPDIR="$dir" BROKEN=node4 # by the first its processes are known
  exec "$peregrine" run "$dir/e3.yaml" --hosts "$here/four.yaml" --launcher four --study fan --work "$dir/studies" --cache "$dir/cache" >"$dir/results.txt" 2>>"$dir/progress.txt"
}

# on NODE WHAT prints the processes of a node whose command begins with WHAT.
on() { pgrep -s "$(cat "$dir/studies/fan/.blocks/$1.session" 2>/dev/null || echo 1000000000)" -f "^[^ ]* serve $2"; }

# repaired holds when all runs that were lost have been made by others, and the cache has their answers, so that none is made three times.
repaired() {
  for run in $(grep -lsE '"class": *"(lost|killed|crashed)"' "$dir"/studies/fan/*/result.json); do
    key=$(sed -n 's/.*"key": *"\([0-9a-f]*\)".*/\1/p' "${run%/result.json}~2/result.json" 2>/dev/null)
    [ -n "$key" ] && [ -e "$dir/cache/$(echo "$key" | cut -c1-2)/$key" ] || return 1
  done
}

# until WHAT COMMAND... waits for a command to succeed while the study lives.
until_() {
  what=$1; shift
  while ! "$@" >/dev/null; do
    kill -0 "$host" 2>/dev/null || fail "the study ended before $what"
    sleep 0.1
  done
  say "$what"
}
busy() { repaired && on "$@"; }

# lost holds when a node was lost, and all that went on there has an end.
lost() {
  grep -qsE "node $1(\\.[0-9]+)? was lost" "$log" || return 1
  for run in $(grep '"kind":"started"' "$log" | grep -E "\"host\":\"$1(\\.[0-9]+)?\"" | sed 's/.*"run":"\([^"]*\)".*/\1/'); do
    [ -e "$dir/studies/fan/$run/result.json" ] || return 1
  done
}

say "this machine alone"
"$peregrine" run "$dir/e3.yaml" --launcher local --study alone --work "$dir/alone" --cache "$dir/alone/cache" >"$dir/alone.txt" 2>"$dir/alone.log" || fail "it fails here"

study & host=$!
until_ "a watchdog on node3: it is killed" busy node3 watchdog
kill -9 $(on node3 watchdog)
until_ "a relay on node3: it is killed" busy node3 relay
kill -9 $(on node3 relay)
until_ "node3 is lost" lost node3
until_ "a solver on node1: the node is killed" busy node1 solver
kill -9 $(on node1 "")
until_ "node1 is lost" lost node1
until_ "a solver on node2: the node is frozen" busy node2 solver
kill -STOP $(on node2 "")
until_ "node2 is lost" lost node2
until_ "a solver on node3: the host is killed" busy node3 solver
kill -9 "$host"
wait "$host" 2>/dev/null || say "the study is begun again"
study & host=$!
wait "$host" || fail "the study ends with exit code $?"

cmp "$dir"/cache/maps/*.yaml "$dir"/alone/cache/maps/*.yaml || fail "the maps differ"
say "the map is the same, to the last bit"
! ls "$dir/studies/fan" | grep '~3$' || fail "a run was made more than twice"
for second in 1 2 3 4 5 6 7 8 9 10 ""; do
  left=$(grep -lzsF "TMPDIR=$dir" /proc/[0-9]*/environ | cut -d/ -f3)
  [ -n "$left" ] || break
  [ -n "$second" ] || fail "processes are left: $left"
  sleep 1
done
say "what was lost"
"$peregrine" runs list fan --work "$dir/studies" --where 'class == "lost"' --columns run,host,message
rm -r "$dir"
