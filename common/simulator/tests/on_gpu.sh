#!/bin/sh
# Runs the test programs on a real GPU, to check that the hardware gives the expected results.
#
#     common/simulator/tests/on_gpu.sh [FOLDER]      FOLDER: where to build; default /tmp/coalesce-on-gpu
#
# programs/*.cu, driver/*.cu and cublas/*.cu must print their `// expect:` lines, except those marked
# `// simulator only`. Every case of clean/*.cu must end with exit code 0, except those marked
# `// clean NAME simulator only`, which run for minutes on a GPU or depend on the order of lanes. The script needs
# nvcc and a GPU, but no other part of the project. WITH may name a command that runs every case of clean/*.cu:
#
#     WITH="compute-sanitizer --tool racecheck --error-exitcode 1" common/simulator/tests/on_gpu.sh
#
# ONLY is a shell pattern for the programs to build and run (default: all):
#
#     ONLY='programs/cluster_*' common/simulator/tests/on_gpu.sh
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${1:-/tmp/coalesce-on-gpu}
mkdir -p "$folder"
command -v nvcc >/dev/null || { echo "on_gpu: no nvcc on the PATH" >&2; exit 2; }

sources=
for source in "$here"/programs/*.cu "$here"/driver/*.cu "$here"/cublas/*.cu "$here"/clean/*.cu; do
    # shellcheck disable=SC2254  # a pattern
    case ${source#"$here"/} in
    ${ONLY:-*}) grep -q '^// simulator only' "$source" || sources="$sources $source" ;;
    esac
done

echo "building"
# shellcheck disable=SC2086
printf '%s\n' $sources | xargs -P "$(nproc)" -I{} sh -c '
    name=$(basename {} .cu); kind=$(basename "$(dirname {})")
    options=$(sed -n "s|^// nvcc: ||p" {})
    nvcc -cudart shared -arch=sm_90 -lineinfo -std=c++17 $options -o '"$folder"'/$kind-$name {} >'"$folder"'/$kind-$name.build 2>&1 ||
        echo "does not build: $kind/$name"'

failed=0 passed=0
verdict() {  # takes the program's NAME and its exit status, 0 for a pass
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $1"; fi
}
for source in $sources; do
    kind=$(basename "$(dirname "$source")")
    program=$folder/$kind-$(basename "$source" .cu)
    [ -x "$program" ] || { verdict "$source (not built)" 1; continue; }
    if [ "$kind" = clean ]; then
        for case in $(sed -n '/ simulator only$/d; s|.*// clean \([a-z0-9_]*\).*|\1|p' "$source" | sort -u); do
            # shellcheck disable=SC2086  # a command and its options
            timeout 60 ${WITH:-} "$program" "$case" >"$program.out" 2>&1
            verdict "$kind/$(basename "$source") $case" $?
        done
    else
        expected_exit=$(sed -n 's|^// expect-exit: ||p' "$source")
        timeout 60 "$program" >"$program.all" 2>"$program.err"
        code=$?
        # Remove the messages about invalid parameters that cuBLAS itself prints.
        grep -v '^ \*\* On entry to' "$program.all" >"$program.out"
        sed -n 's|^// expect: ||p' "$source" >"$program.expected"
        diff "$program.expected" "$program.out" >"$program.diff"
        same=$?
        [ "$code" = "${expected_exit:-0}" ] || same=1
        verdict "$kind/$(basename "$source")" $same
        [ $same = 0 ] || head -5 "$program.diff"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
