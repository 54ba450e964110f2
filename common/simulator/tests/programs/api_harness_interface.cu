// Calls the functions of coalesce_simulator.h like a harness, which finds them with dlsym.
// simulator only
// expect: the marker is there: yes
// expect: one kernel, launched twice: copy 2
// expect: grid 4, block 256: yes
// expect: requests and sectors: 64 256 64 256
// expect: lines add up to the kernel: yes
// expect: after a reset: 0 kernels
// expect: an unknown check: -1
// expect: out of bounds is reported: 1 memcheck copy
// expect: ... with file and line: yes
// expect: the error sticks: cudaErrorIllegalAddress
// expect: ... until it is cleared: cudaSuccess
// expect: the next kernel runs: 32 requests
// expect: JSON begins with a brace and names the kernel: yes
// expect: reports are cleared: 0
// expect: traced: load of global memory, 4 bytes per lane, line 39, 4 sectors of 4
// expect: traced: store of shared memory, 4 bytes per lane, line 39, 32 wavefronts of 1
// expect: traced: load of shared memory, 4 bytes per lane, line 41, 1 wavefronts of 1
// expect: traced: store of global memory, 4 bytes per lane, line 41, 32 sectors of 4
// expect: lanes are where they went: yes
// expect: nothing more is traced: 0
// expect: blocks come in another order, the same one with the same seed, and in their own: yes
#include <string>

#include "api_check.h"
#include "simulator_function.h"

__global__ void copy(float* out, const float* in, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];
}

// The expected trace above contains two line numbers in this kernel: that of the copy from global
// to shared memory, and that of the copy back.
__global__ void transpose(float* out, const float* in) {
    __shared__ float tile[32 * 32];
    const int lane = threadIdx.x, warp = threadIdx.y;
    tile[lane * 32 + warp] = in[(blockIdx.x * 2 + warp) * 32 + lane];
    __syncthreads();
    out[lane * 32 + warp] = tile[lane + 32 * 0];
}

__global__ void draw_numbers(unsigned* number, unsigned* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = atomicInc(number, 63);
}

/// Returns a list with the position of each of 64 blocks in the order in which the blocks started.
static std::string turns(uint64_t seed, float* memory) {
    FIND(coalesceSetOrder)(seed);
    unsigned* out = reinterpret_cast<unsigned*>(memory);
    need(cudaMemset(out, 0, 256 * sizeof *out));
    draw_numbers<<<64, 32>>>(out, out + 1);
    unsigned host[64];
    need(cudaMemcpy(host, out + 1, sizeof host, cudaMemcpyDeviceToHost));
    std::string all;
    for (const unsigned turn : host) all += std::to_string(turn) + " ";
    return all;
}

static void orders(float* memory) {
    const std::string own = turns(0, memory), other = turns(7, memory);
    fact("blocks come in another order, the same one with the same seed, and in their own",
         own.substr(0, 6) == "0 1 2 " && other != own && turns(8, memory) != other && turns(7, memory) == other &&
             turns(0, memory) == own);
}

static void counters(float* out, const float* in) {
    copy<<<4, 256>>>(out, in, 1024);
    copy<<<4, 256>>>(out, in, 1024);
    CoalesceKernel kernel = {};
    const size_t kernels = FIND(coalesceGetKernels)();
    FIND(coalesceGetKernel)(0, &kernel);
    std::printf("%s kernel, launched twice: %s %d\n", kernels == 1 ? "one" : "another number of",
                kernel.name, int(kernel.launches));
    fact("grid 4, block 256", kernel.grid[0] == 4 && kernel.block[0] == 256);
    const CoalesceCounters& c = kernel.counters;
    std::printf("requests and sectors: %d %d %d %d\n", int(c.load_requests), int(c.load_sectors),
                int(c.store_requests), int(c.store_sectors));
    unsigned long long requests = 0;
    for (size_t i = 0; i < FIND(coalesceGetLineCount)(0); ++i) {
        CoalesceLine line;
        FIND(coalesceGetLine)(0, i, &line);
        requests += line.counters.load_requests + line.counters.store_requests;
    }
    fact("lines add up to the kernel", requests == c.load_requests + c.store_requests);
    FIND(coalesceResetCounters)();
    std::printf("after a reset: %d kernels\n", int(FIND(coalesceGetKernels)()));
}

static void errors(float* out, const float* in) {
    std::printf("an unknown check: %d\n", FIND(coalesceSetChecks)("memcheck,nonsense"));
    copy<<<1, 64>>>(out + 1000, in, 64);
    CoalesceReport report = {};
    const size_t reports = FIND(coalesceGetReports)();
    FIND(coalesceGetReport)(0, &report);
    std::printf("out of bounds is reported: %d %s %s\n", int(reports), report.check, report.kernel);
    fact("... with file and line",
         std::string(report.file).find("api_harness_interface.cu") != std::string::npos &&
             report.line > 0);
    std::printf("the error sticks: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    FIND(coalesceClearError)();
    std::printf("... until it is cleared: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    FIND(coalesceResetCounters)();
    copy<<<4, 256>>>(out, in, 1024);
    CoalesceCounters c = {};
    FIND(coalesceGetCounters)("copy", &c);
    std::printf("the next kernel runs: %d requests\n", int(c.load_requests));
}

static void traced(float* out, const float* in) {
    FIND(coalesceSetChecks)("memcheck");
    FIND(coalesceTraceWarp)(1, 1, 100);
    transpose<<<2, dim3(32, 2)>>>(out, in);
    need(cudaDeviceSynchronize());
    CoalesceAccess access = {};
    const size_t count = FIND(coalesceGetAccessCount)();
    for (size_t i = 0; i < count; ++i) {
        FIND(coalesceGetAccess)(i, &access);
        std::printf("traced: %s of %s memory, %u bytes per lane, line %u, %u %s of %u\n",
                    access.store ? "store" : "load", access.shared ? "shared" : "global",
                    access.bytes_per_lane, access.line, access.cost,
                    access.shared ? "wavefronts" : "sectors", access.ideal);
    }
    const auto first = reinterpret_cast<uint64_t>(out + 1);  // warp 1's first address
    bool all = access.active == 0xffffffff;
    for (int lane = 0; lane < 32; ++lane) all &= access.addresses[lane] == first + lane * 128;
    fact("lanes are where they went", all);
    FIND(coalesceTraceWarp)(0, 0, 0);
    transpose<<<2, dim3(32, 2)>>>(out, in);
    need(cudaDeviceSynchronize());
    std::printf("nothing more is traced: %d\n", int(FIND(coalesceGetAccessCount)()));
}

int main() {
    float *out, *in;
    fact("the marker is there", FIND(coalesceSimulatorVersion)() >= 1);
    FIND(coalesceSetQuiet)(1);
    need(cudaMalloc(&out, 1024 * sizeof(float)));
    need(cudaMalloc(&in, 1024 * sizeof(float)));
    need(cudaMemset(in, 0, 1024 * sizeof(float)));
    counters(out, in);
    errors(out, in);
    std::string json;
    FIND(coalesceReportJson)
    ([](const char* text, size_t size,
        void* user) { static_cast<std::string*>(user)->assign(text, size); },
     &json);
    fact("JSON begins with a brace and names the kernel",
         json[0] == '{' && json.find("\"copy\"") != std::string::npos);
    FIND(coalesceClearReports)();
    std::printf("reports are cleared: %d\n", int(FIND(coalesceGetReports)()));
    traced(out, in);
    orders(out);
    need(cudaFree(out));
    need(cudaFree(in));
}
