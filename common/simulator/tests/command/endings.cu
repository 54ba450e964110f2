// A program that ends, or misbehaves, as its first argument says; command_test.cpp runs it.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    constexpr int kCount = 64;
    int* out;
    if (cudaMalloc(&out, kCount * sizeof(int)) != cudaSuccess) return 99;
    // One warp more than the memory has room for, where a report is asked for.
    fill<<<1, kCount + 32>>>(out, std::strcmp(how, "report") == 0 ? kCount + 32 : kCount);
    cudaDeviceSynchronize();

    for (int i = 0; i < argc; ++i) std::printf("[%s]", argv[i]);
    std::printf("\n");
    std::fflush(stdout);
    if (std::strcmp(how, "code") == 0) return std::atoi(argv[2]);
    if (std::strcmp(how, "abort") == 0) std::abort();
    if (std::strcmp(how, "leave") == 0) _exit(0);
    if (std::strcmp(how, "touch") == 0) return *static_cast<volatile int*>(out);
    if (std::strcmp(how, "wait") == 0) pause();
    if (std::strcmp(how, "system") == 0) return std::system("echo from a child");
    if (std::strcmp(how, "folder") == 0) return chdir("/");
    return 0;
}
