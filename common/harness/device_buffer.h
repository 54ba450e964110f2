/// \file
/// Memory of a device or of the host, page-locked, that frees itself.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/harness.h"

namespace coalesce {

/// Bytes in device memory or in page-locked host memory. Moves, never copies.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// Allocates; throws CudaError when there is not enough.
    explicit DeviceBuffer(std::size_t bytes, Memory where = Memory::device);

    /// The first byte.
    void* data() const { return data_.get(); }
    /// How many bytes.
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<void, void (*)(void*)> data_{nullptr, nullptr};
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
