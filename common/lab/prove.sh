#!/bin/sh
# prove.sh PROGRAMS [OPTION...] -- measures everything that docs/results has, on this GPU at one go, and compares the
# simulator with NVIDIA's tools. PROGRAMS is the folder of bench, shapes, results and validate, which get the options.
set -eu
programs=$1
shift
"$programs/bench" "$@"
"$programs/shapes" "$@"
"$programs/shapes" --tables
"$programs/results"
exec "$programs/validate" "$@"
