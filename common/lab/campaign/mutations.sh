#!/bin/sh
# mutations.sh [--check TABLE | FOLDER] -- tests whether the campaign finds deliberate mistakes.
#
# Plants each mistake of mutations.txt in a copy of the project: in liveness, prologues, slots, the ledger, shortcuts or
# counts. Then compares the copy's simulator with the plain mode of the correct one, for at most a minute. Prints how
# long the campaign took to find each mistake, and fails if it misses one. Takes about ten minutes, two of them for the
# first build. FOLDER receives the copy (default: a temporary folder). --check only tests that every line of TABLE
# occurs in its file.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
simulator=common/simulator
root=${here%/common/lab/campaign}

say() { printf '%s\n' "$*"; }

# for_each COMMAND TABLE: runs COMMAND for every mistake, with `name`, `file`, `old` and `new` set.
for_each() {
    while IFS= read -r title <&3; do
        case $title in '' | '#'*) continue ;; esac
        read -r file <&3 && IFS= read -r old <&3 && IFS= read -r new <&3
        name=${title%%:*} old=${old#- } new=${new#+ }
        "$1"
    done 3<"$2"
}

# edit TREE FROM TO: replaces the line FROM of $file with TO. FROM must occur exactly once.
edit() {
    from=$2 to=$3 awk '
        { line = $0; sub(/^ +/, "", line); indent = substr($0, 1, length($0) - length(line)) }
        line == ENVIRON["from"] { ++found; $0 = indent ENVIRON["to"] }
        { print }
        END { exit found != 1 }' "$1/$simulator/$file" >"$work/edited" || {
        say "$name: this line does not occur exactly once in $file: $2"
        return 1
    }
    [ "$1" = "$root" ] || cp "$work/edited" "$1/$simulator/$file"
}

check() { edit "$root" "$old" "$new" || unfit=$((unfit + 1)); }

if [ "${1:-}" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -r "$work"' EXIT
    unfit=0
    for_each check "$2"
    exit "$((unfit != 0))"
fi

build() {
    cmake --build "$copy/build" --target "$@" >"$work/build.log" 2>&1 || {
        tail -20 "$work/build.log"
        exit 1
    }
}

# Builds the simulator with the mistake and lets the campaign search for it. The mutated plain mode may be wrong as
# well, so the correct build provides the reference results.
try_to_find() {
    edit "$copy" "$old" "$new" || exit 1
    build simulated_cudart
    start=$(date +%s)
    found=
    for kind in ptx cuda; do
        "$copy/build/bin/campaign" --only "$kind" --seconds 30 --first --shrink 0 --against "$right" \
            --library "$copy/build/lib" --folder "$work/found" >"$work/run.log" 2>&1 || {
            found=$kind
            break
        }
    done
    seconds=$(($(date +%s) - start))
    tried=$((tried + 1))
    if [ -n "$found" ]; then
        say "$name: found by $found in $seconds s"
    else
        say "$name: not found in $seconds s: ${title#*: }"
        missed=$((missed + 1))
    fi
    cp "$root/$simulator/$file" "$copy/$simulator/$file"
}

work=${1:-$(mktemp -d)}
copy=$work/tree
rm -rf "$copy"
mkdir -p "$copy"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$copy")

say "building a copy in $copy"
cmake -S "$copy" -B "$copy/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
build campaign campaign_run simulated_cudart
right=$work/right
rm -rf "$right"
cp -a "$copy/build/lib" "$right"

tried=0 missed=0
for_each try_to_find "$here/mutations.txt"
say "$tried mistakes, $missed not found"
[ "$missed" = 0 ]
