#!/bin/sh
# same_with_threads.sh LAUNCHES -- tests that the counters of random patterns do not depend on the
# number of threads that the simulator uses.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for threads in 1 2 4; do
    COALESCE_SIM_THREADS=$threads "$1" --device sim --no-steps --patterns 240 --matrices 60 --json "$folder/$threads"
done
for last in '"pattern 240: ' '"matrix pattern 60: '; do
    grep -q "$last" "$folder/1" || { echo "the patterns are not there: $last"; exit 1; }
done
for threads in 2 4; do
    cmp "$folder/1" "$folder/$threads" || { echo "other counters with $threads threads"; exit 1; }
done
echo "300 patterns: the same with 1, 2 and 4 threads"
