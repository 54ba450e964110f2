/// \file
/// How the verifier reaches a kernel's buffers, wherever they are.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/device_buffer.h"

namespace coalesce {

/// Moves bytes between the host's ordinary memory and a buffer. A grader whose kernels run in
/// another process can bring its own.
class Transport {
public:
    virtual ~Transport() = default;
    /// Brings bytes from the buffer's memory to the host.
    virtual void read(void* host, const void* from, std::size_t bytes) = 0;
    /// Brings bytes from the host to the buffer's memory.
    virtual void write(void* to, const void* host, std::size_t bytes) = 0;
    /// Sets bytes of the buffer's memory.
    virtual void fill(void* to, unsigned char byte, std::size_t bytes) = 0;
    /// Where chunks are put together on the host: page-locked, when that makes `read` faster.
    virtual void* staging(std::size_t bytes) = 0;
};

/// Device memory, by the CUDA runtime.
class DeviceTransport : public Transport {
public:
    void read(void* host, const void* from, std::size_t bytes) override;
    void write(void* to, const void* host, std::size_t bytes) override;
    void fill(void* to, unsigned char byte, std::size_t bytes) override;
    void* staging(std::size_t bytes) override;

private:
    DeviceBuffer staging_;
};

/// Host memory.
class HostTransport : public Transport {
public:
    void read(void* host, const void* from, std::size_t bytes) override;
    void write(void* to, const void* host, std::size_t bytes) override;
    void fill(void* to, unsigned char byte, std::size_t bytes) override;
    void* staging(std::size_t bytes) override;

private:
    std::vector<unsigned char> staging_;
};

}  // namespace coalesce
