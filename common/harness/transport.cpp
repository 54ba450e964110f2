#include "harness/transport.h"

#include <cstring>

#include "harness/errors.h"

namespace coalesce {

void DeviceTransport::read(void* host, const void* from, std::size_t bytes) {
    CUDA_CHECK(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
}

void DeviceTransport::write(void* to, const void* host, std::size_t bytes) {
    CUDA_CHECK(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
}

void DeviceTransport::fill(void* to, unsigned char byte, std::size_t bytes) {
    CUDA_CHECK(cudaMemset(to, byte, bytes));
}

void* DeviceTransport::staging(std::size_t bytes) {
    if (staging_.bytes() < bytes) staging_ = DeviceBuffer(bytes, Memory::host);
    return staging_.data();
}

void HostTransport::read(void* host, const void* from, std::size_t bytes) {
    std::memcpy(host, from, bytes);
}

void HostTransport::write(void* to, const void* host, std::size_t bytes) {
    std::memcpy(to, host, bytes);
}

void HostTransport::fill(void* to, unsigned char byte, std::size_t bytes) {
    std::memset(to, byte, bytes);
}

void* HostTransport::staging(std::size_t bytes) {
    if (staging_.size() < bytes) staging_.resize(bytes);
    return staging_.data();
}

}  // namespace coalesce
