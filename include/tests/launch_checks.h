/// \file
/// Checks coalesce::transpose, or a single kernel, on one sample.
#pragma once

#include <doctest/doctest.h>

#include "samples.h"

namespace coalesce::samples {

/// Replaces missing pitches and strides with those of matrices without gaps.
inline Sample fill_layout(Sample sample) {
    TransposeOptions& options = sample.options;
    if (options.in_pitch == 0) options.in_pitch = sample.cols;
    if (options.out_pitch == 0) options.out_pitch = sample.rows;
    if (options.in_stride == 0) options.in_stride = sample.rows * options.in_pitch;
    if (options.out_stride == 0) options.out_stride = sample.cols * options.out_pitch;
    return sample;
}

/// Checks the output of `transpose` for the sample.
inline void check(const Sample& sample, cudaStream_t stream = nullptr) {
    const Sample full_sample = fill_layout(sample);
    INFO(full_sample.name());
    CHECK_EQ(find_error(full_sample, samples::transpose, stream), "");
}

/// Checks a launch that processes strips, although the matrix is small.
template <int SIZE, class Launch>
void check_launch(const Sample& sample, const Launch& launch) {
    const Sample full_sample = fill_layout(sample);
    INFO(full_sample.name());
    const Transposer transposer = [&](void* out, const void* in, const Sample& s,
                                      cudaStream_t stream) {
        transposing::TransposeTask task;
        const cudaError_t error =
            transposing::parse_arguments(task, out, in, SIZE, s.rows, s.cols, s.options);
        return error == cudaSuccess ? launch(task, stream) : error;
    };
    CHECK_EQ(find_error(full_sample, transposer, nullptr), "");
}

}  // namespace coalesce::samples
