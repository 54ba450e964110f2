#!/bin/sh
# folders_test.sh ROOT -- tests that CONTRIBUTING.md mentions every folder of the project and no folder that does not
# exist.
set -eu
root=$1

# Prints the folders below $1 that the page $2 does not mention, and the folders that the page mentions but that do not
# exist.
wrong_about() {
    (cd "$1" && find . -mindepth 1 -maxdepth 2 -type d \( -path './common/*' -o ! -path './*/*' \) |
        sed 's|^\./||' | grep -vE '^(\.|common$|cmake$|build|assignments$|docs/|node_modules)') |
        while read -r folder; do
            grep -qE "\`$folder(/[^\`]*)?\`" "$2" || echo "$folder is not in CONTRIBUTING.md"
        done
    grep -oE '^\|[^|]*' "$2" | grep -oE '`[a-z][a-z._/]*' | tr -d '\`' | while read -r folder; do
        [ -e "$1/$folder" ] || echo "there is no $folder, which CONTRIBUTING.md names"
    done
}

faults=$(wrong_about "$root" "$root/CONTRIBUTING.md")
[ -z "$faults" ] || {
    printf '%s\n' "$faults"
    exit 1
}

# Test that a new folder and a deleted folder are reported.
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
mkdir -p "$scratch/common/new" "$scratch/steps"
printf '| `steps/` | lessons |\n| `common/gone` | nothing |\n' >"$scratch/page.md"
[ "$(wrong_about "$scratch" "$scratch/page.md" | wc -l)" = 2 ] || {
    echo "folders_test.sh does not see a new folder, or one that is gone:"
    wrong_about "$scratch" "$scratch/page.md"
    exit 1
}
