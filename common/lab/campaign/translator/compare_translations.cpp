// translator_random_kernels -- compares our translation of random kernels with that of clang's back
// end.
//
// Builds on  the campaign's kernels and its contract, clang, the simulated GPU.
// Idea       Both translations start from the same LLVM IR, so any difference between them is a
//            mistake in our translator. The program compares the memory contents after each kernel,
//            and the kernel's requests, sectors and wavefronts.
// Watch      Kernels that differ are kept in a folder, with the IR and both PTX texts.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>
#include <sstream>

#include "base/child.h"
#include "base/files.h"
#include "lab/campaign/translator/simulated_run.h"
#include "page/ir_to_ptx/translate.h"

using namespace coalesce;
using namespace coalesce::random_kernels;

namespace {

/// The number of kernels per source file. clang reads the headers only once for all of them.
constexpr std::size_t kKernelsPerSourceFile = 10;

struct Options {
    std::size_t kernel_count = 200, first_kernel = 0;
    std::vector<std::string> names;
    std::optional<std::size_t> min_kernels_with_same_counts;
    std::string ptx_replacement, folder_for_differences = "random-kernels-found",
                                 clang_path = COALESCE_CLANG, back_end_clang, ptxas_path;
    bool prints_source_only = false;
};

void add_options(CLI::App& app, Options& options) {
    app.add_option("NAME", options.names, "Compare only these kernels, such as learner_17");
    app.add_option("--kernels", options.kernel_count, "Number of kernels (default: 200)");
    app.add_option("--first", options.first_kernel, "Index of the first kernel (default: 0)");
    app.add_flag("--print", options.prints_source_only, "Print the source without translating it");
    app.add_option(
        "--same-counts", options.min_kernels_with_same_counts,
        "Minimum number of kernels with equal requests, sectors and wavefronts\n(default: all)");
    app.add_option("--spoil", options.ptx_replacement,
                   "A=B: replace text that matches A in our PTX with B, to test the comparison");
    app.add_option("--folder", options.folder_for_differences,
                   "Folder for kernels that differ (default: random-kernels-found)");
    app.add_option("--clang", options.clang_path, "Path of clang++, version 17 or newer");
    app.add_option("--back-end", options.back_end_clang,
                   "Path of a clang++ that generates the PTX for the comparison, because "
                   "the\nsimulated GPU cannot read all PTX of clang 19");
    app.add_option("--ptxas", options.ptxas_path,
                   "Path of NVIDIA's assembler, which must also accept our PTX");
}

// ---- the compiler ----

std::string run_and_read_output(const std::vector<std::string>& command,
                                const std::filesystem::path& result_file) {
    const ProcessResult process_result = run_child(command, 300);
    if (process_result.exit_code != 0)
        throw std::runtime_error("clang refuses:\n" + process_result.output);
    return read_file(result_file);
}

/// Options for every invocation of clang.
const std::string kCommonClangOptions = " -Xclang -target-feature -Xclang +ptx78 -w -S";

/// Returns a command: `program`, then `options` split at spaces, then the files.
std::vector<std::string> make_command(const std::string& program, const std::string& options,
                                      const std::vector<std::string>& files) {
    std::vector<std::string> command{program};
    std::istringstream words(options + kCommonClangOptions);
    for (std::string word; words >> word;) command.push_back(word);
    command.insert(command.end(), files.begin(), files.end());
    return command;
}

/// Compiles a source to LLVM IR as the web page does: with optimization, and with the project's
/// headers.
std::string compile_to_ir(const Options& options, const std::string& source,
                          const std::filesystem::path& folder) {
    write_file(folder / "kernels.cu", source);
    const std::string out = folder / "kernels.ll";
    return run_and_read_output(
        make_command(
            options.clang_path,
            "-x cuda -std=c++20 -O3 -fno-finite-loops --cuda-device-only -nocudainc -nocudalib "
            "-fdeclspec -include cuda_runtime.h --cuda-gpu-arch=sm_90 -Xclang "
            "-target-sdk-version=11.5 -Wno-unknown-cuda-version -gline-tables-only -emit-llvm",
            {"-isystem", COALESCE_CUDA_HEADERS, "-o", out, folder / "kernels.cu"}),
        out);
}

/// Compiles IR to PTX with only clang's back end, because the IR is already optimized.
std::string compile_ir_with_clang(const Options& options, const std::filesystem::path& folder) {
    const std::string out = folder / "back_end.ptx";
    return run_and_read_output(
        make_command(
            options.back_end_clang.empty() ? options.clang_path : options.back_end_clang,
            "-x ir --target=nvptx64-nvidia-cuda -march=sm_90 -nocudalib -ffp-contract=fast -O3 "
            "-Xclang -disable-llvm-passes",
            {"-o", out, folder / "kernels.ll"}),
        out);
}

/// Assembles our PTX with ptxas, because the simulated GPU may accept PTX that a real GPU rejects.
void check_that_ptxas_accepts(const std::string& ptxas, const std::string& ptx,
                              const std::filesystem::path& folder) {
    write_file(folder / "ours.ptx", ptx);
    const ProcessResult process_result = run_child(
        {ptxas, "-arch=sm_90", "-O0", "-o", folder / "ours.cubin", folder / "ours.ptx"}, 300);
    if (process_result.exit_code != 0)
        throw std::runtime_error("ptxas refuses:\n" + process_result.output);
}

std::string replace_in_ptx(const std::string& ptx, const std::string& replacement) {
    if (replacement.empty()) return ptx;
    const std::size_t equals_sign = replacement.find('=');
    return std::regex_replace(ptx, std::regex(replacement.substr(0, equals_sign)),
                              replacement.substr(equals_sign + 1));
}

// ---- the comparison ----

class TranslationComparison {
public:
    explicit TranslationComparison(const Options& options) : options_(options) {}

