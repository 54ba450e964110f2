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
    u64 kernels = 300, seed = 1, shrink = 3;
    double seconds = 0;
    std::string only, folder = "campaign-found", against, coverage, export_to, file;
    std::string runner = CAMPAIGN_RUNNER, library = CAMPAIGN_LIBRARY;
    bool first = false;
    int level = -1;
    u32 jobs = std::max(1u, std::thread::hardware_concurrency());
};

void add_options(CLI::App& app, Options& options) {
    // Define --seconds before --kernels. Setting --seconds removes the default limit on the number
    // of kernels, and a --kernels that is processed later sets it again, so that both limits apply.
    app.add_option("--seconds", options.seconds, "Run kernels for this many seconds")
        ->each([&](const std::string&) { options.kernels = ~u64{0}; });
    app.add_option("--kernels", options.kernels, "Number of kernels (default: 300)");
    app.add_option("--seed", options.seed, "First seed (default: 1)");
    app.add_option("--only", options.only,
                   "Generate only ptx (PTX directly) or cuda (CUDA C++, compiled by "
                   "every\ncompiler that is installed)")
        ->check(CLI::IsMember({"ptx", "cuda"}));
    app.add_option("--jobs", options.jobs,
                   "Number of parallel processes (default: one per processor)")
        ->check(CLI::PositiveNumber);
    app.add_flag("--first", options.first, "Stop at the first kernel whose results differ");
    app.add_option("--folder", options.folder,
                   "Folder for kernels whose results differ (default: campaign-found)");
    app.add_option("--shrink", options.shrink,
                   "Reduce the first N kernels whose results differ (default: 3; 0: none)");
    app.add_option("--against", options.against,
                   "Compare with the plain mode of the libcudart.so.13 in this folder;\nif it is "
                   "NVIDIA's library, the kernels run on a GPU");
    app.add_option("--level", options.level, "Optimization level of the GPU's driver, 0 to 4")
        ->check(CLI::Range(0, 4));
    app.add_option("--coverage", options.coverage,
                   "Write to this file how often each instruction occurred");
    app.add_option(
        "--export", options.export_to,
        "Write kernels for a GPU, with their expected results, into this folder,\nand run nothing");
    app.add_option("--file", options.file,
                   "Compare the simulator with its plain mode on the PTX kernel in this file");
    app.add_option("--runner", options.runner, "Path of another campaign_run")
        ->check(CLI::ExistingFile);
    app.add_option("--library", options.library, "Path of another build of libcudart.so.13");
}

/// One in this many seeds generates a kernel in CUDA C++, unless --only is given. All other seeds
/// generate PTX.
constexpr u64 kSeedsPerCudaKernel = 4;

bool is_cuda(const Options& options, u64 seed) {
    return options.only == "cuda" || (options.only.empty() && seed % kSeedsPerCudaKernel == 0);
}

/// Returns the compilers. The first call, for the first kernel in CUDA C++, searches for them.
const Compilers& compilers() {
    static const Compilers found;
    return found;
}

/// Returns the mode that uses none of the simulator's optimizations.
SimulatorSettings plain_settings(const std::string& library = "") {
    SimulatorSettings plain;
    plain.plain = true;
    plain.library = library;
    return plain;
}

/// Appends the cases for a seed's kernel: one if it is in PTX, or one per compiler if it is in CUDA
/// C++. Calls `not_compiled` for each compiler that fails.
template <class Told>
void add_cases(std::vector<KernelToRun>& cases, const Options& options, u64 seed,
               const PtxOptions& how, const Told& not_compiled) {
    const std::string number = std::to_string(seed);
    if (!is_cuda(options, seed)) {
        cases.push_back(
            {.name = "ptx-" + number, .configuration = "ptx", .ptx = generate_ptx(seed, how)});
        return;
    }
    const std::string source = generate_cuda(seed);
    for (const std::string& configuration : compilers().configurations()) {
        const Compiled compiled = compilers().compile(source, configuration);
        const KernelToRun one{.name = configuration + "-" + number,
                              .configuration = configuration,
                              .ptx = source.substr(0, source.find('\n') + 1) + compiled.ptx,
                              .source = source};
        if (compiled.problem.empty())
            cases.push_back(one);
        else
            not_compiled(one, compiled.problem);
    }
}

