/// \file
/// Counters that kernels increment.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/device_buffer.h"
#include "harness/errors.h"

namespace coalesce::proof {

/// A counter in device memory that starts at 0.
class DeviceCounter {
public:
    DeviceCounter() : buffer_(sizeof(unsigned long long)) {
        CUDA_CHECK(cudaMemset(buffer_.data(), 0, sizeof(unsigned long long)));
    }
    unsigned long long* data() const { return static_cast<unsigned long long*>(buffer_.data()); }
    unsigned long long value() const {
        CUDA_CHECK(cudaGetLastError());
        unsigned long long value = 0;
        CUDA_CHECK(cudaMemcpy(&value, buffer_.data(), sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

private:
    DeviceBuffer buffer_;
};

}  // namespace coalesce::proof
