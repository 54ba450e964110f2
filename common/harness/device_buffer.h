/// \file
/// A buffer of device memory or page-locked host memory.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/harness.h"

namespace coalesce {

/// A buffer in device memory or in page-locked host memory. It can be moved, but not copied.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// Allocates the buffer. Throws CudaError if there is not enough memory.
    explicit DeviceBuffer(std::size_t bytes, Memory location = Memory::device);

    /// Returns a pointer to the first byte.
    void* data() const { return data_.get(); }
    /// Returns the size of the buffer in bytes.
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<void, void (*)(void*)> data_{nullptr, nullptr};
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
