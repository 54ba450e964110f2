#!/bin/sh
# verdict.sh LEARN SOLUTION FILE [--check]: draws a verdict of `./learn check` as a picture.
#
# The checked kernel is the solution of exercise 03 with its barrier removed. With --check, FILE is compared with the
# current output instead. The time that the check took is ignored in the comparison. The exit code is 1 if the files
# differ.
set -eu
learn=$1 solution=$2 file=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=exercises/03_tiled/kernel.cu
mkdir -p "$work/exercises/03_tiled"
sed -e '/__syncthreads();/d' -e '/\/\/!/d' "$solution" >"$work/$name"

# The check must fail with exit code 1.
code=0
(cd "$work" && "$learn" --plain check 03 --file $name) >"$work/text" || code=$?
[ $code = 1 ] || { cat "$work/text"; echo "verdict.sh: exit code 1 was expected, not $code" >&2; exit 2; }

# Each line of text becomes a line of the picture. The cause, the location and the next action are highlighted.
sed -e "s|$work/||g" -e "s| --file $name||" -e 's/&/\&amp;/g' -e 's/</\&lt;/g' "$work/text" | awk '
    BEGIN { lines[++n] = "$ ./learn check 03" }
    { lines[++n] = $0 }
    END {
        height = 44 + 19 * n
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"" height \
            "\" viewBox=\"0 0 760 " height "\" role=\"img\">"
        print "<title>The output of ./learn check for a kernel without a barrier</title>"
        print "<style>text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace;" \
            " fill: #d7dee6; white-space: pre } .bad { fill: #ff9d8f; font-weight: 700 } .good { fill: #8fd9a8 }" \
            " .code { fill: #a9b6c3 } .typed { fill: #8fc2f7 }</style>"
        print "<rect width=\"760\" height=\"" height "\" rx=\"8\" fill=\"#161b22\"/>"
        for (i = 1; i <= n; i++) {
            style = ""
            if (i == 1) style = "typed"
            else if (i == 2 || i == 4 || lines[i] ~ /^>/) style = "bad"
            else if (lines[i] ~ /^ *[0-9]+ \|/) style = "code"
            else if (lines[i] ~ /^Next:/) in_next = 1
            else if (lines[i] ~ /^Again:/) in_next = 0
            if (in_next) style = "good"
            if (lines[i] == "") continue
            print "<text x=\"24\" y=\"" 18 + 19 * i "\"" (style ? " class=\"" style "\"" : "") \
                " xml:space=\"preserve\">" lines[i] "</text>"
        }
        print "</svg>"
    }' >"$work/picture"

without_time() { sed 's/, [0-9][0-9]* ms)/)/' "$1"; }
if [ "${4:-}" = --check ]; then
    without_time "$work/picture" >"$work/now"
    without_time "$file" | cmp - "$work/now" && exit 0
    echo "$file differs from the output of ./learn check; draw the picture again: cmake --build build --target pictures"
    exit 1
fi
cp "$work/picture" "$file"
