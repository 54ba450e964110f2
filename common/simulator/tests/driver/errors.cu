// Error codes of the driver API, for objects that are missing, invalid or not simulated.
// nvcc: -lcuda
// simulator only
// expect: before cuInit: CUDA_ERROR_NOT_INITIALIZED
// expect: flags: CUDA_ERROR_INVALID_VALUE
// expect: no such device: CUDA_ERROR_INVALID_DEVICE
// expect: without a context: CUDA_ERROR_INVALID_CONTEXT
// expect: popping none: CUDA_ERROR_INVALID_CONTEXT
// expect: a context that never was: CUDA_ERROR_INVALID_CONTEXT
// expect: PTX that is none: CUDA_ERROR_INVALID_PTX
// expect: the log says why: yes
// expect: machine code: CUDA_ERROR_NO_BINARY_FOR_GPU
// expect: no such file: CUDA_ERROR_FILE_NOT_FOUND
// expect: no such function: CUDA_ERROR_NOT_FOUND
// expect: no such variable: CUDA_ERROR_NOT_FOUND
// expect: no memory at all: CUDA_ERROR_INVALID_VALUE
// expect: too much: CUDA_ERROR_OUT_OF_MEMORY
// expect: freeing twice: CUDA_ERROR_INVALID_VALUE
// expect: a copy beyond its end: CUDA_ERROR_INVALID_VALUE
// expect: a block of 2048 threads: CUDA_ERROR_INVALID_VALUE
// expect: arguments twice: CUDA_ERROR_INVALID_VALUE
// expect: a buffer that is too short: CUDA_ERROR_INVALID_VALUE
// expect: a stream that was destroyed: CUDA_ERROR_INVALID_HANDLE
// expect: synchronising a capture: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
// expect: ending it: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
// expect: a plane of an array: CUDA_ERROR_NOT_SUPPORTED
// expect: memory of another process: CUDA_ERROR_NOT_SUPPORTED
// expect: an access beyond the end: CUDA_ERROR_ILLEGAL_ADDRESS
// expect: and every call after it: CUDA_ERROR_ILLEGAL_ADDRESS
// expect: in words: invalid argument
// expect: a number that is no error: CUDA_ERROR_INVALID_VALUE
// expect-stderr: No context is current
// expect-stderr: nvrtcGetPTX
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemFree
// expect-stderr: was freed before
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemcpyHtoD
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemAlloc
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuLaunchKernel
// expect-stderr: The buffer of arguments has 8 bytes
// expect-stderr: apicheck: CUDA_ERROR_INVALID_HANDLE from cuStreamSynchronize
// expect-stderr: from cuStreamSynchronize
// expect-stderr: coalesce: cuArrayGetPlane is not simulated; use plain CUDA arrays.
// expect-stderr: cuIpcGetMemHandle is not simulated.
// expect-stderr: cure: Copy through host memory.
// expect-stderr: memcheck: out of bounds
// expect-exit: 2
#include <cstring>

#include "driver_check.h"

static CUcontext context;
static CUdeviceptr memory;

static void before_contexts() {
    CUdevice device;
    CUcontext none;
    result("before cuInit", cuDeviceGet(&device, 0));
    result("flags", cuInit(1));
    need(cuInit(0));
    result("no such device", cuDeviceGet(&device, 7));
    result("without a context", cuMemAlloc(&memory, 16));
    result("popping none", cuCtxPopCurrent(&none));
    result("a context that never was", cuCtxSetCurrent(reinterpret_cast<CUcontext>(&none)));
    need(cuDevicePrimaryCtxRetain(&context, 0));
    need(cuCtxSetCurrent(context));
}

static CUmodule modules() {
    CUmodule module, other;
    CUfunction function;
    CUdeviceptr variable;
    size_t bytes;
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    result("PTX that is none",
           cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_90\n}", 2, options, values));
    fact("the log says why", std::strlen(log) > 10);
    const unsigned char machine_code[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    result("machine code", cuModuleLoadData(&module, machine_code));
    result("no such file", cuModuleLoad(&module, "/no/such/file.ptx"));
    need(cuModuleLoadData(&other, kScale));
    result("no such function", cuModuleGetFunction(&function, other, "nothing"));
    result("no such variable", cuModuleGetGlobal(&variable, &bytes, other, "nothing"));
    return other;
}

static void memory_calls() {
    CUdeviceptr other;
    char host[64] = {};
    result("no memory at all", cuMemAlloc(&other, 0));
    result("too much", cuMemAlloc(&other, size_t{1} << 50));
    need(cuMemAlloc(&other, 16));
    need(cuMemFree(other));
    result("freeing twice", cuMemFree(other));
    need(cuMemAlloc(&memory, 16));
    need(cuMemsetD8(memory, 0, 16));
    result("a copy beyond its end", cuMemcpyHtoD(memory, host, sizeof host));
}

static void launches(CUfunction function) {
    int factor = 1, count = 4;
    void* arguments[] = {&memory, &memory, &factor, &count};
    size_t size = 8;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    result("a block of 2048 threads",
           cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
    result("arguments twice",
           cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, extra));
    result("a buffer that is too short",
           cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
}

static void streams() {
    CUstream stream;
    CUgraph graph;
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    need(cuStreamDestroy(stream));
    result("a stream that was destroyed", cuStreamSynchronize(stream));
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    need(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    result("synchronising a capture", cuStreamSynchronize(stream));
    result("ending it", cuStreamEndCapture(stream, &graph));
    need(cuStreamDestroy(stream));
}

static void not_simulated() {
    CUarray plane;
    CUipcMemHandle handle;
    result("a plane of an array", cuArrayGetPlane(&plane, nullptr, 0));
    result("memory of another process", cuIpcGetMemHandle(&handle, memory));
}

static void fault(CUfunction function) {
    int factor = 1, count = 5;
    void* arguments[] = {&memory, &memory, &factor, &count};
    need(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    result("an access beyond the end", cuCtxSynchronize());
    result("and every call after it", cuMemFree(memory));
}

int main() {
    before_contexts();
    CUmodule module = modules();
    CUfunction function;
    need(cuModuleGetFunction(&function, module, "scale"));
    memory_calls();
    launches(function);
    streams();
    not_simulated();
    fault(function);
    const char* words = "";
    need(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &words));
    std::printf("in words: %s\n", words);
    result("a number that is no error", cuGetErrorString(static_cast<CUresult>(12345), &words));
}
