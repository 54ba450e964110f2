#!/bin/sh
# Gradescope runs this script once, as root, when it builds the image. The script installs the packages that the grader
# needs, builds it, and tests its sandbox. If a step fails, it ends with an error, and Gradescope builds no image.
#
# The script works in Gradescope's default base image, Ubuntu 22.04, and in newer ones. It uses clang as the compiler,
# which is a package there and needs neither NVIDIA's toolkit nor a GPU.
set -eu
source=${AUTOGRADER_ROOT:-/autograder}/source
cd "$source/course"
chmod +x learn
# toml++ is the only library that has no package in Ubuntu 22.04. It is header-only.
export CPATH="$source/headers" CMAKE_INCLUDE_PATH="$source/headers"
export COALESCE_COMPILER=clang
./learn grade doctor
