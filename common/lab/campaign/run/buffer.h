// Memory on the device, which a kernel of the contract is given.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <vector>

namespace coalesce::campaign {

inline void need(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorName(error));
}

class Buffer {
public:
    Buffer(std::size_t bytes, int fill) : bytes_(bytes) {
        need(cudaMalloc(&data_, bytes));
        need(cudaMemset(data_, fill, bytes));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    void* data() { return data_; }
    void* argument() { return &data_; }
    std::vector<unsigned char> read() const {
        std::vector<unsigned char> host(bytes_);
        need(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost));
        return host;
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

}  // namespace coalesce::campaign
