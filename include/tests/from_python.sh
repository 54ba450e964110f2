#!/bin/sh
# from_python.sh PACKAGE EXAMPLE INCLUDE NVCC -- runs EXAMPLE, the guide's example for the Python package PACKAGE. It
# must print "right". If the package is not installed, the test is skipped.
set -eu
python=${COALESCE_PYTHON:-python3}
"$python" -c "import $1" 2>&1 || { echo "skipped: $python has no $1"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COALESCE_INCLUDE="$3" TORCH_EXTENSIONS_DIR="$work"
set -- "$1" "$2" "$4"
if [ "$1" = cupy ]; then
    "$3" -arch=native -I "$COALESCE_INCLUDE" -Xcompiler -fPIC -shared -o "$work/libcoalesce_c.so" \
        "$(dirname -- "$2")/coalesce_c.cu"
    "$python" "$2" "$work/libcoalesce_c.so" | tee "$work/said"
else
    "$python" "$2" | tee "$work/said"
fi
grep -qx right "$work/said"
