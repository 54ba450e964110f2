#!/bin/sh
# run_mpi.sh MPIRUN PROCESSES PROGRAM...: starts the program on this computer, even if it has fewer
# processors than processes, and even as root.
mpirun=$1 processes=$2
shift 2
# Open MPI keeps the files of all of a user's runs in one folder. The last run to end deletes it, even if another run is
# about to use it. Each run here therefore has its own folder.
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$mpirun" --oversubscribe --allow-run-as-root --bind-to none --mca btl self,vader \
    --mca btl_base_warn_component_unused 0 --mca odls_base_sigkill_timeout 0 -n "$processes" "$@"
