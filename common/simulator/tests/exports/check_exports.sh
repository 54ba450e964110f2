#!/bin/sh
# check_exports.sh OURS NVIDIA [OTHERS] checks that our library exports every function of NVIDIA's libcudart.so.13 or
# libcuda.so.1, with the same version. Any other exported name must match the pattern OTHERS, by default ^coalesce.
# Without NVIDIA's library, the script exits with code 77, which ctest reports as "skipped".
set -eu
ours=$1 nvidia=$2 others=${3:-^coalesce}
if [ ! -e "$nvidia" ]; then
    echo "skipped: there is no $nvidia to compare with"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# Prints each exported function with its version, such as "cudaMalloc@@libcudart.so.13".
functions() { nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "W" {print $3}' | sort -u; }
functions "$ours" > "$work/ours"
# Leave out the debugger's entry points, because only some toolkits' libraries have them.
functions "$nvidia" | sed '/^cudbg/d' > "$work/nvidia"
if [ "$(wc -l < "$work/nvidia")" -lt 100 ]; then
    echo "failed: nm finds hardly any function in $nvidia"
    exit 1
fi

absent=$(comm -13 "$work/ours" "$work/nvidia")
surplus=$(comm -23 "$work/ours" "$work/nvidia" | grep -v -e '^coalesce' -e "$others" || true)
if [ -n "$absent" ]; then
    echo "absent from $ours; add them to missing_list.inc, or implement them:"
    echo "$absent"
fi
if [ -n "$surplus" ]; then
    echo "in $ours, but not in NVIDIA's; see exports.map:"
    echo "$surplus"
fi
[ -z "$absent$surplus" ] || exit 1
echo "ok: $(wc -l < "$work/nvidia") functions"
