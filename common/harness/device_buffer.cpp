#include "harness/device_buffer.h"

#include "harness/errors.h"

namespace coalesce {

DeviceBuffer::DeviceBuffer(std::size_t bytes, Memory where) : bytes_(bytes) {
    void* data = nullptr;
    if (where == Memory::device) {
        CUDA_CHECK(cudaMalloc(&data, bytes));
    } else {
        CUDA_CHECK(cudaMallocHost(&data, bytes));
    }
    data_ = {data, Free{where}};
}

void DeviceBuffer::Free::operator()(void* data) const {
    // What can go wrong here went wrong before, in a kernel, and was reported then.
    static_cast<void>(where == Memory::device ? cudaFree(data) : cudaFreeHost(data));
}

}  // namespace coalesce
