// Tests that the driver API and the runtime share memory, handles and the primary context.
// nvcc: -lcuda
// expect: the runtime uses the primary context: yes
// expect: a runtime launch with driver memory: 42
// expect: a runtime launch in a driver stream: 43
// expect: waiting for a runtime event in the driver: CUDA_SUCCESS
// expect: a runtime launch of a module's kernel: 6
// expect: freeing runtime memory in the driver: CUDA_SUCCESS
// expect: the runtime's last error after a driver error: no error
// expect: the version from a driver entry point: 13000
// expect: a driver launch of a runtime kernel: 44
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
    fact("the runtime uses the primary context", current == primary && current);

    CUdeviceptr memory;
    need(cuMemAlloc(&memory, 2 * sizeof(int)));
    set<<<1, 1>>>(reinterpret_cast<int*>(memory), 42);
    std::printf("a runtime launch with driver memory: %d\n", value_at(memory));

    CUstream stream;
    cudaEvent_t event;
    need(cuStreamCreate(&stream, 0));
    set<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(memory), 43);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    std::printf("a runtime launch in a driver stream: %d\n", value_at(memory));
    result("waiting for a runtime event in the driver", cuEventSynchronize(event));

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
    std::printf("a runtime launch of a module's kernel: %d\n", value_at(memory));
    result("freeing runtime memory in the driver",
           cuMemFree(reinterpret_cast<CUdeviceptr>(from_runtime)));

    cuModuleGetFunction(&function, module, "nothing");
    std::printf("the runtime's last error after a driver error: %s\n",
                cudaGetErrorString(cudaGetLastError()));

    int (*get_version)(int*) = nullptr;
    int version = 0;
    cudaDriverEntryPointQueryResult query;
    cudaGetDriverEntryPointByVersion("cuDriverGetVersion", reinterpret_cast<void**>(&get_version),
                                     13000, cudaEnableDefault, &query);
    if (get_version) get_version(&version);
    std::printf("the version from a driver entry point: %d\n", version);

    cudaFunction_t handle;
    int value = 44;
    void* two[] = {&memory, &value};
    cudaGetFuncBySymbol(&handle, reinterpret_cast<const void*>(set));
    need(cuLaunchKernel(handle, 1, 1, 1, 1, 1, 1, 0, nullptr, two, nullptr));
    std::printf("a driver launch of a runtime kernel: %d\n", value_at(memory));
    need(cuMemFree(memory));
}
