#!/bin/sh
# arrows.sh ROOT -- prints a line FROM TO FILE PATH for every #include below ROOT that refers to another folder. FROM
# and TO are folders that order.txt lists. Tests are skipped, because they may include everything that they test.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
order=${ORDER:-$here/order.txt}
cd "$1"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
find . \( -name 'build*' -o -name tests -o -name fuzz -o -name cases -o -name node_modules -o -name '.?*' \) -prune -o \
    -type f \( -name '*.h' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' -o -name '*.inc' \
    -o -path '*/cuda_headers/include/*' \) -print | sed 's|^\./||' | LC_ALL=C sort >"$work/files"
xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' <"$work/files" >"$work/includes" || [ $? = 1 ]
awk -f "$here/arrows.awk" "$order" "$work/files" "$work/includes"
