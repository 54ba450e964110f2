#!/bin/sh
# Gradescope runs this once, when the image is made: it installs what the grader needs, builds it, and
# tries its sandbox out. It ends with an error when any of that fails, and the image is not made.
#
# It needs nvcc of CUDA 13: begin with an image that has it, or install NVIDIA's packages
# cuda-nvcc-13-0, cuda-cudart-dev-13-0, cuda-nvrtc-dev-13-0 and libcublas-dev-13-0 before the last
# line, as NVIDIA's installation guide says for this system.
set -eu
cd "${AUTOGRADER_ROOT:-/autograder}/source/course"
chmod +x learn
./learn grade doctor
