// Compiles kernels at run time with NVIDIA's NVRTC, which needs no GPU. One kernel becomes PTX. The
// second becomes machine code for the current GPU, in an image that the simulator can load.
// nvcc: -lcuda -lnvrtc
// expect: compiled: yes
// expect: 1 4 9
// expect: compiled: yes
// expect: 1 4 9
#include <nvrtc.h>

#include <string>

#include "driver_check.h"

static const char* const kSource = R"(
template <class T> __global__ void square(T* data) { data[threadIdx.x] *= data[threadIdx.x]; }
)";

/// Returns the compiled image. The NVRTC functions size_of and bytes_of get its size and its bytes.
template <class Size, class Bytes>
std::string image_of(nvrtcProgram program, Size size_of, Bytes bytes_of) {
    size_t size = 0;
    size_of(program, &size);
    std::string image(size, '\0');
    bytes_of(program, image.data());
    return image;
}

static void run_squares(const std::string& image, const char* kernel) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr data;
    int host[3] = {1, 2, 3};
    need(cuModuleLoadDataEx(&module, image.data(), 0, nullptr, nullptr));
    need(cuModuleGetFunction(&function, module, kernel));
    need(cuMemAlloc(&data, sizeof host));
    need(cuMemcpyHtoD(data, host, sizeof host));
    void* arguments[] = {&data};
    need(cuLaunchKernel(function, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
    need(cuMemcpyDtoH(host, data, sizeof host));
    std::printf("%d %d %d\n", host[0], host[1], host[2]);
    need(cuMemFree(data));
    need(cuModuleUnload(module));
}

static void compile_and_run(const char* architecture, bool machine_code) {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, kSource, "square.cu", 0, nullptr, nullptr);
    nvrtcAddNameExpression(program, "square<int>");
    const char* options[] = {architecture, "-lineinfo"};
    fact("compiled", nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
    const char* name = nullptr;
    nvrtcGetLoweredName(program, "square<int>", &name);
    run_squares(machine_code ? image_of(program, nvrtcGetCUBINSize, nvrtcGetCUBIN)
                             : image_of(program, nvrtcGetPTXSize, nvrtcGetPTX),
                name);
    nvrtcDestroyProgram(&program);
}

int main() {
    CUcontext context;
    need(cuInit(0));
    need(cuCtxCreate(&context, nullptr, 0, 0));
    compile_and_run("--gpu-architecture=compute_90", false);
    compile_and_run("--gpu-architecture=sm_90", true);
    need(cuCtxDestroy(context));
}
