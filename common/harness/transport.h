/// \file
/// How the verifier reaches a kernel's buffers, wherever they are.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/device_buffer.h"

namespace coalesce {

/// Moves bytes between the host's ordinary memory and a buffer: in device memory, by the CUDA runtime, or
/// on the host.
class Transport {
public:
    explicit Transport(Memory of_buffer) : is_on_host_(of_buffer == Memory::host) {}
    /// Brings bytes from the buffer's memory to the host.
    void read(void* host, const void* from, std::size_t bytes);
    /// Brings bytes from the host to the buffer's memory.
    void write(void* to, const void* host, std::size_t bytes);
    /// Sets bytes of the buffer's memory.
    void fill(void* to, unsigned char byte, std::size_t bytes);
    /// Where chunks are put together on the host: page-locked, when that makes `read` faster.
    void* staging(std::size_t bytes);

private:
    const bool is_on_host_;
    DeviceBuffer locked_staging_;
    std::vector<unsigned char> staging_;
};

}  // namespace coalesce
