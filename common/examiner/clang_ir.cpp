#include "examiner/clang_ir.h"

#include "examiner/wrapper.h"
#include "page/ir_to_ptx/wanted_ir.h"

namespace coalesce {
namespace {

constexpr const char* kInputName = "input.cu";
constexpr const char* kOutputName = "kernel.ll";
/// The name of the folder with the headers of the project. The path is relative, so that the
/// headers have the same names on every computer.
constexpr const char* kHeadersName = "include";

std::vector<std::string> concatenate(std::vector<std::string> words,
                                     const std::vector<std::string>& extra_arguments) {
    words.insert(words.end(), extra_arguments.begin(), extra_arguments.end());
    return words;
}

/// Returns the arguments that clang's driver would pass for `clang++ -x cuda --cuda-device-only
/// ...`. The arguments work with clang 17 to 22. They name only the project's own headers, so clang
/// needs no other headers in a web page.
std::vector<std::string> front_end_arguments(bool keeps_variables) {
    const std::string headers = kHeadersName;
    return {"-cc1", "-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-unknown-linux-gnu",
            "-target-sdk-version=11.5", "-target-cpu", "sm_90", "-target-feature", "+ptx78",
            // Set the language options that the driver would set.
            "-x", "cuda", "-fcuda-is-device", "-fcuda-allow-variadic-functions", "-fdeclspec",
            "-std=c++20", "-fgnuc-version=4.2.1", "-fdeprecated-macro", "-fcxx-exceptions",
            "-fexceptions", "-fno-threadsafe-statics",
            // Do not replace loops that compute the length of a string with calls to strlen, which
            // does not exist on a GPU.
            "-fno-builtin-strlen", "-fno-builtin-wcslen",
            // Use only the project's headers.
            "-nostdsysteminc", "-nobuiltininc", "-nostdinc++", "-internal-isystem", headers,
            "-internal-isystem", headers + "/c_library", "-include", "cuda_runtime.h",
            keeps_variables ? "-debug-info-kind=limited" : "-debug-info-kind=line-directives-only",
            "-dwarf-version=2",
            // Print messages in the form that messages.h parses.
            "-Wunused-variable", "-Werror=reorder-init-list", "-ferror-limit", "19",
            "-fno-caret-diagnostics"};
}

}  // namespace

ClangRequest clang_ir_request_for_wrapped(const std::string& wrapped_source, bool keeps_variables) {
    const auto& translator_options =
        keeps_variables ? translator::kDebuggerOptions : translator::kOptimizerOptions;
    const auto arguments =
        concatenate(concatenate(front_end_arguments(keeps_variables), translator_options),
                    {"-o", kOutputName, kInputName});
    return {arguments, wrapped_source, kInputName, kOutputName, kHeadersName, keeps_variables};
}

ClangRequest clang_ir_request(const Source& source, const std::vector<std::string>& sizes,
                              bool keeps_variables) {
    return clang_ir_request_for_wrapped(wrap_source(source.text, Dialect::bare_clang, sizes),
                                        keeps_variables);
}

std::vector<std::vector<std::string>> commands_with_back_end(const ClangRequest& request) {
    if (request.keeps_variables) return {request.arguments};
    constexpr const char* unoptimised_file = "unoptimised.ll";
    return {concatenate(request.arguments, {"-disable-llvm-passes", "-o", unoptimised_file}),
            concatenate(translator::optimise_without_back_end(),
                        {"-o", request.output, unoptimised_file})};
}

std::string add_translator_name(const std::string& version) {
    return "clang " + version + ", translated";
}

}  // namespace coalesce
