#include "harness/transport.h"

#include <cstring>

#include "harness/errors.h"

namespace coalesce {

void Transport::read(void* host, const void* from, std::size_t bytes) {
    if (is_on_host_) {
        std::memcpy(host, from, bytes);
    } else {
        CUDA_CHECK(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
    }
}

void Transport::write(void* to, const void* host, std::size_t bytes) {
    if (is_on_host_) {
        std::memcpy(to, host, bytes);
    } else {
        CUDA_CHECK(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
    }
}

void Transport::fill(void* to, unsigned char byte, std::size_t bytes) {
    if (is_on_host_) {
        std::memset(to, byte, bytes);
    } else {
        CUDA_CHECK(cudaMemset(to, byte, bytes));
    }
}

void* Transport::staging(std::size_t bytes) {
    if (is_on_host_) {
        if (staging_.size() < bytes) staging_.resize(bytes);
        return staging_.data();
    }
    if (locked_staging_.bytes() < bytes) locked_staging_ = DeviceBuffer(bytes, Memory::host);
    return locked_staging_.data();
}

}  // namespace coalesce