    /// Compiles the kernels together. If the compilation fails, compiles each kernel separately,
    /// and reports those that fail.
    void compare(const std::vector<Kernel>& kernels) {
        const TemporaryFolder folder;
        std::string ir, clang_ptx, translated_ptx;
        source_ = generate_program(kernels);
        try {
            ir = compile_to_ir(options_, source_, folder.path);
            clang_ptx = compile_ir_with_clang(options_, folder.path);
            translated_ptx =
                replace_in_ptx(translator::translate_ir_to_ptx(ir), options_.ptx_replacement);
            if (!options_.ptxas_path.empty())
                check_that_ptxas_accepts(options_.ptxas_path, translated_ptx, folder.path);
        } catch (const std::exception& problem) {
            // Compiling each kernel separately shows which ones cause the failure.
            if (kernels.size() > 1) {
                for (const Kernel& kernel : kernels) compare({kernel});
                return;
            }
            ++compared_kernels_;
            return store_difference(kernels[0], problem.what(), ir, clang_ptx, translated_ptx);
        }
        if (!loads_successfully(translated_ptx) && kernels.size() > 1) {
            for (const Kernel& kernel : kernels) compare({kernel});
            return;
        }
        for (const Kernel& kernel : kernels) {
            ++compared_kernels_;
            const Outcome clang_outcome = run(clang_ptx, kernel),
                          translated_outcome = run(translated_ptx, kernel);
            std::string problem = describe_difference(clang_outcome, translated_outcome);
            if (!problem.empty()) {
                store_difference(kernel, problem, ir, clang_ptx, translated_ptx);
            } else if (problem = describe_different_counter(clang_outcome, translated_outcome);
                       !problem.empty()) {
                store_difference(kernel, problem, ir, clang_ptx, translated_ptx);
                --different_results_;
                ++different_counts_;
            }
        }
    }

    std::size_t compared_kernels() const { return compared_kernels_; }
    std::size_t different_results() const { return different_results_; }
    std::size_t different_counts() const { return different_counts_; }

private:
    void store_difference(const Kernel& kernel, const std::string& problem, const std::string& ir,
                          const std::string& clang_ptx, const std::string& translated_ptx) {
        ++different_results_;
        const std::filesystem::path folder =
            std::filesystem::path(options_.folder_for_differences) / kernel.name;
        std::filesystem::create_directories(folder);
        write_file(folder / "kernel.cu", kernel.text);
        write_file(folder / "kernels.cu", source_);
        write_file(folder / "kernels.ll", ir);
        write_file(folder / "back_end.ptx", clang_ptx);
        write_file(folder / "translated.ptx", translated_ptx);
        std::cout << kernel.name << ": " << problem << "\n    stored in " << folder.string()
                  << "; to repeat: translator_random_kernels " << kernel.name << std::endl;
    }

    const Options& options_;
    std::string source_;  ///< source of the kernels that are being compared
    std::size_t compared_kernels_ = 0, different_results_ = 0, different_counts_ = 0;
};

int compare_all(const Options& options, const std::vector<Kernel>& kernels) {
    TranslationComparison comparison(options);
    for (std::size_t from = 0; from < kernels.size(); from += kKernelsPerSourceFile) {
        const std::size_t to = std::min(kernels.size(), from + kKernelsPerSourceFile);
        comparison.compare({kernels.begin() + static_cast<std::ptrdiff_t>(from),
                            kernels.begin() + static_cast<std::ptrdiff_t>(to)});
        std::cout << to << " of " << kernels.size() << " kernels compared, up to "
                  << kernels[to - 1].name << std::endl;
    }
    const std::size_t compared_kernels = comparison.compared_kernels();
    const std::size_t equal_kernels =
        compared_kernels - comparison.different_results() - comparison.different_counts();
    std::cout << compared_kernels - comparison.different_results() << " of " << compared_kernels
              << " kernels give the same results, " << equal_kernels
              << " of them with the same requests, sectors and wavefronts\n";
    if (equal_kernels < options.min_kernels_with_same_counts.value_or(compared_kernels))
        std::cout << "this is less than the required number, "
                  << options.min_kernels_with_same_counts.value_or(compared_kernels) << "\n";
    return comparison.different_results() > 0 || compared_kernels == 0 ||
           equal_kernels < options.min_kernels_with_same_counts.value_or(compared_kernels);
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app{"Compares clang's back end and our translator on random kernels",
                 "translator_random_kernels"};
    Options options;
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    std::vector<Kernel> kernels;
    for (const std::string& name : options.names) kernels.push_back(kernel_of(name));
    for (std::size_t k = 0; options.names.empty() && k < options.kernel_count; ++k)
        kernels.push_back(kernel_of(options.first_kernel + k));
    if (options.prints_source_only) {
        std::cout << generate_program(kernels);
        return 0;
    }
    return compare_all(options, kernels);
} catch (const std::exception& problem) {
    std::cerr << "translator_random_kernels: " << problem.what() << "\n";
    return 2;
}
