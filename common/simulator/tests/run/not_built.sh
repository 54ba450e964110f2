#!/bin/sh
# not_built.sh CUDA_CLANG CLANG SOURCE.cu passes if clang cannot build a program with the mark `// not built by clang`.
# If clang can build it, the mark must be removed, so that the program is also tested with clang.
set -eu
reason=$(sed -n 's|^// not built by clang: ||p' "$3")
options=$(sed -n 's|^// nvcc: ||p' "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086  # options are words
"$1" --clang="$2" $options -c -o "$work/object.o" "$3" >"$work/said" 2>&1 && status=0 || status=$?
if [ "$status" = 0 ]; then
    echo "failed: clang builds $3; take out its line '// not built by clang: $reason'"
    exit 1
fi
# The shell returns 126 or 127 if it cannot start the compiler, and 128 or more if the compiler crashed.
if [ "$status" -ge 126 ]; then
    echo "failed: the compiler ended with $status:"
    cat "$work/said"
    exit 1
fi
# clang's message must contain the text in `// clang says: TEXT`, which tells the learner what to write instead.
says=$(sed -n 's|^// clang says: ||p' "$3")
if ! grep -qF -- "$says" "$work/said"; then
    echo "failed: clang does not say '$says' of $3, but:"
    cat "$work/said"
    exit 1
fi
echo "ok: not built, since $reason"
