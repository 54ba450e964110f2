#!/bin/sh
# layers_test.sh ROOT PICTURES -- tests that no folder includes a folder that comes after it in order.txt, and that the
# pictures in the folder PICTURES match the current includes.
set -eu
root=$1 pictures=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Prints the includes below $1 that violate the order in the file $2. Also prints each folder that is in only one of $1
# and $2.
wrong_arrows() {
    ORDER=$2 sh "$here/arrows.sh" "$1" >"$work/arrows"
    awk 'FNR == NR { if (NF && !/^#/) place[$1] = FNR; next }
        $1 == "?" { print $3 " is in no folder of cmake/style/layers/order.txt: give its folder a line there, above all that use it."; next }
        place[$1] < place[$2] { print $3 " includes " $4 ", but " $1 " lies below " $2 ": move what it needs " \
            "down into a folder below both, or the code that needs it up into one above both." }' "$2" "$work/arrows"
    sed '/^#/d' "$2" | while read -r folder _; do
        [ -d "$1/$folder" ] || echo "there is no $folder, which cmake/style/layers/order.txt names"
    done
}
wrong_pictures() {
    sh "$here/draw.sh" "$root" "$work"
    for picture in layers layers_simulator; do
        cmp -s "$work/$picture.svg" "$1/$picture.svg" ||
            echo "$picture.svg is not what the includes are now: sh cmake/style/layers/draw.sh . docs/diagrams"
    done
}
faults=$(wrong_arrows "$root" "$here/order.txt")
[ -n "$faults" ] || faults=$(wrong_pictures "$pictures")
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    exit 1
}
[ "$(wc -l <"$work/arrows")" -gt 500 ] || { echo "hardly any includes were found"; exit 1; }

# Test that these faults are reported: an include against the order, a folder that order.txt does not list, a listed
# folder that does not exist, and a stale picture.
expect() { # takes the expected NUMBER of faults, and the FAULTS that were found
    [ "$(printf '%s' "$2" | grep -c .)" = "$1" ] || { echo "not $1 faults, but: $2"; exit 1; }
}
mkdir -p "$work/root/common/low" "$work/root/common/high" "$work/root/common/low/tests" "$work/pictures"
printf 'common/low x\ncommon/high x\n' >"$work/order"
echo '#include "low/a.h"' >"$work/root/common/high/b.h"
: >"$work/root/common/low/a.h"
echo '#include "high/b.h"' >"$work/root/common/low/tests/a_test.cpp"
expect 0 "$(wrong_arrows "$work/root" "$work/order")"
echo '#include "../high/b.h"' >"$work/root/common/low/c.cpp"
expect 1 "$(wrong_arrows "$work/root" "$work/order")"
mkdir "$work/root/common/new"
: >"$work/root/common/new/d.h"
echo 'common/gone x' >>"$work/order"
expect 3 "$(wrong_arrows "$work/root" "$work/order")"
cp "$pictures/layers.svg" "$work/pictures"
sed 's/>kernel</>kernels</' "$pictures/layers_simulator.svg" | sed 1d >"$work/pictures/layers_simulator.svg"
expect 1 "$(wrong_pictures "$work/pictures")"
