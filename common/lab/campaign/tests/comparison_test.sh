#!/bin/sh
# Tests that the campaign detects wrong results, reduces the kernels that cause them, and continues after a kernel has
# crashed. usage: comparison_test.sh CAMPAIGN FAKE_RUNNER
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "$1"
    cat "$folder/out"
    exit 1
}
"$1" --runner "$2" --only ptx --kernels 120 --jobs 1 --shrink 1 --folder "$folder/found" > "$folder/out" 2>&1
[ $? -eq 1 ] || fail "the exit code is not 1"

# The campaign stores the kernel that crashes, and every kernel with the instruction that the fake runner gets wrong.
wrong=$(grep -l brev.b32 "$folder"/found/*/kernel.ptx | wc -l)
kept=$(ls "$folder/found" | wc -l)
[ "$wrong" -gt 0 ] || fail "no kernel has brev.b32"
[ "$kept" -eq "$((wrong + 1))" ] || [ -d "$folder/found/ptx-5" ] || fail "$kept kept, $wrong wrong"
grep -q "^ptx-5: crashed: exit code 7" "$folder/out" || fail "the crash is not told"
grep -q "120 kernels in .* $kept differ" "$folder/out" || fail "the sum is not told"

small=$(ls "$folder"/found/*/shrunk.ptx)
grep -q brev.b32 "$small" || fail "what was wrong is gone from $small"
instructions=$(grep -c "^	[a-z@].*;" "$small")
[ "$instructions" -le 12 ] || fail "$instructions instructions are left in $small"
