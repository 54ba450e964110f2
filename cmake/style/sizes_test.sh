#!/bin/sh
# sizes_test.sh ROOT -- tests that no source of the project has more than 600 lines, and no function more than 66. A
# comment `Long:` with a reason, at the top of the file or directly above the function, permits an exception.
set -eu
root=$1

# Prints the files and functions below $1 that are too long.
too_long() {
    (cd "$1" && find common docs exercises include steps -name build -prune -o -name tests -prune -o -name fuzz -prune -o \
        -name cases -prune -o -name node_modules -prune -o -path common/cuda_headers/include -prune -o -type f \
        \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print | LC_ALL=C sort | xargs awk '
        FNR == 1 { end_file(); file = FILENAME; reason = 0; begins = 0; above = 0 }
        { length_of = FNR }
        FNR <= 40 && /\/\/ +Long:/ { reason = 1 }
        /^\/\/.* Long:/ { above = FNR }
        !begins && /^[A-Za-z_~].*\{$/ && /\(/ && !/^(namespace|struct|class|enum|union|extern|TEST_CASE)/ { begins = FNR }
        !begins && /^[A-Za-z_~][^;{]*\([^;{]*$/ { signature = FNR }
        !begins && signature && /^ .*\) *(const|noexcept|override)* *\{$/ { begins = signature }
        /[;}]$/ && !begins { signature = 0 }
        /^\}/ {
            if (begins && FNR - begins >= 66 && !(above && above >= begins - 12))
                print file ":" begins ": this function has " FNR - begins + 1 " lines; 66 fit a screen"
            begins = signature = 0
        }
        END { end_file() }
        function end_file() {
            if (file && length_of > 600 && !reason) print file ": " length_of " lines; a file of more than 600 says why"
        }')
}
faults=$(too_long "$root")
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    echo "Split it by subject; or write '// Long: ...' with the reason into its head, or above the function."
    exit 1
}

# Test that a long file and a long function are reported, unless a comment states the reason for their length.
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
mkdir -p "$scratch/common" "$scratch/docs" "$scratch/exercises" "$scratch/include" "$scratch/steps"
function_of() { # prints a function with the given number of LINES
    printf 'int f(int a) {\n'
    awk -v lines="$1" 'BEGIN { for (k = 2; k < lines; ++k) print "    ++a;" }'
    printf '}\n'
}
function_of 66 >"$scratch/common/short.cpp"
function_of 67 >"$scratch/common/long.cpp"
{ echo '// Long: a table'; function_of 67; } >"$scratch/common/table.cpp"
awk 'BEGIN { for (k = 0; k < 601; ++k) print "int a" k ";" }' >"$scratch/common/list.h"
[ "$(too_long "$scratch" | wc -l)" = 2 ] || {
    echo "sizes_test.sh does not see what is too long:"
    too_long "$scratch"
    exit 1
}
