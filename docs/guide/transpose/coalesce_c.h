/* The functions of coalesce_c.cu, for C and for languages that can call C. */
#ifndef COALESCE_C_H
#define COALESCE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out(col, row) = in(row, col), both in device memory, queued in `stream` (a cudaStream_t; NULL: the
   default one). Returns a cudaError_t: 0 when it was queued. */
int coalesce_transpose(void* out, const void* in, size_t element_size, int64_t batches,
                       int64_t rows, int64_t cols, void* stream);

/* Axis k of `out` is axis order[k] of `in`. */
int coalesce_permute(void* out, const void* in, size_t element_size, int axes, const int64_t* sizes,
                     const int* order, void* stream);

#ifdef __cplusplus
}
#endif

#endif
