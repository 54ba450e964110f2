#!/bin/sh
# walks_test.sh ROOT -- tests that the walks through the code in CONTRIBUTING.md match the code. A walk visits at most
# 15 files, and names a function in each. Each file must contain its function, and an earlier file of the walk must use
# the function, unless the line says "(new process)" or "(at the end of the program)".
set -eu

# Prints the faults in the walks of the page $2, whose links are relative to the folder $1.
faults_of() {
    (cd "$1" && awk '
        /^### / { walk = substr($0, 5); count = 0; before = "" }
        /^## / { walk = "" }
        walk != "" && /^[0-9]+\. \[/ {
            file = name = $0
            sub(/^[0-9]+\. \[[^]]*\]\(/, "", file); sub(/\).*/, "", file)
            sub(/^[^`]*`/, "", name); sub(/`.*/, "", name)
            ++walks[walk]
            if (++count > 15) print walk ": more than 15 files"
            word = "(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)"
            text = contents(file)
            if (text == "") print walk ": there is no " file
            else if (text !~ word) print walk ": " file " has no " name
            else if (before != "" && !/\((new process|at the end of the program)\)/ && before !~ word) print walk ": no file before " file " uses " name
            before = before "\n" text
        }
        function contents(file,    line, text) {
            text = ""
            while ((getline line < file) > 0) text = text "\n" line
            close(file)
            return text
        }
        END { for (walk in walks) ++number; if (number < 1) print "there is no walk" }' "$2")
}
faults=$(faults_of "$1" CONTRIBUTING.md)
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    exit 1
}
[ "$(grep -c '^[0-9]*\. \[' "$1/CONTRIBUTING.md")" -gt 40 ] || { echo "CONTRIBUTING.md has hardly any steps"; exit 1; }

# Test that these faults are reported: a missing file, a function that its file does not contain, and a function that no
# earlier file uses.
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
echo 'void first() { second(); }' >"$scratch/a"
echo 'void second() {}  void third() {}' >"$scratch/b"
{ echo '### Walk'; echo '1. [a](a): `first` begins'; } >"$scratch/head"
expect() { # takes the expected number of FAULTS, and the second LINE of a walk
    { cat "$scratch/head"; echo "2. $2"; } >"$scratch/walk"
    found=$(faults_of "$scratch" "$scratch/walk" | grep -c . || true)
    [ "$found" = "$1" ] || { echo "not $1 but $found faults in: $2"; exit 1; }
}
expect 0 '[b](b): `second` follows'
expect 0 '[b](b): `third` follows (new process)'
expect 1 '[b](b): `third` follows'
expect 1 '[b](b): `fourth` follows (new process)'
expect 1 '[c](c): `second` follows'
