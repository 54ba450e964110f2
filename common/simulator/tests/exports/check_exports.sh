#!/bin/sh
# check_exports.sh OURS NVIDIA [OTHERS] -- every function of NVIDIA's library (libcudart.so.13, or libcuda.so.1) is
# in ours as well, with the same version, and ours exports nothing that is neither NVIDIA's nor a coalesce...
# function, nor named by OTHERS, a pattern.
# Without NVIDIA's library there is nothing to compare with: exit code 77, "skipped".
set -eu
ours=$1 nvidia=$2 others=${3:-^coalesce}
if [ ! -e "$nvidia" ]; then
    echo "skipped: there is no $nvidia to compare with"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# "cudaMalloc@@libcudart.so.13"
functions() { nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "W" {print $3}' | sort -u; }
functions "$ours" > "$work/ours"
# Without the entry points of debuggers, which some toolkits' libraries have.
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
