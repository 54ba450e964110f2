#!/bin/sh
# programs_test.sh CHECKS REPOSITORY -- runs the program CHECKS as ./learn does.
checks=$1
repository=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE NAME COMMAND... -- runs the command, checks its exit code, and writes its output to $folder/output. NAME
# is the test's name.
expect() {
    code=$1
    name=$2
    shift 2
    "$@" > "$folder/output" 2>&1
    found=$?
    if [ $found != "$code" ]; then
        echo "$name: ended with $found, not $code:"
        cat "$folder/output"
        failed=1
    fi
}

# says NAME TEXT FILE -- checks that the file contains the text.
says() {
    if ! grep -q -- "$2" "$3"; then
        echo "$1: \"$2\" is not in it:"
        cat "$3"
        failed=1
    fi
}

cat > "$folder/blank.cu" << 'END'
__global__ void transpose(float* out, const float* in, int rows, int cols) {
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
END

kernel() {
    COALESCE_KERNEL=$1 COALESCE_VERDICT=$folder/verdict.json "$checks" \
        --test-case="${2:-02_naive}"
}

expect 0 "the solution" kernel "$repository/solutions/02_naive/kernel.cu"
says "the solution's verdict" '"outcome": *"passed"' "$folder/verdict.json"
expect 1 "a blank kernel" kernel "$folder/blank.cu"
says "the blank's verdict" '"nothing-written"' "$folder/verdict.json"
says "the blank's output" "blank.cu" "$folder/output"
expect 0 "the fixed hunt" kernel "$repository/solutions/02_naive/hunt.cu" "02_naive hunt"
expect 1 "a missing file" kernel "$folder/nowhere.cu"
says "the missing file" "nowhere.cu" "$folder/output"

expect 2 "a test case that there is not" kernel "$folder/blank.cu" "no such case"
says "a test case that there is not" "Nothing was examined" "$folder/output"
expect 2 "a device that there is not" env COALESCE_DEVICE=moon "$checks"
says "a device that there is not" "sim, gpu or auto, not moon" "$folder/output"
expect 2 "a verdict that cannot be written" env COALESCE_KERNEL="$folder/blank.cu" \
    COALESCE_VERDICT="$folder/none/verdict.json" "$checks" --test-case=02_naive
# Every lesson must have test cases for its exercise and its hunt. The whole program has no hunt.
(cd "$repository/solutions" && ls | grep -v '^x_') |
    sed 'p; s/$/ hunt/' | grep -v '^00_.* hunt' | sort > "$folder/wanted"
"$checks" --list-test-cases | grep '^[0-9][0-9]_' | sort > "$folder/there"
expect 0 "the test cases" diff "$folder/wanted" "$folder/there"
exit $failed
