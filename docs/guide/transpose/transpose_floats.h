/* A transpose for C: what transpose_floats.cu makes of coalesce/transpose.cuh. */
#ifndef TRANSPOSE_FLOATS_H
#define TRANSPOSE_FLOATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out(col, row) = in(row, col), both in device memory, queued in `stream` (a cudaStream_t; NULL: the
   default one). Returns a cudaError_t: 0 when it was queued. */
int transpose_floats(float* out, const float* in, int64_t rows, int64_t cols, void* stream);

#ifdef __cplusplus
}
#endif

#endif
