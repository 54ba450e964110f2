// The jail of the compiler. It receives a source and returns PTX and messages. NVRTC compiles in
// the worker, and clang in a separate process.

#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "base/child.h"
#include "examiner/compiled_from.h"
#include "examiner/source.h"
#include "examiner/wrapper.h"
#include "grader/sandbox/jobs.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/program/clang_beside.h"
#include "grader/sandbox/program/workers.h"
#include "grader/sandbox/protocol.h"

namespace coalesce::grader {
namespace {

/// A kernel that is compiled once, before the first job. All workers inherit what NVRTC loads and
/// builds during its first compilation.
constexpr const char* kWarmUpKernel = R"(
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

/// The clang process of this worker, started before the worker was restricted.
std::unique_ptr<ClangProcess> clang_process;

/// Compiles with clang, which must already have been started. `compile` is the counterpart for
/// NVRTC.
Compiled compile_by_clang(const Source& source, const Signature& kernel) {
    Compiled compiled;
    compiled.failure = source.problem;
    if (!source.is_good()) return compiled;
    const RawOutput clang_output =
        clang_process->compile(wrap_source(source.text, Dialect::bare_clang, kernel.sizes));
    return finish_compilation(source, kernel, environment_variable_or(kClangNameVariable, ""),
                              clang_output);
}

Compiled compile_text(const std::string& text, const std::string& name, const Signature& kernel) {
    const Source source = make_source(text, name);
    if (is_compiled_by_clang()) return compile_by_clang(source, kernel);
    return compile(source, {.kernel = kernel, .compiler = Compiler::nvrtc});
}

}  // namespace

bool is_compiled_by_clang() {
    return std::getenv(kClangVariable) != nullptr;
}

void start_clang(bool is_restricted) {
    std::vector<std::string> command;
    std::istringstream words(environment_variable_or(kClangVariable, ""));
    for (std::string word; std::getline(words, word, kWordSeparator);) command.push_back(word);
    clang_process = std::make_unique<ClangProcess>(command, is_restricted);
}

std::string make_compiler_ready(bool is_restricted) {
    if (is_compiled_by_clang()) start_clang(is_restricted);
    const Compiled warm_up = compile_text(kWarmUpKernel, "kernel.cu", "transpose");
    clang_process.reset();
    if (!warm_up.is_ok()) {
        throw std::runtime_error((is_compiled_by_clang() ? "clang" : "NVRTC") +
                                 (" cannot be used: " + warm_up.failure.headline) + " " +
                                 warm_up.failure.details);
    }
    return warm_up.compiler;
}

int compile_worker(std::string_view request, std::span<std::byte> answer) {
    const CompileJob job = codec::read<CompileJob>(request);
    Compiled compiled = compile_text(job.source, job.name, job.kernel);
    if (write_text_block(answer, to_json(compiled))) return 0;
    // Keep one byte of the PTX, so that the grader can tell that the PTX was too large.
    compiled.ptx.resize(1);
    compiled.messages.clear();
    return write_text_block(answer, to_json(compiled)) ? 3 : 1;
}

}  // namespace coalesce::grader
