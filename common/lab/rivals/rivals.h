/// \file
/// Library functions that transpose `in` into `out`, wrapped as launch functions for the harness.
#pragma once

namespace coalesce::rivals {

/// Calls cublasSgeam, cuBLAS's function for transposes, with beta = 0. The function multiplies by
/// 1, so the payload of a NaN may change.
void cublas_geam(float* out, const float* in, int rows, int cols);

/// Calls thrust::gather with an index map that is computed on the fly.
void thrust_gather(float* out, const float* in, int rows, int cols);

/// Calls cub::DeviceFor::Bulk, which calls a function once for each element of `out`.
void cub_bulk(float* out, const float* in, int rows, int cols);

}  // namespace coalesce::rivals
