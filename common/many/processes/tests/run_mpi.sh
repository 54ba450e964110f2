#!/bin/sh
# run_mpi.sh MPIRUN PROCESSES PROGRAM...: starts the program as PROCESSES processes on this computer, even if it has
# fewer processors, and even as root.
mpirun=$1 processes=$2
shift 2
# Open MPI stores the files of all of a user's runs in one folder. A run deletes this folder when it ends, even if
# another run is about to use it. Each run therefore gets its own folder here.
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$mpirun" --oversubscribe --allow-run-as-root --bind-to none --mca btl self,vader \
    --mca btl_base_warn_component_unused 0 --mca odls_base_sigkill_timeout 0 -n "$processes" "$@"
