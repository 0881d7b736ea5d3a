#!/bin/sh
# Thirty runs of the E3's fan (e3-steered.yaml) by somebody who reaches into them while they go on: one that would not converge is helped, one is sent back, one goes
# two ways, the hopeless are stopped by a rule, workers are taken and given, a client is killed and comes back, and the lever of a
# transient is moved. Then the account is read, and what was done is done once more, to the last bit.
#
#   sh config/examples/e3-steered.sh        PEREGRINE names the program; without, it is found in PATH
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peregrine=${PEREGRINE:-peregrine}
dir=$(mktemp -d)
helped=mine/fan-n100.0-k+05
back=mine/fan-n095.0-k+06

say() { echo "$(date +%T) $*"; }
fail() { say "$*; see $dir"; exit 1; }
run() { TMPDIR="$dir" "$peregrine" "$@" --work "$dir/studies"; } # by TMPDIR its processes are known
steer() { run steer "$@"; }
list() { run runs list mine "$@"; }

# class RUN CLASS holds when a run has ended so.
class() { list --where "run == \"$1\"" --columns class | grep -qx "$2 *"; }

# at RUN ITERATION holds when a run stands there.
at() { steer get "$1" iteration 2>/dev/null | grep -q " = $2\$"; }

# until_ WHAT COMMAND... waits for a command to succeed while the study lives.
until_() {
  what=$1; shift
  while ! "$@" >/dev/null 2>&1; do
    kill -0 "$host" 2>/dev/null || fail "the study ended before $what"
    sleep 0.2
  done
  say "$what"
}

TMPDIR="$dir" "$peregrine" run "$here/e3-steered.yaml" --study mine --held --workers 2 --work "$dir/studies" --cache "$dir/cache" >"$dir/results.txt" 2>"$dir/progress.txt" &
host=$!
until_ "the first runs stand at their start" steer list mine

say "what is to be done to runs that have not begun"
steer checkpoint $helped early --at 600 --future
steer pause $helped --at 650 --future
steer set $helped cfl=50 --at 700 --future
steer checkpoint $back early --at 300 --future
steer pause $back --at 600 --future
steer set mine/lever lever.value=3300 --when 't >= 2' --future

say "a client holds a run and is killed, and one who does not know what became of its command gives it again"
first=$(steer list mine --json | sed -n 's/.*"run": *"\([^"]*\)".*/\1/p' | head -1)
TMPDIR="$dir" "$peregrine" steer pause "mine/$first" --attended --id hold --work "$dir/studies" >/dev/null &
client=$!
sleep 1
kill -9 $client
wait $client 2>/dev/null || true
steer set "mine/$first" cfl=800 --id once --no-wait
steer set "mine/$first" cfl=800 --id once --no-wait

steer call mine/study first 'fan-n095*'
steer release mine
steer set mine/study workers=1
until_ "$back stands at iteration 600" at $back 600
steer set mine/study workers=2
steer rewind $back early cfl=50
until_ "$helped stands at iteration 650" at $helped 650
steer branch $helped early
steer resume $helped
wait "$host" || fail "the study ends with exit code $?"

say "the account"
steer log mine
list --where 'attempt > 1 or class != "converged"' --columns run,class,wall,message
class ${helped#mine/} converged || fail "the run that was helped did not converge"
class ${helped#mine/}-b1 not_converged || fail "its twin, left alone, did"
class ${back#mine/} killed && class ${back#mine/}~2 converged || fail "the run that was sent back has not come to its end"
[ "$(list --where 'message matches "^rule hopeless"' --columns run | grep -c fan)" = 3 ] || fail "the hopeless were not stopped"
[ "$(steer log "mine/$first" | grep -c 'cfl.*800')" = 1 ] || fail "a command was done twice, or not at all"
grep -A1 'rule steered' "$dir/results.txt" || fail "the lever was not moved"

say "once more"
steer replay $helped || fail "it went another way"
steer replay $helped-b1 || fail "it went another way"
steer replay mine/lever --cache "$dir/cache" || fail "it went another way"
for second in 1 2 3 4 5 6 7 8 9 10 ""; do
  left=$(grep -lzsF "TMPDIR=$dir" /proc/[0-9]*/environ | cut -d/ -f3)
  [ -n "$left" ] || break
  [ -n "$second" ] || fail "processes are left: $left"
  sleep 1
done
rm -r "$dir"
