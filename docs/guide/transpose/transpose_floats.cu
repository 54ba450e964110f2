// The one file that nvcc compiles: C has no templates.
#include "transpose_floats.h"

#include <coalesce/transpose.cuh>

int transpose_floats(float* out, const float* in, int64_t rows, int64_t cols, void* stream) {
    return coalesce::transpose(out, in, rows, cols, {}, static_cast<cudaStream_t>(stream));
}
