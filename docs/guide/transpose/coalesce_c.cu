// The only file that nvcc must compile, because the C header contains no templates.
#include "coalesce_c.h"

#include <coalesce/permute.cuh>

int coalesce_transpose(void* out, const void* in, size_t element_size, int64_t batches,
                       int64_t rows, int64_t cols, void* stream) {
    coalesce::TransposeOptions options;
    options.batches = batches;
    return coalesce::transpose_elements(out, in, element_size, rows, cols, options,
                                        static_cast<cudaStream_t>(stream));
}

int coalesce_permute(void* out, const void* in, size_t element_size, int axes, const int64_t* sizes,
                     const int* order, void* stream) {
    return coalesce::permute_elements(out, in, element_size, axes, sizes, order,
                                      static_cast<cudaStream_t>(stream));
}
