// campaign -- generates random kernels and compares the simulator with its plain mode.
//
// Builds on  generate_ptx and generate_cuda, campaign_run, and the simulator's
//            COALESCE_SIM_PLAIN=1.
// Idea       The plain mode has none of the simulator's optimizations, so it is easy to check by
//            reading. A kernel passes if both modes give the same results and counters and neither
//            reports an error. A kernel on which they differ is kept, reduced and shown.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "lab/campaign/cuda/cuda_kernels.h"
#include "lab/campaign/driver/compile.h"
#include "lab/campaign/driver/coverage.h"
#include "lab/campaign/driver/runs.h"
#include "lab/campaign/driver/shrink.h"
#include "lab/campaign/ptx/ptx_kernels.h"

using namespace coalesce::campaign;

namespace {

struct Options {
    u64 kernel_count = 300, first_seed = 1, kernels_to_shrink = 3;
    double max_seconds = 0;
    std::string only_language, folder_for_differences = "campaign-found", library_to_compare_with,
                               coverage_file, export_folder, ptx_file;
    std::string runner_path = CAMPAIGN_RUNNER, library_folder = CAMPAIGN_LIBRARY;
    bool stops_at_first_difference = false;
    int driver_optimization_level = -1;
    u32 parallel_processes = std::max(1u, std::thread::hardware_concurrency());
};

void add_options(CLI::App& app, Options& options) {
    // Define --seconds before --kernels. Setting --seconds removes the default limit on the number
    // of kernels, and a --kernels that is processed later sets it again, so that both limits apply.
    app.add_option("--seconds", options.max_seconds, "Run kernels for this many seconds")
        ->each([&](const std::string&) { options.kernel_count = ~u64{0}; });
    app.add_option("--kernels", options.kernel_count, "Number of kernels (default: 300)");
    app.add_option("--seed", options.first_seed, "First seed (default: 1)");
    app.add_option("--only", options.only_language,
                   "Generate only ptx (PTX directly) or cuda (CUDA C++, compiled by "
                   "every\ncompiler that is installed)")
        ->check(CLI::IsMember({"ptx", "cuda"}));
    app.add_option("--jobs", options.parallel_processes,
                   "Number of parallel processes (default: one per processor)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--first", options.stops_at_first_difference,
                 "Stop at the first kernel whose results differ");
    app.add_option("--folder", options.folder_for_differences,
                   "Folder for kernels whose results differ (default: campaign-found)");
    app.add_option("--shrink", options.kernels_to_shrink,
                   "Reduce the first N kernels whose results differ (default: 3; 0: none)");
    app.add_option("--against", options.library_to_compare_with,
                   "Compare with the plain mode of the libcudart.so.13 in this folder;\nif it is "
                   "NVIDIA's library, the kernels run on a GPU");
    app.add_option("--level", options.driver_optimization_level,
                   "Optimization level of the GPU's driver, 0 to 4")
        ->check(CLI::Range(0, 4));
    app.add_option("--coverage", options.coverage_file,
                   "Write to this file how often each instruction occurred");
    app.add_option(
        "--export", options.export_folder,
        "Write kernels for a GPU, with their expected results, into this folder,\nand run nothing");
    app.add_option("--file", options.ptx_file,
                   "Compare the simulator with its plain mode on the PTX kernel in this file");
    app.add_option("--runner", options.runner_path, "Path of another campaign_run")
        ->check(CLI::ExistingFile);
    app.add_option("--library", options.library_folder, "Path of another build of libcudart.so.13");
}

/// One in this many seeds generates a kernel in CUDA C++, unless --only is given. All other seeds
/// generate PTX.
constexpr u64 kSeedsPerCudaKernel = 4;

bool is_cuda_seed(const Options& options, u64 seed) {
    return options.only_language == "cuda" ||
           (options.only_language.empty() && seed % kSeedsPerCudaKernel == 0);
}

/// Returns the compilers. The first call, for the first kernel in CUDA C++, searches for them.
const Compilers& find_compilers_once() {
    static const Compilers compilers;
    return compilers;
}

/// Returns the mode that uses none of the simulator's optimizations.
SimulatorSettings make_plain_settings(const std::string& library_folder = "") {
    SimulatorSettings plain_settings;
    plain_settings.is_plain_mode = true;
    plain_settings.library = library_folder;
    return plain_settings;
}

/// Appends the cases for a seed's kernel: one if it is in PTX, or one per compiler if it is in CUDA
/// C++. Calls `report_failed_compilation` for each compiler that fails.
template <class ReportFailure>
void append_cases_for_seed(std::vector<KernelToRun>& cases, const Options& options, u64 seed,
                           const PtxOptions& ptx_options,
                           const ReportFailure& report_failed_compilation) {
    const std::string number = std::to_string(seed);
    if (!is_cuda_seed(options, seed)) {
        cases.push_back({.name = "ptx-" + number,
                         .configuration = "ptx",
                         .ptx = generate_ptx(seed, ptx_options)});
        return;
    }
    const std::string source = generate_cuda(seed);
    for (const std::string& configuration : find_compilers_once().configurations()) {
        const CompilationResult compilation = find_compilers_once().compile(source, configuration);
        const KernelToRun kernel_to_run{
            .name = configuration + "-" + number,
            .configuration = configuration,
            .ptx = source.substr(0, source.find('\n') + 1) + compilation.ptx,
            .source = source};
        if (compilation.error_message.empty())
            cases.push_back(kernel_to_run);
        else
            report_failed_compilation(kernel_to_run, compilation.error_message);
    }
}

/// A campaign's state, shared by its threads.
class Campaign {
public:
    explicit Campaign(const Options& options)
        : options_(options),
          runner_(options.runner_path, options.library_folder),
          plain_settings_(make_plain_settings(options.library_to_compare_with)),
          next_seed_(options.first_seed) {}

