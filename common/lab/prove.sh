#!/bin/sh
# prove.sh PROGRAMS [OPTION...] -- measures everything in docs/results on this GPU, and compares the simulator with
# NVIDIA's tools. PROGRAMS is the folder that contains bench, shapes, results and validate; the options are passed to
# these programs.
set -eu
programs=$1
shift
"$programs/bench" "$@"
"$programs/shapes" "$@"
"$programs/shapes" --tables
"$programs/results"
exec "$programs/validate" "$@"
