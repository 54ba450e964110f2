#!/bin/sh
# charts_are_current.sh BENCH RESULTS.json FOLDER -- checks that the charts in FOLDER match the results. If there are no
# results, the exit code is 77, which ctest reports as "skipped".
set -eu
[ -f "$2" ] || { echo "skipped: $2 is not there yet"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" --draw "$2" --into "$folder"
for chart in "$folder"/*.svg; do
    cmp "$chart" "$3/$(basename "$chart")" || {
        echo "draw it again: build/bin/bench --draw $2"
        exit 1
    }
done
