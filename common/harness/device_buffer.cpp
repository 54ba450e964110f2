#include "harness/device_buffer.h"

#include "harness/errors.h"

namespace coalesce {

namespace {

// Ignore errors here, because they come from an earlier kernel and have already been reported.
void free_on_device(void* data) {
    static_cast<void>(cudaFree(data));
}
void free_on_host(void* data) {
    static_cast<void>(cudaFreeHost(data));
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes, Memory location) : bytes_(bytes) {
    void* data = nullptr;
    if (location == Memory::device) {
        CUDA_CHECK(cudaMalloc(&data, bytes));
    } else {
        CUDA_CHECK(cudaMallocHost(&data, bytes));
    }
    data_ = {data, location == Memory::device ? free_on_device : free_on_host};
}

}  // namespace coalesce
