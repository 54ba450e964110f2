// Exits or fails as its first argument specifies. command_test.cpp runs this program.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

/// Stores to the same element from two blocks, which is a race.
__global__ void collide(int* out) {
    if (threadIdx.x == 0) *out = blockIdx.x;
}

/// Uses an instruction that the simulator does not support.
__global__ void video(unsigned* out) {
    asm volatile("vset4.u32.u32.eq %0, %1, %1, %1;" : "=r"(*out) : "r"(threadIdx.x));
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    constexpr int kCount = 64;
    const pid_t child = std::strcmp(how, "fork early") == 0 ? fork() : -1;
    int* out;
    if (cudaMalloc(&out, kCount * sizeof(int)) != cudaSuccess) return 99;
    // With "report", the last warp writes past the end of the array.
    fill<<<1, kCount + 32>>>(out, std::strcmp(how, "report") == 0 ? kCount + 32 : kCount);
    cudaDeviceSynchronize();

    if (std::strcmp(how, "unsupported") == 0) {
        video<<<1, 32>>>(reinterpret_cast<unsigned*>(out));
        if (argc > 2) return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    if (std::strcmp(how, "fork") == 0) {  // only the child process writes past the end
        if (fork() == 0) {
            fill<<<1, kCount + 32>>>(out, kCount + 32);
            return 0;
        }
        wait(nullptr);
    }
    if (std::strcmp(how, "collide") == 0)
        for (int k = 0; k < 5; ++k) collide<<<2, 32>>>(out + k / 4);  // the last launch uses out[1]
    if (std::strcmp(how, "long") == 0) fill<<<20000, kCount>>>(out, 0);
    if (std::strcmp(how, "twice") == 0) {
        cudaFree(out);
        cudaFree(out);
    }
    if (std::strcmp(how, "probe") == 0) {  // the program expects these errors
        int count;
        void* memory;
        cudaSetDevice(1000);
        cudaDeviceCanAccessPeer(&count, 0, 1000);
        cudaDeviceEnablePeerAccess(0, 0);
        cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30);
        cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, fill, 0, 0);
        cudaHostUnregister(&count);
        cudaMalloc(&memory, std::size_t{1} << 50);
        cudaGetSymbolAddress(&memory, &count);
        cudaStreamQuery(reinterpret_cast<cudaStream_t>(&count));
    }

    for (int i = 0; i < argc; ++i) std::printf("[%s]", argv[i]);
    std::printf("\n");
    std::fflush(stdout);
    if (child > 0) waitpid(child, nullptr, 0);
    if (std::strcmp(how, "code") == 0) return std::atoi(argv[2]);
    if (std::strcmp(how, "abort") == 0) std::abort();
    if (std::strcmp(how, "leave") == 0) _exit(0);
    if (std::strcmp(how, "touch") == 0) return *static_cast<volatile int*>(out);
    if (std::strcmp(how, "past managed") == 0) {  // writes more than a page past the end
        char* managed;
        if (cudaMallocManaged(&managed, kCount) != cudaSuccess) return 99;
        for (int i = 0; i < 100'000; ++i) static_cast<volatile char*>(managed)[i] = 1;
    }
    if (std::strcmp(how, "wait") == 0) pause();
    if (std::strcmp(how, "system") == 0) return std::system("echo from a child");
    if (std::strcmp(how, "folder") == 0) return chdir("/");
    return 0;
}
