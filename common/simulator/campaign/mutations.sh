#!/bin/sh
# mutations.sh [FOLDER] -- does the campaign find deliberate mistakes?
#
# Each patch in mutations/ puts one mistake into a copy of the project: into liveness, prologues, slots, the
# ledger, short cuts, counts. Its simulator is then compared with the plain mode of the one without mistakes,
# for at most a minute. Prints how long each took to be found; fails when one is not. Takes some ten minutes,
# two of them for the copy's first build. FOLDER is where the copy goes (a temporary one).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
work=${1:-$(mktemp -d)}
copy=$work/tree
rm -rf "$copy"
mkdir -p "$copy"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")
git -C "$copy" init -q

say() { printf '%s\n' "$*"; }
build() {
    cmake --build "$copy/build" --target "$@" >"$work/build.log" 2>&1 || {
        tail -20 "$work/build.log"
        exit 1
    }
}
say "building a copy in $copy"
cmake -S "$copy" -B "$copy/build" -DCOALESCE_GRADER=OFF >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
build campaign campaign_run simulated_cudart
right=$work/right
rm -rf "$right"
cp -a "$copy/build/lib" "$right"

missed=0
for patch in "$here"/mutations/*.patch; do
    name=$(basename "$patch" .patch)
    git -C "$copy" apply "$patch" || { say "$name: does not fit the code any more"; exit 1; }
    build simulated_cudart
    # The mutated tree's plain mode may be wrong as well: the right one's answers count.
    start=$(date +%s)
    found=no
    for kind in ptx cuda; do
        "$copy/build/bin/campaign" --only "$kind" --seconds 30 --first --shrink 0 --against "$right" \
            --library "$copy/build/lib" --folder "$work/found" >"$work/run.log" 2>&1 || {
            found=$kind
            break
        }
    done
    seconds=$(($(date +%s) - start))
    if [ "$found" = no ]; then
        say "$name: not found in $seconds s: $(head -1 "$patch")"
        missed=$((missed + 1))
    else
        say "$name: found by $found in $seconds s"
    fi
    git -C "$copy" apply -R "$patch"
done
say "$(ls "$here"/mutations/*.patch | wc -l) mistakes, $missed not found"
[ "$missed" = 0 ]
