#!/bin/sh
# draw.sh ROOT FOLDER -- draws the dependencies between folders below ROOT, as given by their includes. Writes
# layers.svg (the whole project) and layers_simulator.svg (the folders of the simulator) to FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
sh "$here/arrows.sh" "$1" >"$work/arrows"
# In the book, the theme switch overrides the variables of this style with a rule for `.drawing .diagram`.
style_element='<style>
.diagram { --d-ink: #1d242b; --d-faint: #56616c; --d-page: #ffffff; --d-idle: #eef1f4; }
@media (prefers-color-scheme: dark) {
.diagram { --d-ink: #e4e9ee; --d-faint: #a4afba; --d-page: #14181c; --d-idle: #262d34; }
}
.diagram .page { fill: var(--d-page); }
.diagram .box { fill: var(--d-idle); stroke: var(--d-faint); }
.diagram path { fill: none; stroke: var(--d-faint); }
.diagram text { fill: var(--d-ink); font: 12px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; }
</style>'
draw() { # arguments: the file that lists the boxes, and a title
    awk -f "$here/picture.awk" -v style_element="$style_element" -v title="$2" "$1" "$work/arrows"
}
draw "$here/order.txt" "The folders of the project, each above those that it includes" >"$2/layers.svg"
sed -n 's|^common/simulator/\([a-z]*\)[ /].*|& \1|p' "$here/order.txt" | awk '{ print $1, $3 }' >"$work/simulator"
draw "$work/simulator" "The folders of the simulator, each above those that it includes" >"$2/layers_simulator.svg"
