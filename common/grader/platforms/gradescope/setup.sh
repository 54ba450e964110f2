#!/bin/sh
# Gradescope runs this once, as root, when the image is made: it installs what the grader needs, builds
# it, and tries its sandbox out. It ends with an error when any of that fails, and the image is not made.
#
# For the base image that is chosen unless you choose another, Ubuntu 22.04, and for newer ones. clang
# compiles: it is a package there, and needs neither NVIDIA's toolkit nor a GPU.
set -eu
source=${AUTOGRADER_ROOT:-/autograder}/source
cd "$source/course"
chmod +x learn
# toml++ is the only library without a package in Ubuntu 22.04. It consists of headers only.
export CPATH="$source/headers" CMAKE_INCLUDE_PATH="$source/headers"
export COALESCE_COMPILER=clang
./learn grade doctor
