#!/bin/sh
# measure_hosts.sh PROGRAM FOLDER [GPUS...] -- 16_many_hosts with as many processes as GPUs of this host (2, then 4), at
# 65536 x 65536 floats: FOLDER/hosts-GPUS.json has the results. MPIRUN names another mpirun; its options may follow.
set -eu
[ $# -ge 2 ] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
program=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 2 4
# NVLink's multicast is not used by anything here, and not allowed everywhere.
export NCCL_NVLS_ENABLE=0
as_root=
[ "$(id -u)" != 0 ] || as_root=--allow-run-as-root
mkdir -p "$folder"
for gpus; do
    # The threads of NCCL need processors, too: no process is bound to one. Word splitting is wanted.
    # shellcheck disable=SC2086
    ${MPIRUN:-mpirun} $as_root --bind-to none --mca btl self,vader -n "$gpus" "$program" --device gpu --bench \
        --rows 65536 --cols 65536 --json "$folder/hosts-$gpus.json"
done
