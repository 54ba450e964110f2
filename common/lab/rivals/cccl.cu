// Transposes with Thrust and CUB: a function computes the source of each element, and the library
// does the rest.

#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_for.cuh>

#include "harness/errors.h"
#include "lab/rivals/rivals.h"

namespace coalesce::rivals {
namespace {

// Element `i` of `out` (cols x rows) is element `source(i)` of `in` (rows x cols).
struct TransposedSource {
    int rows, cols;
    __device__ int operator()(int i) const { return (i % rows) * cols + i / rows; }
};

struct AssignTransposed {
    float* out;
    const float* in;
    TransposedSource source;
    __device__ void operator()(int i) const { out[i] = in[source(i)]; }
};

}  // namespace

void thrust_gather(float* out, const float* in, int rows, int cols) {
    auto map = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                               TransposedSource{rows, cols});
    thrust::gather(thrust::cuda::par_nosync, map, map + rows * cols, in, out);
}

void cub_bulk(float* out, const float* in, int rows, int cols) {
    CUDA_CHECK(cub::DeviceFor::Bulk(rows * cols, AssignTransposed{out, in, {rows, cols}}));
}

}  // namespace coalesce::rivals
