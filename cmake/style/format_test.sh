#!/bin/sh
# format_test.sh ROOT -- tests that every source is formatted according to .clang-format. The folders tests and corpus
# are skipped, because formatting could move the marks that tests expect at the ends of lines.
set -eu
root=$1
format=${CLANG_FORMAT:-clang-format-14}

# Prints every incorrectly formatted line of the sources below $1.
lie_otherwise() {
    (cd "$1" && find common docs exercises include solutions steps \( -name tests -o -name corpus -o -name node_modules \) -prune -o \
        -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print | LC_ALL=C sort |
        xargs "$format" --style="file:$root/.clang-format" --dry-run 2>&1) | sed -n 's/: warning: code should be clang-formatted.*//p'
}
faults=$(lie_otherwise "$root")
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    echo "$format -i lays it out."
    exit 1
}

# Test that a badly formatted file is reported, and that files below tests/ are ignored.
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
for folder in common/tests docs exercises include solutions steps; do mkdir -p "$scratch/$folder"; done
printf 'int  f( );\n' | tee "$scratch/common/wrong.h" >"$scratch/common/tests/left_alone.h"
found=$(lie_otherwise "$scratch" | cut -d : -f 1 | sort -u)
[ "$found" = common/wrong.h ] || {
    echo "of common/wrong.h and common/tests/left_alone.h, this was found: $found"
    exit 1
}
