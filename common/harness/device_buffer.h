/// \file
/// Memory of a device or of the host, page-locked, that frees itself.
#pragma once

#include <cstddef>
#include <utility>

#include "harness/harness.h"

namespace coalesce {

/// Bytes in device memory or in page-locked host memory. Moves, never copies.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// Allocates; throws CudaError when there is not enough.
    explicit DeviceBuffer(std::size_t bytes, Memory where = Memory::device);
    ~DeviceBuffer();
    /// Takes over what `other` has.
    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    /// Frees what it had and takes over what `other` has.
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        DeviceBuffer(std::move(other)).swap(*this);
        return *this;
    }

    /// The first byte.
    void* data() const { return data_; }
    /// How many bytes.
    std::size_t bytes() const { return bytes_; }
    /// Where they lie.
    Memory where() const { return where_; }

private:
    void swap(DeviceBuffer& other) {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        std::swap(where_, other.where_);
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    Memory where_ = Memory::device;
};

}  // namespace coalesce
