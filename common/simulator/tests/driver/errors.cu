// Tests which errors the driver API returns for missing, invalid and unsupported objects.
// nvcc: -lcuda
// simulator only
// expect: before cuInit: CUDA_ERROR_NOT_INITIALIZED
// expect: flags other than 0: CUDA_ERROR_INVALID_VALUE
// expect: no such device: CUDA_ERROR_INVALID_DEVICE
// expect: without a context: CUDA_ERROR_INVALID_CONTEXT
// expect: popping an empty stack: CUDA_ERROR_INVALID_CONTEXT
// expect: an invalid context: CUDA_ERROR_INVALID_CONTEXT
// expect: invalid PTX: CUDA_ERROR_INVALID_PTX
// expect: the log explains the error: yes
// expect: machine code: CUDA_ERROR_NO_BINARY_FOR_GPU
// expect: no such file: CUDA_ERROR_FILE_NOT_FOUND
// expect: no such function: CUDA_ERROR_NOT_FOUND
// expect: no such variable: CUDA_ERROR_NOT_FOUND
// expect: allocating 0 bytes: CUDA_ERROR_INVALID_VALUE
// expect: allocating too much: CUDA_ERROR_OUT_OF_MEMORY
// expect: freeing twice: CUDA_ERROR_INVALID_VALUE
// expect: a copy past the end of an allocation: CUDA_ERROR_INVALID_VALUE
// expect: a block of 2048 threads: CUDA_ERROR_INVALID_VALUE
// expect: arguments passed both ways: CUDA_ERROR_INVALID_VALUE
// expect: an argument buffer that is too short: CUDA_ERROR_INVALID_VALUE
// expect: a destroyed stream: CUDA_ERROR_INVALID_HANDLE
// expect: synchronising a capture: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
// expect: ending the capture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
// expect: a plane of an array: CUDA_ERROR_NOT_SUPPORTED
// expect: memory of another process: CUDA_ERROR_NOT_SUPPORTED
// expect: a kernel that writes past the end: CUDA_ERROR_ILLEGAL_ADDRESS
// expect: every later call: CUDA_ERROR_ILLEGAL_ADDRESS
// expect: error text: invalid argument
// expect: the text of an unknown error: CUDA_ERROR_INVALID_VALUE
// expect-stderr: No context is current
// expect-stderr: nvrtcGetPTX
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemFree
// expect-stderr: of the program) was already
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemcpyHtoD
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuMemAlloc
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuLaunchKernel
// expect-stderr: The argument buffer has 8 bytes
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
    result("flags other than 0", cuInit(1));
    need(cuInit(0));
    result("no such device", cuDeviceGet(&device, 7));
    result("without a context", cuMemAlloc(&memory, 16));
    result("popping an empty stack", cuCtxPopCurrent(&none));
    result("an invalid context", cuCtxSetCurrent(reinterpret_cast<CUcontext>(&none)));
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
    result("invalid PTX",
           cuModuleLoadDataEx(&module, ".version 8.0\n.target sm_90\n}", 2, options, values));
    fact("the log explains the error", std::strlen(log) > 10);
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
    result("allocating 0 bytes", cuMemAlloc(&other, 0));
    result("allocating too much", cuMemAlloc(&other, size_t{1} << 50));
    need(cuMemAlloc(&other, 16));
    need(cuMemFree(other));
    result("freeing twice", cuMemFree(other));
    need(cuMemAlloc(&memory, 16));
    need(cuMemsetD8(memory, 0, 16));
    result("a copy past the end of an allocation", cuMemcpyHtoD(memory, host, sizeof host));
}

static void launches(CUfunction function) {
    int factor = 1, count = 4;
    void* arguments[] = {&memory, &memory, &factor, &count};
    size_t size = 8;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    result("a block of 2048 threads",
           cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
    result("arguments passed both ways",
           cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, extra));
    result("an argument buffer that is too short",
           cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
}

static void streams() {
    CUstream stream;
    CUgraph graph;
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    need(cuStreamDestroy(stream));
    result("a destroyed stream", cuStreamSynchronize(stream));
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    need(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    result("synchronising a capture", cuStreamSynchronize(stream));
    result("ending the capture", cuStreamEndCapture(stream, &graph));
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
    result("a kernel that writes past the end", cuCtxSynchronize());
    result("every later call", cuMemFree(memory));
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
    std::printf("error text: %s\n", words);
    result("the text of an unknown error", cuGetErrorString(static_cast<CUresult>(12345), &words));
}
