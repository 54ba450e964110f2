#!/bin/sh
# teacher_page.sh BUILD REPOSITORY runs every command in docs/guide/teacher.md in order, like a teacher who has never
# used the grader. Every command must exit with 0.
#
# Commands that install or build something are omitted. All other commands are run as written, in a temporary folder.
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

# List the commands in the page's sh blocks, one per line.
awk '/^```/ { inside = ($0 == "```sh"); next } inside && NF' "$page" >commands
count=0
while read -r command <&3; do
    case $command in
    *"grade plan"*)
        # A plan replaces `grade run`, so remove the results of the earlier `grade run` first.
        rm -r assignments/hw1/teacher/store.sqlite* assignments/hw1/teacher/results
        ;;
    *"grade run"*" --submissions"* | *"grade one"*)
        # The submissions are the solutions and skeletons of the assignment.
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
        # Also copy the list of names that the page shows.
        sed -n '/^student,id/,/^```/p' "$page" | grep -v '^```' >names.csv
        ;;
    *--self-test)
        # Another test covers this command.
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

# Check that commands were found on the page, and that there are as many as expected.
[ "$count" -ge 14 ] || {
    printf 'FAILED: only %s commands were found in %s\n' "$count" "$page"
    exit 1
}
# Use grep, because grades.csv has carriage returns at the ends of its lines.
grep -q '^ada,' assignments/hw1/teacher/results/grades.csv
