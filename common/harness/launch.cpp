#include "harness/launch.h"

#include "harness/shapes.h"

namespace coalesce {

Problem problem_for_shape(const Variant& variant, Shape shape) {
    if (variant.permute) return problem_of(*find_array(variant, shape));
    return {.rows = shape.rows,
            .cols = shape.cols,
            .produces = variant.produces,
            .element_size = static_cast<std::size_t>(variant.element_size),
            .keeps_nan_payloads = variant.keeps_nan_payloads};
}

void launch(const Variant& variant, const Problem& problem, float* out, const float* in) {
    if (variant.permute) return variant.permute(out, in, problem.axes());
    variant.launch(out, in, static_cast<int>(problem.rows), static_cast<int>(problem.cols));
}

cudaError_t launch_and_wait(const Variant& variant, const Problem& problem, float* out,
                            const float* in) {
    launch(variant, problem, out, in);
    const cudaError_t launch_error = cudaGetLastError();
    const cudaError_t run_error = cudaDeviceSynchronize();
    return launch_error != cudaSuccess ? launch_error : run_error;
}

BareLaunch::BareLaunch(const Variant& variant, Shape shape)
    : variant_(variant),
      problem_(problem_for_shape(variant, shape)),
      in_(problem_.bytes(), variant.in),
      out_(problem_.is_in_place() ? 1 : problem_.out_bytes(), variant.out) {}

cudaError_t BareLaunch::run() const {
    auto* in = static_cast<float*>(in_.data());
    return launch_and_wait(variant_, problem_,
                           problem_.is_in_place() ? in : static_cast<float*>(out_.data()), in);
}

}  // namespace coalesce
