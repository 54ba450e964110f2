#!/bin/sh
# validate_if_ncu.sh VALIDATE ARGUMENTS... -- runs it where Nsight Compute is there and may read
# counters; exits with 77, which ctest shows as "skipped", elsewhere.
command -v ncu >/dev/null || { echo "skipped: no ncu on the PATH"; exit 77; }
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
case $output in *ERR_NVGPUCTRPERM*) echo "skipped: ncu may not read counters here"; exit 77 ;; esac
exit $code
