// Tests the driver API: devices, contexts, modules, launches, memory, streams, events, occupancy.
// nvcc: -lcuda
// expect: version 13000, devices 1
// expect: compute capability 9.0, attribute 90, warps of 32
// expect: no context is current at first: yes
// expect: the new context is current, on device 0: yes
// expect: scale kernel: 3 6 93
// expect: bias 100: 103 106 193
// expect: arguments in one buffer: 105 110 255
// expect: launched by cuLaunchKernelEx: 107 114 317
// expect: a graph of one kernel: 102 104 162
// expect: parameters: 4, the last at 20 of 4 bytes
// expect: at most 1024 threads, PTX for 90
// expect: functions in the module: 1
// expect: 8-, 16- and 32-bit memsets: 171 4660 305419896
// expect: two rows of a 2D copy: 5 6 9 10
// expect: pinned memory written by a kernel: 42
// expect: managed: yes, pinned memory on the host: yes, device memory on the host: no
// expect: the range begins where it was allocated: yes, 256 bytes
// expect: argument seen by a host function: 7
// expect: elapsed time is not negative: yes
// expect: captured graph: 3 6 93
// expect: resident blocks of 128 threads: 16
// expect: best block size: 1024
// expect: loaded as a library: 3 6 93
// expect: loaded from a file: 3 6 93
// expect: loaded after linking: 3 6 93
// expect: two linked PTX files: 21
// expect: existing function found: yes, missing function found: no
// expect: popped context is the current one: yes
// expect: the primary context was inactive: yes, is active: yes
#include <unistd.h>

#include <cstring>
#include <string>

#include "driver_check.h"

static CUdeviceptr in, out;
static constexpr int kCount = 31;
static CUcontext context;

static void print_out(const char* what) {
    int host[kCount];
    need(cuMemcpyDtoH(host, out, sizeof host));
    std::printf("%s: %d %d %d\n", what, host[0], host[1], host[kCount - 1]);
    need(cuMemsetD8(out, 0, sizeof host));
}

