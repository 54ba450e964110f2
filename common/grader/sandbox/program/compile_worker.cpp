// The compiler's jail: source in, PTX and messages out.

#include <stdexcept>

#include "grader/sandbox/jobs.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/program/workers.h"
#include "kernel/source.h"

namespace coalesce::grader {
namespace {

/// Compiled once before any job, so that what NVRTC loads and builds at first is there for all.
constexpr const char* kWarmUp = R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    float4 four = make_float4(1, 2, 3, tile[threadIdx.x][threadIdx.y]);
    if (row < rows && col < cols) out[col * rows + row] = four.w;
}
constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}
)";

Compiled compile_text(const std::string& text, const std::string& name, const std::string& kernel) {
    return compile(source_of_text(text, name), {.kernel = kernel, .compiler = Compiler::nvrtc});
}

}  // namespace

std::string make_compiler_ready() {
    const Compiled warm = compile_text(kWarmUp, "kernel.cu", "transpose");
    if (!warm.ok()) throw std::runtime_error("NVRTC can not be used: " + warm.failure.headline);
    return warm.compiler;
}

int compile_worker(std::string_view request, std::span<std::byte> answer) {
    const CompileJob job = compile_job(request);
    Compiled compiled = compile_text(job.source, job.name, job.kernel);
    if (put_text(answer, to_json(compiled))) return 0;
    // The grader tells it from the size of the PTX alone.
    compiled.ptx.resize(1);
    compiled.messages.clear();
    return put_text(answer, to_json(compiled)) ? 3 : 1;
}

}  // namespace coalesce::grader
