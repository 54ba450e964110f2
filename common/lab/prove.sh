#!/bin/sh
# prove.sh PROGRAMS [OPTION...] -- measures everything in docs/results on this GPU, and compares the simulator with
# NVIDIA's tools. PROGRAMS is the folder of bench, shapes, results and validate, which receive the options.
set -eu
programs=$1
shift
"$programs/bench" "$@"
"$programs/shapes" "$@"
"$programs/shapes" --tables
"$programs/results"
exec "$programs/validate" "$@"
