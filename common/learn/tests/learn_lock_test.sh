#!/bin/sh
# learn_lock_test.sh LEARN -- tests that ./learn commands that are started at the same time build one after another,
# even if some of them fail or are killed.
set -eu
learn=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build=$folder/build
failed=0

say_failed() {
    printf 'FAILED: %s\n' "$*"
    failed=1
}

if ! command -v flock >/dev/null; then
    echo 'skipped: there is no flock here'
    exit 77
fi

# Simulate a computer on which all requirements are installed.
mkdir -p "$folder/bin" "$folder/include/doctest" "$folder/include/nlohmann" "$folder/include/CLI" \
    "$folder/include/toml++" "$build/bin"
for header in zstd.h lz4.h doctest/doctest.h nlohmann/json.hpp CLI/CLI.hpp toml++/toml.h; do
    : >"$folder/include/$header"
done
: >"$build/build.ninja"
program() {
    cat >"$1"
    chmod +x "$1"
}
for tool in g++ ninja clang++-99; do printf '#!/bin/sh\necho 99\n' | program "$folder/bin/$tool"; done
# The test must never install anything, so apt-get fails.
printf '#!/bin/sh\nexit 1\n' | program "$folder/bin/apt-get"
# This cmake detects concurrent builds: only one of them can create the folder.
program "$folder/bin/cmake" <<'END_OF_CMAKE'
#!/bin/sh
cd "$PLACE" || exit
[ -z "${CALLS:-}" ] || (unset CALLS && "$LEARN" build) || echo nested >>overlaps
mkdir building || echo overlap >>overlaps
sleep "${BUILD_SECONDS:-0.1}"
if [ -n "${LEAVES:-}" ]; then
    sleep 60 >/dev/null 2>&1 &
    echo $! >left
fi
echo built >>builds
rmdir building 2>/dev/null || true
END_OF_CMAKE
program "$folder/bin/ctest" <<'END_OF_CTEST'
#!/bin/sh
echo '<testcase name="one" status="run"/>' >"$COALESCE_BUILD/tests.xml"
END_OF_CTEST
# This stand-in for the built program records an overlap if the lock is still held or its descriptor is still open.
program "$build/bin/learn" <<'END_OF_LEARN'
#!/bin/sh
echo "$*" >>"$PLACE/runs"
[ -z "${COALESCE_BUILDING:-}" ] || echo building >>"$PLACE/overlaps"
[ ! -e /proc/self/fd/9 ] || echo open >>"$PLACE/overlaps"
exec sleep "${RUN_SECONDS:-0}"
END_OF_LEARN

PATH=$folder/bin:$PATH CPATH=$folder/include PLACE=$folder LEARN=$learn COALESCE_BUILD=$build
COALESCE_COMPILER=clang COALESCE_CLANG=clang++-99
export PATH CPATH PLACE LEARN COALESCE_BUILD COALESCE_COMPILER COALESCE_CLANG

lines_in() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }
# no_overlap WHAT -- reports the failure WHAT if two builds overlapped. Also clears the records of overlaps.
no_overlap() {
    [ ! -e "$folder/overlaps" ] || say_failed "$1: $(sort "$folder/overlaps" | uniq -c)"
    rm -rf "$folder/overlaps" "$folder/building"
}

# Start 13 commands of all kinds at the same time. Start the command `test` only once, because two test runs would write
# to the same results file.
rm -f "$folder/runs" "$folder/builds"
processes=
for turn in 1 2 3 4; do
    for command in 'check 01' 'list' 'build' 'test'; do
        if [ "$command" = test ] && [ "$turn" != 1 ]; then continue; fi
        # shellcheck disable=SC2086  # a command and its words
        "$learn" $command >"$folder/output.$turn.${command%% *}" 2>&1 &
        processes="$processes $!"
    done
done
for process in $processes; do
    wait "$process" || say_failed "one of them ended with $?: $(cat "$folder"/output.*)"
done
no_overlap 'a dozen at once'
[ "$(lines_in "$folder/runs")" = 8 ] || say_failed 'not all programs ran'
grep -q "another ./learn is building in $build (process [0-9]*); waiting for it to finish" "$folder"/output.* ||
    say_failed 'nobody said that it waits'

# While a program runs, other commands must be able to build.
RUN_SECONDS=60 "$learn" watch 01 </dev/null &
process=$!
while ! grep -q 'watch 01' "$folder/runs"; do sleep 0.02; done
timeout 30 "$learn" check 01 2>"$folder/said" || say_failed 'it waited for a program that runs'
[ ! -s "$folder/said" ] || say_failed "a program that runs: $(cat "$folder/said")"
kill "$process"

# A process that outlives a build must not hold the lock.
LEAVES=yes timeout 30 "$learn" check 01 || say_failed 'a build that leaves something behind'
timeout 30 "$learn" check 01 || say_failed 'it waited for what a build left behind'
no_overlap 'left behind'
kill "$(cat "$folder/left")"

# A ./learn that is called by a build must not wait for the lock, because the build already holds it.
CALLS=yes timeout 30 "$learn" check 01 2>/dev/null || say_failed 'a ./learn within a ./learn'
no_overlap 'within'

# When a build is killed, the script must wait until its child processes have ended, and then release the lock.
BUILD_SECONDS=1 "$learn" check 01 2>/dev/null &
process=$!
while [ ! -e "$folder/building" ]; do sleep 0.02; done
kill -9 "$process"
wait "$process" 2>/dev/null || true
timeout 30 "$learn" check 01 2>/dev/null || say_failed 'the lock of a killed one stayed'
no_overlap 'killed'

# A failed build must report its failure and release the lock.
printf '#!/bin/sh\nexit 1\n' | program "$folder/bin/cmake"
code=0
"$learn" check 01 2>/dev/null || code=$?
[ "$code" = 1 ] || say_failed "a build that fails ended with $code"
code=0
timeout 30 "$learn" check 01 2>/dev/null || code=$?
[ "$code" = 1 ] || say_failed "the next one ended with $code"

[ "$failed" = 0 ] && echo 'all as expected'
exit "$failed"
