// rivals -- measures library functions that transpose, using the same harness as the steps.
//
// Each library is optional: CMake looks for it, and this program prints which ones are missing.

#include <cuda_runtime_api.h>

#include <iostream>
#include <string>
#include <vector>

#include "harness/errors.h"
#include "harness/harness.h"
#include "lab/rivals/rivals.h"

namespace {

using coalesce::Variant;

void copy_with_driver(float* out, const float* in, int rows, int cols) {
    size_t bytes = sizeof(float) * static_cast<size_t>(rows) * static_cast<size_t>(cols);
    CUDA_CHECK(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice));
}

[[maybe_unused]] void report_absent_library(const std::string& library) {
    std::cerr << "rivals: " << library
              << " is absent, because CMake did not find it when this program was built\n";
}

std::vector<Variant> list_available_variants() {
    std::vector<Variant> variants;
    variants.push_back({.name = "memcpy",
                        .about = "cudaMemcpyAsync, device to device: a copy, not a transpose",
                        .launch = copy_with_driver,
                        .produces = {Produces::copy}});
#ifdef COALESCE_CUBLAS
    variants.push_back({.name = "cublas_geam",
                        .about = "cublasSgeam: computes 1 * in, which changes payloads of NaNs",
                        .launch = coalesce::rivals::cublas_geam,
                        .needs_gpu = true,
                        .keeps_nan_payloads = false});
#else
    report_absent_library("cuBLAS");
#endif
#ifdef COALESCE_CCCL
    variants.push_back({.name = "thrust_gather",
                        .about = "thrust::gather through a computed index",
                        .launch = coalesce::rivals::thrust_gather});
    variants.push_back({.name = "cub_bulk",
                        .about = "cub::DeviceFor::Bulk, one call for each element of out",
                        .launch = coalesce::rivals::cub_bulk});
#else
    report_absent_library("Thrust and CUB");
#endif
    return variants;
}

}  // namespace

int main(int argc, char** argv) {
    return run_step(argc, argv, list_available_variants());
}
