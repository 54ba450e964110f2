#!/bin/sh
# make_face.sh LIBRARY VERSION [OWN RENAMED] prints a C++ file that forwards every function that LIBRARY exports with
# version VERSION, except the functions listed in the file OWN. The file RENAMED lists additional names, and the
# functions to which they are forwarded. Set NM to another nm if LIBRARY was built for another processor.
set -eu
library=$1 version=$2 own=${3:-/dev/null} renamed=${4:-/dev/null}

echo "// Made by make_face.sh."
echo '#include "simulator/addons/cudart12/forward.h"'
{
    "${NM:-nm}" -D --defined-only "$library" | awk '$2 == "T" || $2 == "W" {sub(/@.*/, "", $3); print $3, $3}'
    grep -v '^#' "$renamed" || true
} | grep -v '^coalesce' | LC_ALL=C sort -u | awk -v own="$own" -v version="$version" '
    BEGIN { while ((getline line < own) > 0) skip[line] = 1 }
    !($1 in skip) { printf "COALESCE_FORWARD(\"%s\", \"%s\", \"%s\");\n", $1, $2, version }'
