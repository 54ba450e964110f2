// Runs generated kernels with the libcudart that the loader finds, and prints a line for each.
//
//    campaign_run FILE...                 a file is the text of one kernel, or of many kernels,
//                                         each after a line `//// NAME`
//    campaign_run --skip N FILE...        skips the first N kernels
//    campaign_run --limit N FILE...       limits the warp instructions of a kernel, on the
//                                         simulator
//    campaign_run --keep DIR FILE...      writes the memory that each kernel leaves to DIR/NAME.bin
//    campaign_run --level N FILE...       sets how much a GPU's driver optimizes, from 0 to 4; a
//                                         result that depends on the level is either a mistake of
//                                         the compiler or undefined
//    campaign_run --expect FILE FILE...   compares with the hashes in a file and counts the equal
//                                         kernels. On a GPU, kernels that differ run once more
//                                         without the driver's optimizer; a kernel that hangs or
//                                         crashes the driver is named, and the others continue
//
// A line is `done NAME RESULTS`, followed on the simulator by `COUNTERS REPORTS` and the counters
// themselves, or `error NAME WHAT`. `start NAME` comes before it, so that a kernel that crashes can
// be identified. On a GPU the first error is the last line, because later kernels in the same
// process would fail as well.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <vector>

#include "lab/campaign/run/launch.h"
#include "simulator/base/coalesce_simulator.h"

using namespace coalesce::campaign;

namespace {

/// Seconds after which a kernel on a GPU, including its compilation, is considered hung.
constexpr unsigned kHangSeconds = 30;

struct KernelText {
    std::string name, text;
};

std::vector<KernelText> read_kernel_texts(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + " cannot be read");
    std::vector<KernelText> texts;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("//// ")) {
            texts.push_back({line.substr(5), ""});
            continue;
        }
        if (texts.empty()) texts.push_back({file, ""});
        texts.back().text += line + "\n";
    }
    return texts;
}

u64 hash(const void* data, std::size_t bytes, u64 seed = 0x636f616c) {
    const auto* next_bytes = static_cast<const unsigned char*>(data);
    u64 h = seed;
    for (; bytes >= 8; bytes -= 8, next_bytes += 8) {
        u64 word;
        std::memcpy(&word, next_bytes, 8);
        h = hash_bits(h ^ word);
    }
    for (; bytes > 0; --bytes, ++next_bytes) h = hash_bits(h ^ *next_bytes);
    return h;
}

std::string format_hex(u64 value) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", value);
    return text;
}

// ---- functions of the simulator, if it is loaded ----

/// A function of the simulator, found by its name. It converts to a pointer to the function, which
/// is null if the simulator is not loaded.
struct FoundFunction {
    const char* name;
    template <class Function>
    operator Function*() const {
        return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    }
};

struct SimulatorFunctions {
    explicit SimulatorFunctions(u64 max_warp_instructions) {
        if (!reset_counters) return;
        set_quiet(1);
        set_max_instructions(max_warp_instructions);
    }
    explicit operator bool() const { return reset_counters != nullptr; }

    decltype(&coalesceResetCounters) reset_counters = FoundFunction{"coalesceResetCounters"};
    decltype(&coalesceGetKernels) kernels = FoundFunction{"coalesceGetKernels"};
    decltype(&coalesceGetKernel) kernel = FoundFunction{"coalesceGetKernel"};
    decltype(&coalesceGetLineCount) lines = FoundFunction{"coalesceGetLineCount"};
    decltype(&coalesceGetLine) line = FoundFunction{"coalesceGetLine"};
    decltype(&coalesceGetReports) reports = FoundFunction{"coalesceGetReports"};
    decltype(&coalesceGetReport) report = FoundFunction{"coalesceGetReport"};
    decltype(&coalesceClearReports) clear_reports = FoundFunction{"coalesceClearReports"};
    decltype(&coalesceSetMaxInstructions) set_max_instructions =
        FoundFunction{"coalesceSetMaxInstructions"};
    decltype(&coalesceClearError) clear_error = FoundFunction{"coalesceClearError"};
    decltype(&coalesceSetQuiet) set_quiet = FoundFunction{"coalesceSetQuiet"};
};

/// Returns a hash of all counters of the kernel and of each line, followed by the kernel's counters
/// as text.
std::string format_counters_hash(const SimulatorFunctions& simulator) {
    u64 combined_hash = 0;
    std::string values;
    const std::size_t kernel_count = simulator.kernels();
    for (std::size_t k = 0; k < kernel_count; ++k) {
        CoalesceKernel kernel;
        if (simulator.kernel(k, &kernel) != 0 || kernel.launches == 0) continue;
        combined_hash = hash(&kernel.counters, sizeof kernel.counters, combined_hash);
        for (std::size_t v = 0; v < sizeof kernel.counters / sizeof(uint64_t); ++v)
            values += " " + std::to_string(reinterpret_cast<const uint64_t*>(&kernel.counters)[v]);
        u64 lines = 0;
        for (std::size_t l = 0; l < simulator.lines(k); ++l) {
            CoalesceLine line;
            if (simulator.line(k, l, &line) != 0) continue;
            lines = hash(&line.counters, sizeof line.counters, lines + line.line);
        }
        combined_hash = hash_bits(combined_hash + lines);
        values += " lines:" + format_hex(lines);
    }
    return format_hex(combined_hash) + " " + std::to_string(simulator.reports()) + values;
}

