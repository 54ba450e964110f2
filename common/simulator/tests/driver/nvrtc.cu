// A program that compiles its kernel when it runs: NVRTC is NVIDIA's own, and needs no GPU.
// nvcc: -lcuda -lnvrtc
// expect: compiled: yes
// expect: 1 4 9
#include <nvrtc.h>

#include <string>

#include "driver_check.h"

static const char* const kSource = R"(
template <class T> __global__ void square(T* data) { data[threadIdx.x] *= data[threadIdx.x]; }
)";

int main() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, kSource, "square.cu", 0, nullptr, nullptr);
    nvrtcAddNameExpression(program, "square<int>");
    const char* options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
    fact("compiled", nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
    size_t size = 0;
    const char* name = nullptr;
    nvrtcGetPTXSize(program, &size);
    std::string ptx(size, '\0');
    nvrtcGetPTX(program, ptx.data());
    nvrtcGetLoweredName(program, "square<int>", &name);

    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr data;
    int host[3] = {1, 2, 3};
    need(cuInit(0));
    need(cuCtxCreate(&context, nullptr, 0, 0));
    need(cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr));
    need(cuModuleGetFunction(&function, module, name));
    need(cuMemAlloc(&data, sizeof host));
    need(cuMemcpyHtoD(data, host, sizeof host));
    void* arguments[] = {&data};
    need(cuLaunchKernel(function, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
    need(cuMemcpyDtoH(host, data, sizeof host));
    std::printf("%d %d %d\n", host[0], host[1], host[2]);
    need(cuMemFree(data));
    need(cuModuleUnload(module));
    need(cuCtxDestroy(context));
    nvrtcDestroyProgram(&program);
}
