#include "harness/device_buffer.h"

#include "harness/errors.h"

namespace coalesce {

DeviceBuffer::DeviceBuffer(std::size_t bytes, Memory where) : bytes_(bytes), where_(where) {
    if (where == Memory::device) {
        CUDA_CHECK(cudaMalloc(&data_, bytes));
    } else {
        CUDA_CHECK(cudaMallocHost(&data_, bytes));
    }
}

DeviceBuffer::~DeviceBuffer() {
    // Nothing to free is no reason to call, and so to start, the runtime.
    if (!data_) return;
    // What can go wrong here went wrong before, in a kernel, and was reported then.
    if (where_ == Memory::device) {
        static_cast<void>(cudaFree(data_));
    } else {
        static_cast<void>(cudaFreeHost(data_));
    }
}

}  // namespace coalesce