std::string format_first_report(const SimulatorFunctions& simulator) {
    CoalesceReport report;
    if (simulator.reports() == 0 || simulator.report(0, &report) != 0) return "";
    std::string text = std::string(report.check) + ", " + report.kind + ", line " +
                       std::to_string(report.line) + ": " + report.message;
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

struct Options {
    std::vector<std::string> kernel_files;
    std::string expected_file;
    std::string memory_folder;  ///< folder for the memory that kernels leave
    /// Optimization level of the driver's compiler. A negative level means the driver's default.
    int driver_optimization_level = -1;
    std::size_t kernels_to_skip = 0;
    u64 max_warp_instructions = kDefaultMaxWarpInstructions;
};

// ---- one kernel ----

u64 run(const Options& options, const std::string& name, const std::string& text) {
    const std::optional<Launch> launch = parse_launch(text);
    if (!launch) throw std::runtime_error("the first line does not contain a launch");
    const LoadedModule library(text, options.driver_optimization_level);
    // The seed depends only on the first line, so that shrinking the rest does not change the
    // input.
    const auto seed = static_cast<unsigned>(hash(text.data(), text.find('\n')));
    u64 memory_hash = 0;
    std::ofstream memory_file;
    if (!options.memory_folder.empty())
        memory_file.open(options.memory_folder + "/" + name + ".bin", std::ios::binary);
    for (const std::vector<unsigned char>& bytes :
         launch_once(library.kernel("kernel"), *launch, seed)) {
        memory_hash = hash(bytes.data(), bytes.size(), memory_hash);
        memory_file.write(reinterpret_cast<const char*>(bytes.data()),
                          static_cast<std::streamsize>(bytes.size()));
    }
    return memory_hash;
}

std::string run_and_format(const SimulatorFunctions& simulator, const Options& options,
                           const KernelText& text) {
    if (simulator) {
        simulator.reset_counters();
        simulator.clear_reports();
    }
    try {
        std::string line =
            "done " + text.name + " " + format_hex(run(options, text.name, text.text));
        if (!simulator) return line;
        line += " " + format_counters_hash(simulator);
        const std::string report = format_first_report(simulator);
        return report.empty() ? line : line + " # " + report;
    } catch (const std::exception& problem) {
        std::string line = "error " + text.name + " " + problem.what();
        cudaGetLastError();
        if (simulator) {
            line += " " + format_first_report(simulator);
            simulator.clear_error();
        }
        return line;
    }
}

std::map<std::string, std::string> read_expected_hashes(const std::string& file) {
    std::map<std::string, std::string> hash_by_name;
    std::ifstream stream(file);
    for (std::string name, value; stream >> name >> value;) hash_by_name[name] = value;
    return hash_by_name;
}

Options read_options(int argc, char** argv) {
    Options options;
    CLI::App app;
    app.set_help_flag();
    app.add_option("--skip", options.kernels_to_skip);
    app.add_option("--expect", options.expected_file);
    app.add_option("--keep", options.memory_folder);
    app.add_option("--level", options.driver_optimization_level);
    app.add_option("--limit", options.max_warp_instructions);
    app.add_option("FILE", options.kernel_files);
    app.parse(argc, argv);
    return options;
}

int run_all(const Options& options, const std::vector<KernelText>& texts) {
    const SimulatorFunctions simulator(options.max_warp_instructions);
    for (std::size_t k = options.kernels_to_skip; k < texts.size(); ++k) {
        std::cout << "start " << texts[k].name << std::endl;
        const std::string line = run_and_format(simulator, options, texts[k]);
        std::cout << line << std::endl;
        if (!simulator && line.starts_with("error") && k + 1 < texts.size())
            return kExitAfterGpuError;
    }
    return 0;
}

// ---- comparison with the expected results ----

/// The verdict on a kernel, as a letter.
enum KernelVerdict : char {
    kEqualResults = 'e',
    /// The results are equal only if the GPU's driver does not optimize, so the driver's compiler
    /// made a mistake.
    kEqualWithoutOptimizer = 'o',
    kDifferentResults = 'd',
    kCrashedProcess = 'c',
};

class ResultComparison {
public:
    ResultComparison(const Options& options, const std::vector<KernelText>& texts)
        : options_(options),
          texts_(texts),
          expected_hashes_(read_expected_hashes(options.expected_file)) {}

    int run() {
        std::map<char, std::size_t> count;
        // Run the kernels in child processes, so that a kernel that crashes the driver does not
        // affect the others.
        for (std::size_t next_kernel = options_.kernels_to_skip; next_kernel < texts_.size();) {
            const std::string verdict_letters =
                compare_in_child(next_kernel, options_.driver_optimization_level);
            for (char letter : verdict_letters) ++count[letter];
            next_kernel += verdict_letters.size();
            if (next_kernel >= texts_.size() || has_last_process_reported_error_) continue;
            ++count[rerun_without_optimizer(next_kernel)];
            ++next_kernel;
        }
        std::cout << count[kEqualResults] << " of " << texts_.size() - options_.kernels_to_skip
                  << " kernels have equal results, " << count[kEqualWithoutOptimizer]
                  << " only without the driver's optimiser; " << count[kDifferentResults]
                  << " differ, " << count[kCrashedProcess] << " crashed\n";
        return count[kDifferentResults] + count[kCrashedProcess] > 0;
    }

private:
    /// In a child process, compares the kernels starting with `first_kernel`. Stops after the last
    /// kernel, or at a crash or an error. Returns a letter for each kernel.
    std::string compare_in_child(std::size_t first_kernel, int level,
                                 std::size_t max_kernels = ~std::size_t{0}) {
        int pipe_ends[2];
        if (pipe(pipe_ends) != 0) throw std::runtime_error("no pipe");
        const pid_t child = fork();
        if (child == 0) {
            close(pipe_ends[0]);
            _exit(compare(first_kernel, level, max_kernels, pipe_ends[1]));
        }
        close(pipe_ends[1]);
        std::string verdict_letters;
        for (char letter; ::read(pipe_ends[0], &letter, 1) == 1;) verdict_letters += letter;
        close(pipe_ends[0]);
        int child_status = 0;
        waitpid(child, &child_status, 0);
        has_last_process_reported_error_ =
            WIFEXITED(child_status) && WEXITSTATUS(child_status) == kExitAfterGpuError;
        return verdict_letters;
    }

    int compare(std::size_t first_kernel, int level, std::size_t max_kernels,
                int result_descriptor) const {
        const SimulatorFunctions simulator(options_.max_warp_instructions);
        for (std::size_t k = first_kernel; k < texts_.size() && k - first_kernel < max_kernels;
             ++k) {
            std::string line;
            if (!simulator) alarm(kHangSeconds);
            char verdict = has_expected_results(simulator, level, texts_[k], line)
                               ? kEqualResults
                               : kDifferentResults;
            const bool has_failed = line.starts_with("error");
            if (verdict == kDifferentResults && !has_failed && !simulator && level != 0) {
                std::string line_without_optimizer;
                if (has_expected_results(simulator, 0, texts_[k], line_without_optimizer))
                    verdict = kEqualWithoutOptimizer;
            }
            if (verdict != kEqualResults)
                std::cout << (verdict == kEqualWithoutOptimizer ? "optimiser: " : "") << line
                          << std::endl;
            if (::write(result_descriptor, &verdict, 1) != 1) return 1;
            if (!simulator && has_failed) return kExitAfterGpuError;
        }
        return 0;
    }

    bool has_expected_results(const SimulatorFunctions& simulator, int level,
                              const KernelText& text, std::string& line) const {
        Options options = options_;
        options.driver_optimization_level = level;
        line = run_and_format(simulator, options, text);
        const auto expected_hash = expected_hashes_.find(text.name);
        return expected_hash != expected_hashes_.end() &&
               line.starts_with("done " + text.name + " " + expected_hash->second);
    }

    /// Runs the kernel that crashed its process once more, without the optimizer, and returns the
    /// verdict.
    char rerun_without_optimizer(std::size_t index) {
        std::cout << "the kernel crashed or did not end: " << texts_[index].name << std::endl;
        const std::string letter = compare_in_child(index, 0, 1);
        return letter == std::string(1, kEqualResults) ? kEqualWithoutOptimizer : kCrashedProcess;
    }

    const Options& options_;
    const std::vector<KernelText>& texts_;
    const std::map<std::string, std::string> expected_hashes_;
    /// Whether the last process ended with an error rather than a crash.
    bool has_last_process_reported_error_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = read_options(argc, argv);
        std::vector<KernelText> texts;
        for (const std::string& file : options.kernel_files)
            for (KernelText& text : read_kernel_texts(file)) texts.push_back(std::move(text));
        if (!options.expected_file.empty()) return ResultComparison(options, texts).run();
        return run_all(options, texts);
    } catch (const std::exception& problem) {
        std::cerr << "campaign_run: " << problem.what() << "\n";
        return 2;
    }
}
