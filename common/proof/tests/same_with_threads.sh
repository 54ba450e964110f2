#!/bin/sh
# same_with_threads.sh LAUNCHES -- the random patterns' counters do not depend on the number of the
# simulator's threads.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for threads in 1 2 4; do
    COALESCE_SIM_THREADS=$threads "$1" --device sim --no-steps --patterns 240 --json "$folder/$threads"
done
grep -q '"pattern 240: ' "$folder/1" || { echo "the patterns are not there"; exit 1; }
for threads in 2 4; do
    cmp "$folder/1" "$folder/$threads" || { echo "other counters with $threads threads"; exit 1; }
done
echo "240 patterns: the same with 1, 2 and 4 threads"
