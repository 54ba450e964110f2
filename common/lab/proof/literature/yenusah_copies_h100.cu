// yenusah_copies_h100 -- the five copies whose bandwidth on an H100 Caleb Yenusah has drawn, rewritten.
//
// yenusah_copies_h100.toml has the figures, and where they stand. A thread copies 1, 2, 4, 8 or 16 bytes, in blocks of
// 1024 threads; would there be more than the grid has threads, it would go on, and byte by byte at the end.

#include "harness/harness.h"

namespace {

constexpr unsigned THREADS = 1024;

template <class Vector>
__global__ void copy(char* __restrict__ out, const char* __restrict__ in, size_t bytes) {
    const size_t first = blockIdx.x * blockDim.x + threadIdx.x, all = blockDim.x * gridDim.x;
    const size_t vectors = bytes / sizeof(Vector);
    for (size_t i = first; i < vectors; i += all)
        reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
    for (size_t i = vectors * sizeof(Vector) + first; i < bytes; i += all) out[i] = in[i];
}

template <class Vector>
void launch(float* out, const float* in, int rows, int cols) {
    const size_t bytes = sizeof(float) * rows * cols;
    const auto blocks = static_cast<unsigned>((bytes / sizeof(Vector) + THREADS - 1) / THREADS);
    copy<Vector><<<blocks, THREADS>>>(reinterpret_cast<char*>(out),
                                      reinterpret_cast<const char*>(in), bytes);
}

coalesce::Variant of(const char* name, coalesce::LaunchFunction launch) {
    return {.name = name, .launch = launch, .produces = {Produces::copy}, .rows_multiple = 4};
}

}  // namespace

int main(int argc, char** argv) {
    return run_step(argc, argv,
                    {
                        of("1B", launch<char>),
                        of("2B", launch<short>),
                        of("4B", launch<float>),
                        of("8B", launch<float2>),
                        of("16B", launch<float4>),
                    });
}
