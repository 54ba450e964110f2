/// \file
/// What others offer for a transpose, as launch functions of the harness: out = transposed in.
#pragma once

namespace coalesce::rivals {

/// cublasSgeam with beta = 0: the library call that is meant for this. It computes 1 * in, so that
/// the payload of a NaN may change.
void cublas_geam(float* out, const float* in, int rows, int cols);

/// thrust::gather through an index map that is computed as it goes.
void thrust_gather(float* out, const float* in, int rows, int cols);

/// cub::DeviceFor::Bulk: a function that is called once for each element of `out`.
void cub_bulk(float* out, const float* in, int rows, int cols);

}  // namespace coalesce::rivals
