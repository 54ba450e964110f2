#!/bin/sh
# ci_example_test.sh CMAKE CTEST BUILD EXAMPLE CLANG GENERATOR -- installs the project into a temporary folder and moves
# that folder. Then builds and tests the example project in it, as a user would: first unchanged, and then with each
# example pull request.
set -eu
cmake=$1 ctest=$2 build=$3 example=$4 generator=$6
export COALESCE_CLANG="$5"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    printf 'failed: %s\n' "$*"
    [ ! -e "$work/log" ] || cat "$work/log"
    exit 1
}
run_quietly() { "$@" >"$work/log" 2>&1 || fail "$*"; }

run_quietly "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
[ -s "$work/prefix/share/man/man1/simulate.1" ] || fail "there is no man page"
"$work/prefix/bin/simulate" --version | grep -qx 'simulate [0-9.]*' || fail "simulate --version"

cp -r "$example" "$work/project"
run_quietly "$cmake" -S "$work/project" -B "$work/project/build" -G "$generator" \
    -DCMAKE_PREFIX_PATH="$work/prefix"

# Builds and tests the example project. Returns the exit status of its tests.
test_project() {
    run_quietly "$cmake" --build "$work/project/build"
    "$ctest" --test-dir "$work/project/build" --output-on-failure >"$work/log" 2>&1
}
says() { grep -q -e "$2" "$work/project/build/reduction.gpu.$1" || fail "the .$1 file does not say: $2"; }

test_project || fail "the project as it is"
says xml 'failures="0"'
says md 'No report'

cp "$work/project/pull_requests/race.cu" "$work/project/reduction.cu"
test_project && fail "the race was not found"
says sarif '"ruleId": "racecheck/'
says sarif '"uri": "reduction.cu"'
says xml 'failures="1"'

cp "$work/project/pull_requests/costlier.cu" "$work/project/reduction.cu"
test_project && fail "the costlier line was not found"
says sarif '"ruleId": "budget/sectors-per-load-over-the-limit"'
says md '32 sectors per load, but the limit is 4'
