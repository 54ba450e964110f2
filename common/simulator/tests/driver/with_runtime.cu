// Tests that the driver API and the runtime share memory, the context and handles.
// nvcc: -lcuda
// expect: the runtime's context is the primary one: yes
// expect: a kernel of the runtime on memory of the driver: 42
// expect: a stream of the driver takes a launch of the runtime: 43
// expect: an event of the runtime in the driver: CUDA_SUCCESS
// expect: a module's kernel launched by the runtime: 6
// expect: the driver frees what the runtime allocated: CUDA_SUCCESS
// expect: the runtime's last error is its own: no error
// expect: a function by the runtime's way: 13000
// expect: a kernel's handle in the driver: 44
#include <cuda_runtime.h>

#include "driver_check.h"

__global__ void set(int* to, int value) {
    *to = value;
}

static int value_at(CUdeviceptr address) {
    int value = -1;
    need(cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

int main() {
    int* from_runtime;
    cudaMalloc(&from_runtime, sizeof(int));
    need(cuInit(0));
    CUcontext current, primary;
    need(cuCtxGetCurrent(&current));
    need(cuDevicePrimaryCtxRetain(&primary, 0));
    fact("the runtime's context is the primary one", current == primary && current);

    CUdeviceptr memory;
    need(cuMemAlloc(&memory, 2 * sizeof(int)));
    set<<<1, 1>>>(reinterpret_cast<int*>(memory), 42);
    std::printf("a kernel of the runtime on memory of the driver: %d\n", value_at(memory));

    CUstream stream;
    cudaEvent_t event;
    need(cuStreamCreate(&stream, 0));
    set<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(memory), 43);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    std::printf("a stream of the driver takes a launch of the runtime: %d\n", value_at(memory));
    result("an event of the runtime in the driver", cuEventSynchronize(event));

    CUmodule module;
    CUfunction function;
    int factor = 2, count = 1;
    need(cuModuleLoadData(&module, kScale));
    need(cuModuleGetFunction(&function, module, "scale"));
    need(cuMemsetD32(memory, 3, 1));
    CUdeviceptr bias;
    size_t bytes;
    need(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    need(cuMemsetD32(bias, 0, 1));
    void* arguments[] = {&memory, &memory, &factor, &count};
    cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(1), dim3(32), arguments, 0,
                     nullptr);
    std::printf("a module's kernel launched by the runtime: %d\n", value_at(memory));
    result("the driver frees what the runtime allocated",
           cuMemFree(reinterpret_cast<CUdeviceptr>(from_runtime)));

    cuModuleGetFunction(&function, module, "nothing");
    std::printf("the runtime's last error is its own: %s\n",
                cudaGetErrorString(cudaGetLastError()));

    int (*get_version)(int*) = nullptr;
    int version = 0;
    cudaDriverEntryPointQueryResult query;
    cudaGetDriverEntryPointByVersion("cuDriverGetVersion", reinterpret_cast<void**>(&get_version),
                                     13000, cudaEnableDefault, &query);
    if (get_version) get_version(&version);
    std::printf("a function by the runtime's way: %d\n", version);

    cudaFunction_t handle;
    int value = 44;
    void* two[] = {&memory, &value};
    cudaGetFuncBySymbol(&handle, reinterpret_cast<const void*>(set));
    need(cuLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, nullptr, two, nullptr));
    std::printf("a kernel's handle in the driver: %d\n", value_at(memory));
    need(cuMemFree(memory));
}
