#!/bin/sh
# blind.sh build|check|time FOLDER SET... -- builds, checks or times the programs of the given sets of kernels, which
# are folders next to this file. `build` compiles them into FOLDER with nvcc alone, `check` checks their results on this
# machine's GPU, and `time` measures their times and writes FOLDER/SET/THEME.times. Record the predictions for a set
# before you measure it (docs/guide/proof.md).
set -eu
step=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
sources=$(cd "$(dirname "$0")" && pwd)
flags="-O1 -std=c++20 -lineinfo -cudart shared -I$sources/../../../.. --generate-code=arch=compute_90,code=[compute_90,sm_90]"

# Compiles one theme, and links it with the object files that all themes share.
build_theme() {
    nvcc $flags -o "$folder/$1" "$sources/$1.cu" "$folder/tutorial.o" "$folder/flush.o" >"$folder/$1.log" 2>&1 ||
        { echo "$1 does not compile:"; head -c 1500 "$folder/$1.log"; }
}

themes() {
    for set in "$@"; do
        for source in "$sources/$set"/*.cu; do
            echo "$set/$(basename "$source" .cu)"
        done
    done
}

case $step in
build)
    nvcc $flags -c -o "$folder/tutorial.o" "$sources/tutorial.cpp"
    nvcc $flags -c -o "$folder/flush.o" "$sources/flush.cu"
    for set in "$@"; do mkdir -p "$folder/$set"; done
    for theme in $(themes "$@"); do build_theme "$theme" & done
    wait
    ;;
check)
    for theme in $(themes "$@"); do "$folder/$theme" || echo "$theme is wrong"; done
    ;;
time)
    for theme in $(themes "$@"); do "$folder/$theme" --time >"$folder/$theme.times" || echo "$theme is wrong"; done
    ;;
*) echo "usage: blind.sh build|check|time FOLDER SET..." >&2 && exit 2 ;;
esac
