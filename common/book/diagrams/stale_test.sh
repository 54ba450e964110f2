#!/bin/sh
# stale_test.sh DIAGRAMS RECORDINGS FOLDER: tests that a changed picture and a missing picture are
# detected.
set -eu
diagrams=$1 recordings=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$3"/*.svg "$work"
"$diagrams" --check "$recordings" "$work"
expect_stale() {
    if "$diagrams" --check "$recordings" "$work"; then
        echo "not noticed: $1" >&2
        exit 1
    fi
}
sed 's/32 sectors/4 sectors/' "$3/warp_02_naive.svg" >"$work/warp_02_naive.svg"
expect_stale "a figure that was changed"
cp "$3/warp_02_naive.svg" "$work"
rm "$work/banks.svg"
expect_stale "a picture that is gone"
