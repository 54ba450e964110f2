#include "many/team.h"

#include <cuda_runtime_api.h>

#include "harness/errors.h"

namespace coalesce::many {

std::vector<int> Team::devices(int ranks) {
    int gpu_count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&gpu_count));
    std::vector<int> devices;
    for (int rank = 0; rank < ranks; ++rank) devices.push_back(rank % gpu_count);
    return devices;
}

void Team::fail_together(const std::string& problem) {
    if (!problem.empty()) throw UsageError(problem);
}

}  // namespace coalesce::many
