#include "kernel/clang_ir.h"

#include "kernel/wrapper.h"

namespace coalesce {
namespace {

constexpr const char* input_name = "input.cu";
constexpr const char* output_name = "kernel.ll";
/// Relative, so that lines of headers have the same name everywhere.
constexpr const char* headers_name = "include";

/// What clang's driver would make of `clang++ -x cuda --cuda-device-only -O3 ...`: it works with clang
/// 17 to 22. No header is taken from where clang runs, so that no page needs any.
std::vector<std::string> arguments() {
    const std::string headers = headers_name;
    return {
        "-cc1", "-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-unknown-linux-gnu",
        "-target-sdk-version=11.5", "-target-cpu", "sm_90", "-target-feature", "+ptx78",
        // The language, as the driver sets it.
        "-x", "cuda", "-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec",
        "-std=c++20", "-fgnuc-version=4.2.1", "-fdeprecated-macro", "-fcxx-exceptions",
        "-fexceptions", "-fno-threadsafe-statics",
        // The project's headers and no others.
        "-nostdsysteminc", "-nobuiltininc", "-nostdinc++", "-internal-isystem", headers,
        "-internal-isystem", headers + "/c_library", "-include", "cuda_runtime.h",
        // An endless loop is a learner's mistake, and no licence to leave it out. Nothing is
        // vectorised: a page's clang has no back end that would say that GPUs have no such registers.
        "-O3", "-fno-finite-loops",
        // Lines, and no names of values: nobody reads them.
        "-debug-info-kind=line-directives-only", "-dwarf-version=2", "-discard-value-names",
        // Messages, as messages.h reads them.
        "-Wunused-variable", "-ferror-limit", "19", "-fno-caret-diagnostics",
        // What comes out.
        "-emit-llvm", "-o", output_name, input_name};
}

}  // namespace

ClangRequest clang_ir_request_of_wrapped(const std::string& wrapped) {
    return {arguments(), wrapped, input_name, output_name, headers_name};
}

ClangRequest clang_ir_request(const Source& source) {
    return clang_ir_request_of_wrapped(wrapped(source.text, Dialect::bare_clang));
}

std::string translated_by_us(const std::string& version) {
    return "clang " + version + ", translated";
}

}  // namespace coalesce
