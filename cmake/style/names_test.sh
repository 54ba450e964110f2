#!/bin/sh
# names_test.sh ROOT -- uses clang-tidy to test that the names in the headers of the folders listed below follow
# common/.clang-tidy. A single run over all headers takes ten seconds, whereas a run per source would take ten minutes.
set -eu
root=$1
tidy=${CLANG_TIDY:-clang-tidy}
held="common/base common/examiner/course cmake/style/editor common/examiner/exercises common/grader common/harness common/examiner
common/learn common/many common/examiner/program common/lab/proof common/simulator common/timing common/page/ir_to_ptx"
mpi=$(mpicxx --showme:incdirs 2>/dev/null | cut -d " " -f 1) || true
[ -z "$mpi" ] || held="$held common/many/processes"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$root"

# Prints the names in the headers of the given folders that violate the rules, and clang's errors in these headers.
wrong_names() { # takes the FOLDERs to search
    find "$@" -name '*.h' ! -path '*/tests/*' ! -path '*/fuzz/*' ! -path '*/corpus/*' | LC_ALL=C sort | sed 's|.*|#include "&"|' >"$work/all.cpp"
    within=$(printf '%s/|' "$@" | sed 's/|$//')
    "$tidy" --quiet --config-file="$root/common/.clang-tidy" --header-filter="($within)" "$work/all.cpp" -- -std=c++20 -I"$root" -I"$root/common" \
        -I"$root/common/simulator" -isystem "$root/common/cuda_headers/include" ${mpi:+-isystem "$mpi"} 2>/dev/null |
        grep -E '(warning|error): ' | sed "s|^$root/||" | LC_ALL=C sort -u
}
# Word splitting is intended here. Folder names contain no blanks.
# shellcheck disable=SC2086
faults=$(wrong_names $held) || true
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    echo "common/.clang-tidy says how things are named."
    exit 1
}

# Test that wrong names are reported.
mkdir "$work/common"
printf 'namespace coalesce {\nconstexpr int MOST = 3;\nclass Shape { int rows; };\nstruct word {};\n}\n' >"$work/common/wrong.h"
found=$(wrong_names "$work/common") || true
[ "$(printf '%s\n' "$found" | grep -c 'invalid case style')" = 3 ] || {
    echo "not noticed: a constant MOST, a private member rows, a struct word, or one of them:"
    printf '%s\n' "$found"
    exit 1
}