    int run() {
        if (options_.only_language == "cuda" && find_compilers_once().configurations().empty()) {
            std::cout << "no CUDA C++ compiler was found: neither NVRTC nor clang 19 or newer\n";
            return kSkippedExitCode;
        }
        std::vector<std::thread> threads;
        for (u32 k = 0; k < options_.parallel_processes; ++k)
            threads.emplace_back([this] { run_batches(); });
        for (std::thread& t : threads) t.join();
        print_summary();
        return kernels_that_differ_ ? 1 : 0;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr u64 kSeedsPerBatch = 40;
    static constexpr int kSkippedExitCode = 77;  ///< exit code that ctest reports as skipped
    static constexpr u64 kMaxShownPerMessage = 3;

    double seconds_since_start() const {
        return std::chrono::duration<double>(Clock::now() - start_time_).count();
    }

    void run_batches() {
        for (;;) {
            const u64 batch_first_seed = next_seed_.fetch_add(kSeedsPerBatch);
            const u64 finished_seeds = batch_first_seed - options_.first_seed;
            const bool is_time_limit_reached =
                options_.max_seconds > 0 && seconds_since_start() > options_.max_seconds;
            if (finished_seeds >= options_.kernel_count || is_time_limit_reached ||
                (options_.stops_at_first_difference && has_found_difference()))
                return;
            run_batch(batch_first_seed,
                      std::min(kSeedsPerBatch, options_.kernel_count - finished_seeds));
        }
    }

    bool has_found_difference() {
        const std::lock_guard lock(mutex_);
        return kernels_that_differ_ > 0;
    }

    /// Runs and compares the kernels of `count` seeds.
    void run_batch(u64 first_seed, u64 count) {
        std::vector<KernelToRun> cases;
        for (u64 seed = first_seed; seed < first_seed + count; ++seed) {
            append_cases_for_seed(cases, options_, seed, {},
                                  [&](const KernelToRun& c, const std::string& problem) {
                                      record_difference(c, "not compiled: " + problem,
                                                        SimulatorSettings{}, plain_settings_);
                                  });
        }
        compare_modes(cases, SimulatorSettings{}, plain_settings_);
        if (first_seed / kSeedsPerBatch % 4 ==
            0) {  // now and then, use two workers and a different warp order
            SimulatorSettings settings_with_two_threads;
            settings_with_two_threads.threads = 2;
            settings_with_two_threads.seed = first_seed + 1;
            compare_modes(cases, SimulatorSettings{}, settings_with_two_threads);
        }
        const std::lock_guard lock(mutex_);
        kernels_run_ += count;
        for (const KernelToRun& c : cases) {
            ++kernels_per_configuration_[c.configuration];
            coverage_.add(c.ptx);
        }
        if (seconds_since_start() > last_summary_seconds_ + 10) {
            last_summary_seconds_ = seconds_since_start();
            std::cout << kernels_run_ << " kernels in " << static_cast<int>(last_summary_seconds_)
                      << " s, " << kernels_that_differ_ << " differ" << std::endl;
        }
    }

    void compare_modes(const std::vector<KernelToRun>& cases, const SimulatorSettings& settings_a,
                       const SimulatorSettings& settings_b) {
        const std::vector<Outcome> outcomes_a = runner_.run(cases, settings_a),
                                   outcomes_b = runner_.run(cases, settings_b);
        for (std::size_t k = 0; k < cases.size(); ++k) {
            const std::string difference = describe_difference(outcomes_a[k], outcomes_b[k],
                                                               settings_a.seed == settings_b.seed);
            if (!difference.empty())
                record_difference(cases[k], difference, settings_a, settings_b);
        }
    }

    void record_difference(const KernelToRun& c, const std::string& difference,
                           const SimulatorSettings& a, const SimulatorSettings& b) {
        const std::lock_guard lock(mutex_);
        ++kernels_that_differ_;
        const auto folder = std::filesystem::absolute(options_.folder_for_differences) / c.name;
        std::filesystem::create_directories(folder);
        const auto kernel = folder / "kernel.ptx";
        coalesce::write_file(kernel, c.ptx);
        if (!c.source.empty()) coalesce::write_file(folder / "kernel.cu", c.source);
        const bool is_shown_often_enough =
            message_counts_[message_without_numbers(c, difference)]++ >= kMaxShownPerMessage;
        std::string text = c.name + ": " + difference + "\n";
        text += "  " + runner_.command(kernel, a) + "\n  " + runner_.command(kernel, b) + "\n";
        // Shrinking needs a difference between the modes; there is none if both report the same
        // problem.
        const bool is_difference_between_modes =
            difference.starts_with("results") || difference.starts_with("counters");
        if (is_difference_between_modes && !is_shown_often_enough &&
            kernels_shrunk_ < options_.kernels_to_shrink) {
            ++kernels_shrunk_;
            const auto shrunk_file = folder / "shrunk.ptx";
            coalesce::write_file(shrunk_file, shrink(runner_, c.ptx, a, b));
            text += "  reduced to: " + shrunk_file.string() + "\n";
        }
        coalesce::write_file(folder / "what.txt", text);
        if (!is_shown_often_enough) std::cout << text << std::flush;
    }

    /// Returns the message without its numbers, because one cause may produce hundreds of messages
    /// that differ only in numbers.
    static std::string message_without_numbers(const KernelToRun& c, const std::string& message) {
        std::string message_kind = c.configuration + ": " + message.substr(0, message.find('\n'));
        if (message.starts_with("counters")) message_kind = c.configuration + ": counters";
        std::erase_if(message_kind, [](char letter) { return letter >= '0' && letter <= '9'; });
        return message_kind;
    }

    void print_summary() {
        std::cout << kernels_run_ << " kernels in " << static_cast<int>(seconds_since_start())
                  << " s ("
                  << static_cast<int>(static_cast<double>(kernels_run_) / seconds_since_start())
                  << " per second), " << kernels_that_differ_ << " differ\n";
        for (const auto& [name, count] : kernels_per_configuration_)
            std::cout << "  " << name << ": " << count << "\n";
        std::cout << coverage_.summary(12);
        if (!options_.coverage_file.empty())
            coalesce::write_file(options_.coverage_file, coverage_.list());
        for (const auto& [sort, count] : message_counts_)
            std::cout << "  " << count << " times " << sort << "\n";
        if (kernels_that_differ_)
            std::cout << "the kernels whose results differ are in "
                      << options_.folder_for_differences << "\n";
    }

    const Options options_;
    const CampaignRunner runner_;
    const SimulatorSettings plain_settings_;
    std::atomic<u64> next_seed_;
    std::mutex mutex_;
    u64 kernels_run_ = 0, kernels_that_differ_ = 0, kernels_shrunk_ = 0;
    double last_summary_seconds_ = 0;
    std::map<std::string, u64> kernels_per_configuration_, message_counts_;
    InstructionCoverage coverage_;
    const Clock::time_point start_time_ = Clock::now();
};

int compare_kernel_in_file(const Options& options) {
    const CampaignRunner runner(options.runner_path, options.library_folder);
    SimulatorSettings plain_settings = make_plain_settings(options.library_to_compare_with);
    plain_settings.level = options.driver_optimization_level;
    const std::string text = coalesce::read_file(options.ptx_file);
    const std::vector<KernelToRun> kernels_to_run = {{.name = "kernel", .ptx = text}};
    const std::string difference =
        describe_difference(runner.run(kernels_to_run, SimulatorSettings{})[0],
                            runner.run(kernels_to_run, plain_settings)[0], true);
    if (difference.empty()) {
        std::cout << "equal\n";
        return 0;
    }
    std::cout << difference << "\n";
    if (options.kernels_to_shrink > 0) {
        const std::string shrunk_file = options.ptx_file + ".shrunk";
        coalesce::write_file(shrunk_file,
                             shrink(runner, text, SimulatorSettings{}, plain_settings));
        std::cout << "reduced to: " << shrunk_file << "\n";
    }
    return 1;
}

/// Exports kernels whose results do not depend on the device, with the results of the plain mode.
/// Returns the exit code.
int export_kernels(const Options& options) {
    const CampaignRunner runner(options.runner_path, options.library_folder);
    std::vector<KernelToRun> cases;
    const PtxOptions portable_options{.is_portable = true};
    for (u64 seed = options.first_seed; seed < options.first_seed + options.kernel_count; ++seed) {
        append_cases_for_seed(cases, options, seed, portable_options,
                              [](const KernelToRun&, const std::string&) {});
    }
    const std::vector<Outcome> outcomes = runner.run(cases, make_plain_settings());
    const std::filesystem::path folder = options.export_folder;
    std::filesystem::create_directories(folder);
    std::ofstream kernels_file(folder / "kernels.txt"), expected_file(folder / "expected.txt");
    std::size_t exported_kernels = 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        if (outcomes[k].status != Outcome::Status::done) continue;
        kernels_file << "//// " << cases[k].name << "\n" << cases[k].ptx;
        expected_file << cases[k].name << " " << outcomes[k].memory_hash << "\n";
        ++exported_kernels;
    }
    std::cout << exported_kernels << " kernels in " << folder.string()
              << "; run them on a machine with a GPU:\n"
              << "  campaign_run --expect expected.txt kernels.txt\n";
    return exported_kernels == cases.size() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Compares the simulator with its plain mode on random kernels", "campaign"};
    Options options;
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    try {
        if (!options.ptx_file.empty()) return compare_kernel_in_file(options);
        if (!options.export_folder.empty()) return export_kernels(options);
        return Campaign(options).run();
    } catch (const std::exception& error) {
        std::cerr << "campaign: " << error.what() << "\n";
        return 2;
    }
}
