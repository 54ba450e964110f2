// on_gpu PROGRAM ARGUMENTS... -- runs a program if this computer has a working GPU. Otherwise exits
// with code 77, so that ctest shows the test as "skipped".

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
    constexpr int SKIPPED = 77;
    if (argc < 2) {
        std::fputs("Usage: on_gpu PROGRAM ARGUMENTS...\n", stderr);
        return 2;
    }
    // The simulator looks like a GPU to this program, so skip the test if the simulator is loaded.
    if (dlsym(RTLD_DEFAULT, "coalesceSimulatorVersion") != nullptr) {
        std::puts("skipped: the simulator replaces the CUDA runtime here, so no real GPU is used");
        return SKIPPED;
    }
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        std::printf("skipped: no GPU works here (%s)\n", cudaGetErrorString(error));
        return SKIPPED;
    }
    execvp(argv[1], argv + 1);
    std::perror(argv[1]);
    return 2;
}
