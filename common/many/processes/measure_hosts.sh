#!/bin/sh
# measure_hosts.sh PROGRAM FOLDER [GPUS...] -- runs 16_many_hosts with one process per GPU of this host (by default
# first 2, then 4 GPUs), at 65536 x 65536 floats, and writes the results to FOLDER/hosts-GPUS.json. MPIRUN may name
# another mpirun, followed by options.
set -eu
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
program=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 2 4
# Do not use NVLink's multicast, which some computers do not allow.
export NCCL_NVLS_ENABLE=0
as_root=
[ "$(id -u)" != 0 ] || as_root=--allow-run-as-root
mkdir -p "$folder"
for gpus; do
    # Do not bind processes to cores, because NCCL's threads need some too. Word splitting is intended.
    ${MPIRUN:-mpirun} $as_root --bind-to none --mca btl self,vader -n "$gpus" "$program" --device gpu --bench \
        --rows 65536 --cols 65536 --json "$folder/hosts-$gpus.json"
done
