#!/bin/sh
# recorded_counters.sh VALIDATE RECORDED -- tests that the simulator's counters equal those recorded on a GPU, and
# that the comparison detects a changed counter.
set -eu
"$1" --recorded "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed '0,/"shared_load_wavefronts": 4,/s//"shared_load_wavefronts": 5,/' "$2" >"$folder/other.json"
if "$1" --recorded "$folder/other.json" >"$folder/said"; then
    echo "an altered count was not seen"
    exit 1
fi
grep -q "shared_load_wavefronts is 4 simulated, 5 measured" "$folder/said"
