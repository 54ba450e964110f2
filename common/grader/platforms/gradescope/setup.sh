#!/bin/sh
# Gradescope runs this script once, as root, when it builds the image. The script installs the packages that the grader
# needs, builds the grader, and tests its sandbox. If a step fails, the script ends with an error, and Gradescope does
# not create the image.
#
# The script works in Gradescope's default base image, Ubuntu 22.04, and in newer images. It uses clang, which Ubuntu
# provides as a package, and which requires neither NVIDIA's toolkit nor a GPU.
set -eu
source=${AUTOGRADER_ROOT:-/autograder}/source
cd "$source/course"
chmod +x learn
# toml++ is the only required library that has no package in Ubuntu 22.04. It is header-only.
export CPATH="$source/headers" CMAKE_INCLUDE_PATH="$source/headers"
export COALESCE_COMPILER=clang
./learn grade doctor
