#!/bin/sh
# aarch64.sh [BUILD] -- builds the simulator and the steps for 64-bit ARM, and runs the simulator's unit tests and small
# versions of the steps in qemu. Requires Debian or Ubuntu, and the packages qemu-user and g++-aarch64-linux-gnu in
# addition to those that ./learn test installs.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${1:-$root/build-aarch64}
libraries=$build/libraries
for program in qemu-aarch64 aarch64-linux-gnu-g++ ninja; do
    command -v $program >/dev/null || {
        echo "skipped: there is no $program; apt-get install qemu-user g++-aarch64-linux-gnu ninja-build"
        exit 77 # ctest shows this as skipped
    }
done

# Unpack the ARM packages instead of installing them.
if [ ! -e "$libraries/usr/include/zstd.h" ]; then
    mkdir -p "$libraries/lists/partial" "$libraries/packages"
    set -- -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 "-oDir::State::Lists=$libraries/lists"
    apt-get "$@" -qq update
    (cd "$libraries/packages" && apt-get "$@" -qq download libzstd-dev libzstd1 liblz4-dev liblz4-1)
    for package in "$libraries"/packages/*.deb; do dpkg -x "$package" "$libraries"; done
fi
# Copy processor-independent headers from the installed packages.
for part in include/doctest include/nlohmann include/CLI include/toml++ share/cmake lib/cmake/doctest; do
    [ ! -e "/usr/$part" ] || [ -e "$libraries/usr/$part" ] || {
        mkdir -p "$libraries/usr/$(dirname "$part")"
        cp -r "/usr/$part" "$libraries/usr/$part"
    }
done
export COALESCE_AARCH64_LIBRARIES="$libraries"
# This library path makes the loader find the simulated GPU first. Otherwise a step would set the path and execute
# itself again, outside qemu. The simulated memory must be small, because qemu uses memory for every reserved page.
export COALESCE_SIM_MEMORY=268435456
export QEMU_SET_ENV="LD_LIBRARY_PATH=$build/lib:$libraries/usr/lib/aarch64-linux-gnu:/usr/aarch64-linux-gnu/lib"

cmake -G Ninja -S "$root" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$root/cmake/aarch64.cmake" \
    -DCOALESCE_COMPILER=clang -DCOALESCE_ARCH=armv8-a -DCOALESCE_TESTS=simulator >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log"
    exit 1
}
cmake --build "$build" --target steps unit_tests
# Skip two test cases, because qemu behaves differently from Linux: it prints a message when a program is killed, and it
# does not limit the address space.
for file in "$root"/common/simulator/tests/unit/*_test.cpp; do
    echo "${file##*/}"
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/common/simulator/tests/unit_tests" --minimal \
        --source-file="*/${file##*/}" --test-case-exclude='host code that dereferences a device pointer*,with little address space*'
done
for program in "$build"/bin/[0-9][0-9]_*; do
    options='--device sim --rows 96 --cols 64'
    [ "${program##*/}" = 00_program ] && options=''  # program.cu has no options
    # shellcheck disable=SC2086  # words
    qemu-aarch64 -L /usr/aarch64-linux-gnu "$program" $options
done
echo "ok: unit tests and steps on $(qemu-aarch64 --version | head -n 1)"
