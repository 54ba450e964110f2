#!/bin/sh
# run_mpi.sh MPIRUN PROCESSES PROGRAM...: on this computer, however few processors it has, and as root
# where that is who runs the tests.
mpirun=$1 processes=$2
shift 2
# Open MPI keeps files of all runs of a user in one folder, which the last run to end removes while another may be about to
# use it: each run here has a folder of its own.
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
"$mpirun" --oversubscribe --allow-run-as-root --bind-to none --mca btl self,vader \
    --mca btl_base_warn_component_unused 0 --mca odls_base_sigkill_timeout 0 -n "$processes" "$@"
