/// \file
/// Chooses the kernel of a transpose or a permutation once, for calls that are repeated many times.
///
///     #include <coalesce/plan.cuh>
///
///     coalesce::PlannedCall planned;
///     cudaError_t error = coalesce::plan(planned, out, in, rows, cols);  // or axes, sizes, order
///     for (...) error = planned.run(out, in, stream);
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "detail/launch.cuh"
#include "permute.cuh"
#include "transpose.cuh"

namespace coalesce {

/// A transpose or a permutation whose kernel has been chosen. Several threads may run the same
/// planned call at the same time. The call can run only on the device that was current when it was
/// planned.
class PlannedCall {
public:
    /// Calls queue_call(queue) and stores the launch that this call queues. Used by `plan`.
    template <class Call>
    cudaError_t store_launch(const void* out, const void* in, const Call& queue_call) {
        stored_launch_ = {};
        out_line_offset_ = offset_in_line(out), in_line_offset_ = offset_in_line(in);
        cudaError_t error = queue_call(transposing::LaunchQueue(&stored_launch_));
        if (error == cudaSuccess && stored_launch_.launch_count > 1) error = cudaErrorNotSupported;
        if (error != cudaSuccess) stored_launch_ = {};
        return error;
    }

    /// Queues the work in `stream`. The arrays may differ from the planned arrays, but each must
    /// have the same offset within a cache line as the planned one. Otherwise, run() returns
    /// cudaErrorMisalignedAddress. If no call has been planned, run() does nothing.
    cudaError_t run(void* out, const void* in, cudaStream_t stream = nullptr) const {
        if (stored_launch_.launch_count == 0) return cudaSuccess;
        if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
        if (offset_in_line(out) != out_line_offset_ || offset_in_line(in) != in_line_offset_) {
            return cudaErrorMisalignedAddress;
        }
        return stored_launch_.repeat({out, in}, stream);
    }

private:
    static unsigned offset_in_line(const void* data) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % 128);
    }

    transposing::StoredLaunch stored_launch_;
    unsigned out_line_offset_ = 0, in_line_offset_ = 0;
};

/// Plans the call transpose(out, in, rows, cols, options). Queues nothing.
///
/// \return the errors of `transpose`; cudaErrorNotSupported if the batches take several launches,
///         which happens only with more than 2^31 tiles
template <class T>
cudaError_t plan(PlannedCall& planned, T* out, const T* in, std::int64_t rows, std::int64_t cols,
                 const TransposeOptions& options = {}) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    return planned.store_launch(out, in, [&](const transposing::LaunchQueue& queue) {
        return transposing::transpose<sizeof(T)>(out, in, rows, cols, options, queue);
    });
}

/// Plans the call permute(out, in, axes, sizes, order). Queues nothing.
///
/// \return the errors of `permute`; cudaErrorNotSupported if the call takes several launches
template <class T>
cudaError_t plan(PlannedCall& planned, T* out, const T* in, int axes, const std::int64_t* sizes,
                 const int* order) {
    constexpr int unit = permuting::unit_size<T>();
    return planned.store_launch(out, in, [&](const transposing::LaunchQueue& queue) {
        return permuting::permute<unit>(out, in, sizeof(T), axes, sizes, order, queue);
    });
}

}  // namespace coalesce
