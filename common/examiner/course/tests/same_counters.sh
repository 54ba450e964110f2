#!/bin/sh
# same_counters.sh RESULTS.JSON SHOWN.JSON -- checks that two runs have the same counters. The number of instructions
# may differ: it depends on the version of nvcc, and the README does not contain it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for file in "$1" "$2"; do
    grep -v warp_instructions "$file" >"$folder/$(basename "$file").plain"
done
diff -u "$folder/$(basename "$2").plain" "$folder/$(basename "$1").plain" || {
    echo "The steps count something else now than docs/results/simulated.json has. Write it again:"
    echo "  ./learn results --again"
    exit 1
}
echo "both counted the same"
