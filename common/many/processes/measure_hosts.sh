#!/bin/sh
# measure_hosts.sh PROGRAM FOLDER [GPUS...] -- runs 16_many_hosts with one process per GPU, and writes the results to
# FOLDER/hosts-GPUS.json. The shape is 65536 x 65536 floats. By default, runs with 2 and then with 4 GPUs of this host.
# MPIRUN may name another mpirun, followed by options.
set -eu
[ $# -ge 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
program=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- 2 4
# Disable NVLink multicast, which is not permitted on some computers.
export NCCL_NVLS_ENABLE=0
as_root=
[ "$(id -u)" != 0 ] || as_root=--allow-run-as-root
mkdir -p "$folder"
for gpus; do
    # Do not bind processes to cores, because NCCL's threads need cores of their own. Word splitting is intended.
    ${MPIRUN:-mpirun} $as_root --bind-to none --mca btl self,vader -n "$gpus" "$program" --device gpu --bench \
        --rows 65536 --cols 65536 --json "$folder/hosts-$gpus.json"
done
