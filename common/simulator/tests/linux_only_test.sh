#!/bin/sh
# linux_only_test.sh ROOT -- what Linux alone has is used by files that say so, in a line `// Linux only:`,
# so that whoever brings the course to another system knows where to begin. The grader's sandbox is
# Linux's throughout and is not looked at; nor are tests.
set -eu
root=$1
calls='<sys/(prctl|inotify|epoll|eventfd|signalfd|timerfd|sysinfo)\.h>|<(elf|link|malloc)\.h>|"/proc/'
calls="$calls|\\b(pipe2|accept4|memfd_create|mremap|gettid|ppoll|sched_getaffinity)\\("
calls="$calls|\\b(MAP_NORESERVE|MAP_POPULATE|MAP_FIXED_NOREPLACE|MADV_[A-Z]+|SI_KERNEL|O_TMPFILE)\\b"

# Prints the files of a folder that use such a thing in silence.
silent_files() {
    find "$1" \( -name '*.cpp' -o -name '*.h' -o -name '*.cu' \) ! -path '*/tests/*' ! -path '*/grader/*' \
        -exec grep -lE "$calls" {} + | while read -r file; do
        grep -q '^ *// Linux only: ' "$file" || echo "$file"
    done
}

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
printf '#include <sys/prctl.h>\n' >"$scratch/silent.cpp"
[ "$(silent_files "$scratch")" = "$scratch/silent.cpp" ] || {
    echo "linux_only_test.sh: does not find what it looks for"
    exit 1
}
found=$(silent_files "$root/common"; silent_files "$root/docs")
[ -z "$found" ] || {
    echo "These use what Linux alone has; say so in a line '// Linux only: WHAT':"
    echo "$found"
    exit 1
}
echo "ok"
