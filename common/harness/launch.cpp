#include "harness/launch.h"

#include "harness/shapes.h"

namespace coalesce {

Problem problem_at(const Variant& variant, Shape shape) {
    if (variant.permute) return problem_of(*array_of(variant, shape));
    return {.rows = shape.rows,
            .cols = shape.cols,
            .produces = variant.produces,
            .element_size = static_cast<std::size_t>(variant.element_size),
            .keeps_nan_payloads = variant.keeps_nan_payloads};
}

void launch(const Variant& variant, const VerifiedBuffers& buffers) {
    const Problem& problem = buffers.problem();
    if (variant.permute) return variant.permute(buffers.out(), buffers.in(), problem.axes());
    variant.launch(buffers.out(), buffers.in(), static_cast<int>(problem.rows),
                   static_cast<int>(problem.cols));
}

cudaError_t launch_and_wait(const Variant& variant, const VerifiedBuffers& buffers) {
    launch(variant, buffers);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ended = cudaDeviceSynchronize();
    return launched != cudaSuccess ? launched : ended;
}

}  // namespace coalesce