static void launch(CUfunction function, int factor, CUstream stream = nullptr) {
    int count = kCount;
    void* arguments[] = {&out, &in, &factor, &count};
    need(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
}

static void devices() {
    int version = 0, count = 0, major = 0, minor = 0, attribute = 0, warp = 0;
    need(cuInit(0));
    need(cuDriverGetVersion(&version));
    need(cuDeviceGetCount(&count));
    std::printf("version %d, devices %d\n", version, count);
    CUdevice device;
    need(cuDeviceGet(&device, 0));
    need(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    need(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    attribute = 10 * major + minor;
    need(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    std::printf("compute capability %d.%d, attribute %d, warps of %d\n", major, minor, attribute,
                warp);
}

static void contexts() {
    CUcontext current = reinterpret_cast<CUcontext>(1);
    CUdevice device = 9;
    need(cuCtxGetCurrent(&current));
    fact("no context is current at first", current == nullptr);
    need(cuCtxCreate(&context, nullptr, 0, 0));
    need(cuCtxGetCurrent(&current));
    need(cuCtxGetDevice(&device));
    fact("the new context is current, on device 0", current == context && device == 0);
}

static void launches(CUmodule module, CUfunction function) {
    launch(function, 3);
    print_out("scale kernel");
    CUdeviceptr bias;
    size_t bytes;
    need(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    need(cuMemsetD32(bias, 100, 1));
    launch(function, 3);
    print_out("bias 100");

    struct {
        CUdeviceptr out, in;
        int factor, count;
    } buffer = {out, in, 5, kCount};
    size_t size = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    need(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
    print_out("arguments in one buffer");

    int factor = 7, count = kCount;
    void* arguments[] = {&out, &in, &factor, &count};
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    need(cuLaunchKernelEx(&config, function, arguments, nullptr));
    print_out("launched by cuLaunchKernelEx");

    CUgraph graph;
    CUgraphNode node;
    CUgraphExec executable;
    factor = 2;
    CUDA_KERNEL_NODE_PARAMS parameters = {};
    parameters.func = function;
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 32;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments;
    need(cuGraphCreate(&graph, 0));
    need(cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
    need(cuGraphInstantiate(&executable, graph, 0));
    need(cuGraphLaunch(executable, nullptr));
    print_out("a graph of one kernel");
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
    need(cuMemsetD32(bias, 0, 1));
}

static void about(CUmodule module, CUfunction function) {
    size_t offset = 0, bytes = 0, index = 0;
    while (cuFuncGetParamInfo(function, index, &offset, &bytes) == CUDA_SUCCESS) ++index;
    std::printf("parameters: %zu, the last at %zu of %zu bytes\n", index, offset, bytes);
    int threads = 0, ptx = 0;
    unsigned count = 0;
    need(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    need(cuFuncGetAttribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    std::printf("at most %d threads, PTX for %d\n", threads, ptx);
    need(cuModuleGetFunctionCount(&count, module));
    std::printf("functions in the module: %u\n", count);
}

static void memory() {
    CUdeviceptr buffer;
    unsigned char bytes[64];
    unsigned short shorts = 0;
    unsigned words = 0;
    need(cuMemAlloc(&buffer, 256));
    need(cuMemsetD8(buffer, 0xab, 64));
    need(cuMemcpyDtoH(bytes, buffer, 64));
    need(cuMemsetD16(buffer, 0x1234, 32));
    need(cuMemcpyDtoH(&shorts, buffer + 62, 2));
    need(cuMemsetD32Async(buffer, 0x12345678, 16, nullptr));
    need(cuMemcpyDtoH(&words, buffer + 60, 4));
    std::printf("8-, 16- and 32-bit memsets: %u %u %u\n", bytes[63], shorts, words);

    int from[4][4], to[4];
    for (int i = 0; i < 16; ++i) from[i / 4][i % 4] = i;
    CUDA_MEMCPY2D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = from;
    box.srcPitch = sizeof from[0];
    box.srcXInBytes = sizeof(int);
    box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.dstDevice = buffer;
    box.dstPitch = 2 * sizeof(int);
    box.WidthInBytes = 2 * sizeof(int);
    box.Height = 2;
    need(cuMemcpy2D(&box));
    need(cuMemcpyDtoH(to, buffer, sizeof to));
    std::printf("two rows of a 2D copy: %d %d %d %d\n", to[0], to[1], to[2], to[3]);

    int* pinned;
    CUdeviceptr same, managed, begin;
    size_t size = 0;
    need(cuMemAllocHost(reinterpret_cast<void**>(&pinned), sizeof(int)));
    need(cuMemHostGetDevicePointer(&same, pinned, 0));
    need(cuMemsetD32(same, 42, 1));
    std::printf("pinned memory written by a kernel: %d\n", *pinned);
    need(cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL));
    bool is_managed = false;
    unsigned pinned_type = 0, device_type = 0;
    need(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    need(cuPointerGetAttribute(&pinned_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               reinterpret_cast<CUdeviceptr>(pinned)));
    need(cuPointerGetAttribute(&device_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, buffer));
    std::printf("managed: %s, pinned memory on the host: %s, device memory on the host: %s\n",
                is_managed ? "yes" : "NO", pinned_type == CU_MEMORYTYPE_HOST ? "yes" : "NO",
                device_type == CU_MEMORYTYPE_HOST ? "YES" : "no");
    need(cuMemGetAddressRange(&begin, &size, buffer + 100));
    std::printf("the range begins where it was allocated: %s, %zu bytes\n",
                begin == buffer ? "yes" : "NO", size);
    need(cuMemFree(managed));
    need(cuMemFreeHost(pinned));
    need(cuMemFree(buffer));
}

static void CUDA_CB add_seven(void* data) {
    *static_cast<int*>(data) += 7;
}

static void streams(CUfunction function) {
    CUstream stream;
    CUevent start, end;
    CUgraph graph;
    CUgraphExec executable;
    int seen = 0;
    float milliseconds = -1;
    need(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    need(cuEventCreate(&start, CU_EVENT_DEFAULT));
    need(cuEventCreate(&end, CU_EVENT_DEFAULT));
    need(cuEventRecord(start, stream));
    need(cuLaunchHostFunc(stream, add_seven, &seen));
    need(cuEventRecord(end, stream));
    need(cuStreamWaitEvent(stream, end, 0));
    need(cuStreamSynchronize(stream));
    std::printf("argument seen by a host function: %d\n", seen);
    need(cuEventElapsedTime(&milliseconds, start, end));
    fact("elapsed time is not negative", milliseconds >= 0);
    need(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch(function, 3, stream);
    need(cuStreamEndCapture(stream, &graph));
    need(cuGraphInstantiate(&executable, graph, 0));
    need(cuGraphLaunch(executable, stream));
    need(cuStreamSynchronize(stream));
    print_out("captured graph");
    need(cuGraphExecDestroy(executable));
    need(cuGraphDestroy(graph));
    need(cuEventDestroy(start));
    need(cuEventDestroy(end));
    need(cuStreamDestroy(stream));
}

static void occupancy(CUfunction function) {
    int blocks = 0, grid = 0, block = 0;
    need(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0));
    std::printf("resident blocks of 128 threads: %d\n", blocks);
    need(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
    std::printf("best block size: %d\n", block);
}

static const char* const kCaller = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 result) triple(.param .b32 value);
.visible .entry write_triple(.param .u64 out, .param .u32 value)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    {
    .param .b32 argument;
    .param .b32 returned;
    st.param.b32 [argument], %r1;
    call.uni (returned), triple, (argument);
    ld.param.b32 %r2, [returned];
    }
    st.global.u32 [%rd2], %r2;
    ret;
}
)";
static const char* const kCallee = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 result) triple(.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    mul.lo.s32 %r2, %r1, 3;
    st.param.b32 [result], %r2;
    ret;
}
)";

static void link_two_pieces() {
    CUlinkState link;
    CUmodule module;
    CUfunction function;
    void* image;
    size_t bytes;
    need(cuLinkCreate(0, nullptr, nullptr, &link));
    for (const char* piece : {kCaller, kCallee})
        need(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(piece), std::strlen(piece) + 1,
                           "piece", 0, nullptr, nullptr));
    need(cuLinkComplete(link, &image, &bytes));
    need(cuModuleLoadData(&module, image));
    need(cuLinkDestroy(link));
    need(cuModuleGetFunction(&function, module, "write_triple"));
    CUdeviceptr out;
    need(cuMemAlloc(&out, sizeof(int)));
    int value = 7, result = 0;
    void* arguments[] = {&out, &value};
    need(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    need(cuMemcpyDtoH(&result, out, sizeof result));
    std::printf("two linked PTX files: %d\n", result);
    need(cuMemFree(out));
    need(cuModuleUnload(module));
}

static void libraries() {
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    need(cuLibraryLoadData(&library, kScale, nullptr, nullptr, 0, nullptr, nullptr, 0));
    need(cuLibraryGetKernel(&kernel, library, "scale"));
    need(cuKernelGetFunction(&function, kernel));
    launch(function, 3);
    print_out("loaded as a library");
    need(cuLibraryUnload(library));

    CUmodule module;
    const std::string name = "/tmp/coalesce_driver_" + std::to_string(getpid()) + ".ptx";
    std::FILE* file = std::fopen(name.c_str(), "w");
    std::fputs(kScale, file);
    std::fclose(file);
    need(cuModuleLoad(&module, name.c_str()));
    unlink(name.c_str());
    need(cuModuleGetFunction(&function, module, "scale"));
    launch(function, 3);
    print_out("loaded from a file");
    need(cuModuleUnload(module));

    CUlinkState link;
    void* image;
    size_t bytes;
    need(cuLinkCreate(0, nullptr, nullptr, &link));
    need(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kScale), std::strlen(kScale) + 1,
                       "scale", 0, nullptr, nullptr));
    need(cuLinkComplete(link, &image, &bytes));
    need(cuModuleLoadData(&module, image));
    need(cuLinkDestroy(link));
    need(cuModuleGetFunction(&function, module, "scale"));
    launch(function, 3);
    print_out("loaded after linking");
    need(cuModuleUnload(module));
    link_two_pieces();
}

static void end_of_contexts() {
    void* function = nullptr;
    CUdriverProcAddressQueryResult query;
    need(cuGetProcAddress("cuMemAlloc", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &query));
    const bool found = function == reinterpret_cast<void*>(cuMemAlloc);
    cuGetProcAddress("cuNoSuchFunction", &function, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &query);
    std::printf("existing function found: %s, missing function found: %s\n", found ? "yes" : "NO",
                query == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND ? "no" : "YES");
    CUcontext popped, primary;
    need(cuCtxPopCurrent(&popped));
    fact("popped context is the current one", popped == context);
    unsigned flags;
    int before = 9, after = 9;
    need(cuDevicePrimaryCtxGetState(0, &flags, &before));
    need(cuDevicePrimaryCtxRetain(&primary, 0));
    need(cuDevicePrimaryCtxGetState(0, &flags, &after));
    std::printf("the primary context was inactive: %s, is active: %s\n", before == 0 ? "yes" : "NO",
                after == 1 ? "yes" : "NO");
    need(cuDevicePrimaryCtxRelease(0));
    need(cuCtxDestroy(context));
}

int main() {
    devices();
    contexts();
    int host[kCount];
    for (int i = 0; i < kCount; ++i) host[i] = i + 1;
    need(cuMemAlloc(&in, sizeof host));
    need(cuMemAlloc(&out, sizeof host));
    need(cuMemcpyHtoD(in, host, sizeof host));
    CUmodule module;
    CUfunction function;
    need(cuModuleLoadData(&module, kScale));
    need(cuModuleGetFunction(&function, module, "scale"));
    launches(module, function);
    about(module, function);
    memory();
    streams(function);
    occupancy(function);
    libraries();
    need(cuModuleUnload(module));
    need(cuMemFree(in));
    need(cuMemFree(out));
    end_of_contexts();
}
