#!/bin/sh
# teacher_page.sh BUILD REPOSITORY: types what docs/guide/teacher.md says, command by command, as somebody
# does who has never graded before. Every command has to end with 0.
#
# Installing and building is left out; everything else is real, in a folder of its own.
set -eu
build=$(CDPATH='' cd -- "$1" && pwd)
repository=$2
page=$repository/docs/guide/teacher.md

place=$(mktemp -d "${TMPDIR:-/tmp}/coalesce-page-XXXXXX")
trap 'rm -rf "$place"' EXIT
for part in common course.toml exercises solutions steps; do ln -s "$repository/$part" "$place/$part"; done
printf '#!/bin/sh\nexec "%s/bin/learn" "$@"\n' "$build" >"$place/learn"
chmod +x "$place/learn"
export COALESCE_COURSE="$place"
cd "$place"

# The commands of the page's sh blocks, one a line.
awk '/^```/ { inside = ($0 == "```sh"); next } inside && NF' "$page" >commands
count=0
while read -r command <&3; do
    case $command in
    *"grade plan"*)
        # It is instead of grade run, and has nothing to do after it.
        rm -r assignments/hw1/teacher/store.sqlite* assignments/hw1/teacher/results
        ;;
    *"grade run"*" --submissions"* | *"grade one"*)
        # Its own kernels stand for what students hand in.
        if [ ! -d submissions ]; then
            for exercise in 02_naive 03_tiled 04_padded; do
                mkdir -p "submissions/ada/exercises/$exercise" "submissions/bob/$exercise"
                cp "assignments/hw1/teacher/solutions/$exercise/kernel.cu" \
                    "submissions/ada/exercises/$exercise"
                cp "assignments/hw1/handout/exercises/$exercise/kernel.cu" \
                    "submissions/bob/$exercise"
            done
            cp "submissions/bob/03_tiled/kernel.cu" .
        fi
        ;;
    *"--names names.csv"*)
        # The list is the page's too.
        sed -n '/^student,id/,/^```/p' "$page" | grep -v '^```' >names.csv
        ;;
    *--self-test)
        # A test of its own.
        continue
        ;;
    esac
    code=0
    sh -c "$command" >output 2>&1 </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        printf 'FAILED with %s: %s\n' "$code" "$command"
        cat output
        exit 1
    fi
    count=$((count + 1))
    printf 'ok  %s\n' "$command"
done 3<commands

# That it was the page that was read.
[ "$count" -ge 14 ] || {
    printf 'FAILED: only %s commands were found in %s\n' "$count" "$page"
    exit 1
}
# "$(printf ...)" would lose the line's end, which grades.csv has.
grep -q '^ada,' assignments/hw1/teacher/results/grades.csv
