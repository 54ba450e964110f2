#!/bin/sh
# same_interface.sh CXX OUR_INCLUDE TOOLKIT_INCLUDE -- tests that our headers describe the same interface as the
# toolkit's: constants, sizes and offsets must be equal, and declarations must be compatible. The last part of the test
# introduces errors in our headers, and expects each of them to be detected.
set -eu
cxx=$1 ours=$2 toolkit=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ ! -e "$toolkit/driver_types.h" ]; then
    echo "skipped: there are no headers of a toolkit in '$toolkit' to compare with"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# facts HEADERS PROGRAM_OF NAME: prints the facts about the names in the headers of PROGRAM_OF, as defined by HEADERS.
facts() {
    sh "$here/facts.sh" "$2/coalesce_cuda/error_list.inc" "$2/coalesce_cuda/attribute_list.inc" \
        "$2/coalesce_cuda/driver_types.h" "$2/coalesce_cuda/graph_types.h" >"$work/facts.cpp"
    "$cxx" -w -std=c++20 -isystem "$1" -o "$work/facts" "$work/facts.cpp"
    "$work/facts" >"$work/$3"
}
facts "$ours" "$ours" ours
facts "$toolkit" "$ours" theirs
count=$(wc -l <"$work/ours")
[ "$count" -gt 700 ] || { echo "failed: only $count facts were found in our header"; exit 1; }
diff -u "$work/theirs" "$work/ours" || { echo "failed: our header (+) differs from the toolkit's (-)"; exit 1; }

# declares NAME: succeeds if the functions declared in NAME are compatible with the toolkit's declarations.
declares() {
    { echo '#include <cuda_runtime_api.h>'
      sed -n '/^extern "C" {$/,/^}$/p' "$1" | sed 's/ = [^,)]*\([,)]\)/\1/g'; } >"$work/declared.cpp"
    "$cxx" -w -std=c++20 -isystem "$toolkit" -fsyntax-only "$work/declared.cpp"
}
functions=$(grep -c '^[a-z].*(.*);$' "$ours/cuda_runtime_api.h")
[ "$functions" -gt 220 ] || { echo "failed: only $functions functions were found"; exit 1; }
declares "$ours/cuda_runtime_api.h"

# The check must detect a wrong value, a member at a different offset and a different return type.
mkdir "$work/wrong"
cp -r "$ours/." "$work/wrong"
sed -i -e 's/(218, cudaErrorInvalidPtx/(219, cudaErrorInvalidPtx/' -e 's/int regsPerBlock, warpSize;/int warpSize, regsPerBlock;/' \
    "$work/wrong/coalesce_cuda/error_list.inc" "$work/wrong/coalesce_cuda/driver_types.h"
facts "$work/wrong" "$ours" wrong.facts
[ "$(diff "$work/theirs" "$work/wrong.facts" | grep -c '^>')" = 3 ] || { echo "failed: a wrong header was not seen"; exit 1; }
sed 's/^cudaError_t cudaFree(/int cudaFree(/' "$ours/cuda_runtime_api.h" >"$work/wrong.h"
if declares "$work/wrong.h" 2>"$work/said"; then
    echo "failed: a wrong declaration was not seen"
    exit 1
fi
echo "ok: $count numbers, sizes and offsets, and $functions functions"
