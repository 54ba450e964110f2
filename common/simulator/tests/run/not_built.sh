#!/bin/sh
# not_built.sh CUDA_CLANG CLANG SOURCE.cu -- passes when clang cannot build the program, as the program
# itself says with a reason. When it can, the line should go, so that the program is a test here too.
set -eu
reason=$(sed -n 's|^// not built by clang: ||p' "$3")
options=$(sed -n 's|^// nvcc: ||p' "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086  # options are words
if "$1" --clang="$2" $options -c -o "$work/object.o" "$3" >"$work/said" 2>&1; then
    echo "failed: clang builds $3; take out its line '// not built by clang: $reason'"
    exit 1
fi
# `// clang says: TEXT` is a part of what it must say, so that a learner knows what to write instead.
says=$(sed -n 's|^// clang says: ||p' "$3")
if ! grep -qF -- "$says" "$work/said"; then
    echo "failed: clang does not say '$says' of $3, but:"
    cat "$work/said"
    exit 1
fi
echo "ok: not built, since $reason"
