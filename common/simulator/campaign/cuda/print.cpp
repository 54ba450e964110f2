// cuda_kernels_print SEED -- prints the kernel of that seed.
#include <cstdio>
#include <cstdlib>

#include "campaign/cuda/cuda_kernels.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("Usage: cuda_kernels_print SEED\n", stderr);
        return 2;
    }
    std::fputs(coalesce::campaign::generate_cuda(std::strtoull(argv[1], nullptr, 0)).c_str(),
               stdout);
}
