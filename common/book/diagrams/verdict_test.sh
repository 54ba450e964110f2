#!/bin/sh
# verdict_test.sh VERDICT.SH LEARN SOLUTION FILE: tests that FILE shows the current verdict, and that a change in the
# verdict's text is detected.
set -eu
sh "$1" "$2" "$3" "$4" --check
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
sed 's/kernel.cu:24/kernel.cu:42/' "$4" >"$wrong"
! cmp -s "$4" "$wrong" || { echo "nothing was changed" >&2; exit 1; }
if sh "$1" "$2" "$3" "$wrong" --check; then
    echo "not noticed: another line" >&2
    exit 1
fi