/// A campaign's state, shared by its threads.
class Campaign {
public:
    explicit Campaign(const Options& options)
        : options_(options),
          runner_(options.runner, options.library),
          plain_(plain_settings(options.against)),
          next_(options.seed) {}

    int run() {
        if (options_.only == "cuda" && compilers().configurations().empty()) {
            std::cout << "no CUDA C++ compiler was found: neither NVRTC nor clang 19 or newer\n";
            return kSkippedExitCode;
        }
        std::vector<std::thread> threads;
        for (u32 k = 0; k < options_.jobs; ++k) threads.emplace_back([this] { run_batches(); });
        for (std::thread& t : threads) t.join();
        print_summary();
        return mismatches_ ? 1 : 0;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr u64 kBatch = 40;
    static constexpr int kSkippedExitCode = 77;  ///< exit code that ctest reports as skipped
    static constexpr u64 kMaxShownPerMessage = 3;

    double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

    void run_batches() {
        for (;;) {
            const u64 first = next_.fetch_add(kBatch);
            const u64 done = first - options_.seed;
            const bool out_of_time = options_.seconds > 0 && seconds() > options_.seconds;
            if (done >= options_.kernels || out_of_time || (options_.first && has_found())) return;
            run_batch(first, std::min(kBatch, options_.kernels - done));
        }
    }

    bool has_found() {
        const std::lock_guard lock(mutex_);
        return mismatches_ > 0;
    }

    /// Runs and compares the kernels of `count` seeds.
    void run_batch(u64 first, u64 count) {
        std::vector<KernelToRun> cases;
        for (u64 seed = first; seed < first + count; ++seed) {
            add_cases(
                cases, options_, seed, {}, [&](const KernelToRun& c, const std::string& problem) {
                    record_difference(c, "not compiled: " + problem, SimulatorSettings{}, plain_);
                });
        }
        compare(cases, SimulatorSettings{}, plain_);
        if (first / kBatch % 4 == 0) {  // now and then, use two workers and a different warp order
            SimulatorSettings other;
            other.threads = 2;
            other.seed = first + 1;
            compare(cases, SimulatorSettings{}, other);
        }
        const std::lock_guard lock(mutex_);
        kernels_ += count;
        for (const KernelToRun& c : cases) {
            ++configurations_[c.configuration];
            coverage_.add(c.ptx);
        }
        if (seconds() > last_summary_seconds_ + 10) {
            last_summary_seconds_ = seconds();
            std::cout << kernels_ << " kernels in " << static_cast<int>(last_summary_seconds_)
                      << " s, " << mismatches_ << " differ" << std::endl;
        }
    }

    void compare(const std::vector<KernelToRun>& cases, const SimulatorSettings& a,
                 const SimulatorSettings& b) {
        const std::vector<Outcome> first = runner_.run(cases, a), second = runner_.run(cases, b);
        for (std::size_t k = 0; k < cases.size(); ++k) {
            const std::string what = describe_difference(first[k], second[k], a.seed == b.seed);
            if (!what.empty()) record_difference(cases[k], what, a, b);
        }
    }

    void record_difference(const KernelToRun& c, const std::string& what,
                           const SimulatorSettings& a, const SimulatorSettings& b) {
        const std::lock_guard lock(mutex_);
        ++mismatches_;
        const auto folder = std::filesystem::absolute(options_.folder) / c.name;
        std::filesystem::create_directories(folder);
        const auto kernel = folder / "kernel.ptx";
        coalesce::write_file(kernel, c.ptx);
        if (!c.source.empty()) coalesce::write_file(folder / "kernel.cu", c.source);
        const bool is_known = message_counts_[strip_numbers(c, what)]++ >= kMaxShownPerMessage;
        std::string text = c.name + ": " + what + "\n";
        text += "  " + runner_.command(kernel, a) + "\n  " + runner_.command(kernel, b) + "\n";
        // Shrinking needs a difference between the modes; there is none if both report the same
        // problem.
        const bool one_is_wrong = what.starts_with("results") || what.starts_with("counters");
        if (one_is_wrong && !is_known && shrunk_ < options_.shrink) {
            ++shrunk_;
            const auto small = folder / "shrunk.ptx";
            coalesce::write_file(small, shrink(runner_, c.ptx, a, b));
            text += "  reduced to: " + small.string() + "\n";
        }
        coalesce::write_file(folder / "what.txt", text);
        if (!is_known) std::cout << text << std::flush;
    }

    /// Returns the message without its numbers, because one cause may produce hundreds of messages
    /// that differ only in numbers.
    static std::string strip_numbers(const KernelToRun& c, const std::string& what) {
        std::string sort = c.configuration + ": " + what.substr(0, what.find('\n'));
        if (what.starts_with("counters")) sort = c.configuration + ": counters";
        std::erase_if(sort, [](char letter) { return letter >= '0' && letter <= '9'; });
        return sort;
    }

    void print_summary() {
        std::cout << kernels_ << " kernels in " << static_cast<int>(seconds()) << " s ("
                  << static_cast<int>(static_cast<double>(kernels_) / seconds()) << " per second), "
                  << mismatches_ << " differ\n";
        for (const auto& [name, count] : configurations_)
            std::cout << "  " << name << ": " << count << "\n";
        std::cout << coverage_.summary(12);
        if (!options_.coverage.empty()) coalesce::write_file(options_.coverage, coverage_.list());
        for (const auto& [sort, count] : message_counts_)
            std::cout << "  " << count << " times " << sort << "\n";
        if (mismatches_)
            std::cout << "the kernels whose results differ are in " << options_.folder << "\n";
    }

    const Options options_;
    const CampaignRunner runner_;
    const SimulatorSettings plain_;
    std::atomic<u64> next_;
    std::mutex mutex_;
    u64 kernels_ = 0, mismatches_ = 0, shrunk_ = 0;
    double last_summary_seconds_ = 0;
    std::map<std::string, u64> configurations_, message_counts_;
    Coverage coverage_;
    const Clock::time_point begin_ = Clock::now();
};

int compare_file(const Options& options) {
    const CampaignRunner runner(options.runner, options.library);
    SimulatorSettings plain = plain_settings(options.against);
    plain.level = options.level;
    const std::string text = coalesce::read_file(options.file);
    const std::vector<KernelToRun> one = {{.name = "kernel", .ptx = text}};
    const std::string what = describe_difference(runner.run(one, SimulatorSettings{})[0],
                                                 runner.run(one, plain)[0], true);
    if (what.empty()) {
        std::cout << "equal\n";
        return 0;
    }
    std::cout << what << "\n";
    if (options.shrink > 0) {
        const std::string small = options.file + ".shrunk";
        coalesce::write_file(small, shrink(runner, text, SimulatorSettings{}, plain));
        std::cout << "reduced to: " << small << "\n";
    }
    return 1;
}

/// Exports kernels whose results do not depend on the device, with the results of the plain mode.
/// Returns the exit code.
int export_kernels(const Options& options) {
    const CampaignRunner runner(options.runner, options.library);
    std::vector<KernelToRun> cases;
    const PtxOptions everywhere{.is_portable = true};
    for (u64 seed = options.seed; seed < options.seed + options.kernels; ++seed) {
        add_cases(cases, options, seed, everywhere, [](const KernelToRun&, const std::string&) {});
    }
    const std::vector<Outcome> outcomes = runner.run(cases, plain_settings());
    const std::filesystem::path folder = options.export_to;
    std::filesystem::create_directories(folder);
    std::ofstream kernels(folder / "kernels.txt"), expected(folder / "expected.txt");
    std::size_t good = 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        if (outcomes[k].status != Outcome::Status::done) continue;
        kernels << "//// " << cases[k].name << "\n" << cases[k].ptx;
        expected << cases[k].name << " " << outcomes[k].results << "\n";
        ++good;
    }
    std::cout << good << " kernels in " << folder.string()
              << "; run them on a machine with a GPU:\n"
              << "  campaign_run --expect expected.txt kernels.txt\n";
    return good == cases.size() ? 0 : 1;
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
        if (!options.file.empty()) return compare_file(options);
        if (!options.export_to.empty()) return export_kernels(options);
        return Campaign(options).run();
    } catch (const std::exception& problem) {
        std::cerr << "campaign: " << problem.what() << "\n";
        return 2;
    }
}
