#!/bin/sh
# words_test.sh ROOT -- tests that no text, comment, message, identifier or recent commit title contains a word that
# cmake/style/words.txt lists. Prints the file, the line, the word, and what to write instead. Third-party texts (licences, the grader's corpus), recorded
# results (docs/results) and built files are ignored.
set -eu
root=$1
list=$root/cmake/style/words.txt
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
failed() {
    echo "words_test.sh: $*"
    exit 1
}

grep -vE '^(#|$)' "$list" >"$scratch/list" || failed "cmake/style/words.txt lists nothing"

# Prints the names of all text files in a folder, each terminated by a null character.
texts() {
    find "$1" \( -name 'build*' -o -name node_modules -o -name '.?*' -o -path "$1/docs/results" \
        -o -path "$1/common/grader/corpus/cases" -o -path "$1/assignments" \) ! -path "$1" -prune -o -type f \
        \( -name '*.md' -o -name '*.toml' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.h' \
        -o -name '*.inc' -o -name '*.ts' -o -name '*.js' -o -name '*.mjs' -o -name '*.cjs' -o -name '*.html' \
        -o -name '*.css' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name '*.ipynb' -o -name '*.yml' \
        -o -name '*.txt' -o -name learn \) ! -name words.txt ! -name 'LICENSE*' -print0
}

# Prints `FILE:LINE: "WORD"; write: INSTEAD` for each listed word in a folder's text files.
# An underscore ends a word, so the words within identifiers are found too.
found_in() {
    texts "$1" >"$scratch/texts"
    while read -r line; do
        pattern=${line%% | *}
        rest=${line#* | }
        xargs -0 grep -HnoiP "~~.*?~~(*SKIP)(*FAIL)|(?<![a-z0-9])(?:$pattern)(?![a-z0-9])" <"$scratch/texts" |
            sed -E 's/^([^:]*:[0-9]+):(.*)$/\1: "\2"; write: /' |
            while read -r place; do echo "$place ${rest%% | *}"; done
    done <"$scratch/list"
}

# Test that each listed word is found in its example, and that neither its replacement nor struck-through text contains
# a listed word.
mkdir "$scratch/wrong" "$scratch/right"
number=0
while read -r line; do
    number=$((number + 1))
    printf '%s\n' "${line##* | }" >"$scratch/wrong/$number.md"
    printf '// ~~%s~~\n' "${line##* | }" >"$scratch/right/$number.cu"
    rest=${line#* | }
    printf '%s\n' "${rest%% | *}" >"$scratch/right/$number.md"
done <"$scratch/list"
found_in "$scratch/wrong" >"$scratch/found"
for example in "$scratch"/wrong/*.md; do
    grep -q "^$example:1: \".*\"; write: " "$scratch/found" || failed "does not find: $(cat "$example")"
done
found_in "$scratch/right" >"$scratch/found"
[ -s "$scratch/found" ] && failed "finds what is right: $(cat "$scratch/found")"

found_in "$root" | sed "s|^$root/||" >"$scratch/found"

# The last 100 commit titles, if this is a clone.
mkdir "$scratch/log"
git -C "$root" log -100 --no-merges --format=%s >"$scratch/log/commits.txt" 2>/dev/null || true
found_in "$scratch/log" | sed "s|^$scratch/log/||" >>"$scratch/found"
[ -s "$scratch/found" ] && {
    echo "These words are not plain (docs/README.md says how the course is written):"
    sort "$scratch/found"
    exit 1
}
echo "ok: $number patterns"
