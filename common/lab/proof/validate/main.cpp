// validate -- tests whether the simulator counts what the hardware counts, and reports what
// NVIDIA's checker reports.
//
// It first runs every kernel of the course at three shapes, and about a hundred random access
// patterns, both on the simulator and on the GPU under Nsight Compute, and compares all counters.
// It then compares the simulator's reports with those of compute-sanitizer's four tools on the
// suite of seeded bugs. With --time, it compares predicted and measured times instead (times.h).

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <thread>

#include "base/child.h"
#include "base/errors.h"
#include "base/files.h"
#include "harness/device.h"
#include "harness/result.h"
#include "harness/text.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"
#include "lab/proof/validate/bug_suite.h"
#include "lab/proof/validate/compare_counters.h"
#include "lab/proof/validate/judges.h"
#include "lab/proof/validate/literature.h"
#include "lab/proof/validate/times.h"
#include "lab/proof/validate/tools.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

const std::string kRepository = COALESCE_REPOSITORY;

struct CommandLine {
    int patterns = 240, matrices = 60, jobs = 0;
    std::uint64_t seed = 1;
    bool counters_only = false, bugs_only = false;
    std::string json, commit, ncu_output, keep, recorded;
    bool steps = true;
    TimeComparisonOptions times;
    CLI::Option* time = nullptr;
};

/// Adds the options for --time, which compares the time model with a GPU instead of the counters.
void add_time_options(CLI::App& app, TimeComparisonOptions& words, CLI::Option*& time) {
    time = app.add_option("--time", words.gpu,
                          "Compare predicted times with measured ones instead,\nfor this GPU "
                          "(default: this computer's GPU, or docs/results)");
    time->type_name("GPU")->expected(0, 1);
    app.add_option("--lesson", words.lessons,
                   "with --time: compare only these lessons (default: all lessons,\nand the "
                   "kernels of the search)");
    app.add_option("--sizes", words.sizes,
                   "with --time: list of ROWSxCOLS (default: " + words.sizes + ")");
    app.add_flag("--published", words.published,
                 "with --time: use docs/results even if there is a GPU");
    app.add_flag("--no-search", words.no_search, "with --time: compare only the lessons");
    app.add_option(
        "--against", words.against,
        "with --time: use the times in these files from another\nrun instead of predictions");
    app.add_flag("--literature", words.literature,
                 "with --time: compare with published times of other GPUs");
    app.add_flag("--tables", words.tables, "with --literature: update the table in the book");
    app.add_flag("--check-tables", words.are_tables_current,
                 "with --literature: check whether the table in the book is current");
    app.add_option("--limit", words.limit,
                   "with --time: fail if the median error exceeds this percentage");
    app.add_option("--markdown", words.markdown, "with --time: write the tables to this file");
    app.add_option("--svg", words.svg, "with --time: write the picture to this file");
}

void add_options(CLI::App& app, CommandLine& words) {
    app.add_option("--patterns", words.patterns, "Number of random access patterns (default: 240)")
        ->check(CLI::Range(1, 100000));
    app.add_option("--matrices", words.matrices,
                   "Number of random patterns of small matrices (default: 60)")
        ->check(CLI::Range(0, 100000));
    app.add_option("--seed", words.seed, "Seed of the random patterns (default: 1)");
    app.add_flag("--counters", words.counters_only, "Compare only the counters, with ncu");
    app.add_flag("--bugs", words.bugs_only, "Compare only the seeded bugs, with compute-sanitizer");
    app.add_option("--jobs", words.jobs,
                   "Number of parallel checkers (default: one per core, at most 12)")
        ->check(CLI::Range(1, 256));
    app.add_option("--json", words.json,
                   "File for the results (default: docs/results/validation/results.json)");
    app.add_option("--commit", words.commit, "Commit to record, if git cannot report it");
    app.add_option("--keep", words.keep, "Save the output of ncu in this file");
    app.add_option("--ncu-output", words.ncu_output,
                   "Read the output of ncu from this file (see --keep) instead of running ncu");
    app.add_option("--recorded", words.recorded,
                   "Compare with counters that were recorded on a GPU; needs no GPU");
    add_time_options(app, words.times, words.time);
}

class Validation {
public:
    explicit Validation(CommandLine words) : words_(std::move(words)) {}

    int run_all() {
        find_tools();
        Json json{{"run", description()}};
        bool is_good = true;
        if (!words_.bugs_only) is_good &= run_counters(json);
        if (!words_.counters_only) is_good &= run_bugs(json);
        json["run"]["seconds"] = rounded(seconds_since_start(), 1);
        const std::string file = json_file();
        write_file(file, json_text(json));
        std::cout << "Written to " << file << "\n";
        return is_good ? exit_right : exit_wrong;
    }

    /// Compares the simulator with a recorded run, on the same cases. Returns the exit code.
    int compare_with_recorded() {
        const Json recorded = Json::parse(read_file(words_.recorded));
        const Json& run = recorded.at("run");
        words_.seed = run.at("seed"), words_.patterns = run.at("patterns");
        words_.matrices = run.at("matrices"), words_.steps = run.at("steps");
        const Json& launches = recorded.at("launches");
        const std::vector<Difference> differences = compare_recorded(simulate_cases(), launches);
        for (const Difference& one : differences) {
            std::cout << format("%s: %s is %.0f simulated, %.0f measured\n", one.name.c_str(),
                                one.counter.c_str(), one.simulated, one.measured);
        }
        std::cout << format("%zu launches, %zu counters differ from those of an %s\n",
                            launches.size(), differences.size(),
                            run.at("device").get<std::string>().c_str());
        return differences.empty() && !launches.empty() ? exit_right : exit_wrong;
    }

private:
    /// Checks all requirements first, so that the run does not stop halfway.
    void find_tools() {
        check_writable(json_file());
        const bool needs_gpu = words_.ncu_output.empty() || !words_.counters_only;
        const std::string why = needs_gpu ? find_gpu_problem() : "";
        if (!why.empty()) {
            throw UsageError("no GPU works here (" + why +
                             "), and a GPU is needed to validate the simulator");
        }
        if (!words_.bugs_only && words_.ncu_output.empty()) ncu_ = find_tool("ncu");
        if (!words_.counters_only) sanitizer_ = find_tool("compute-sanitizer");
    }

    std::string json_file() const {
        if (!words_.json.empty()) return words_.json;
        const fs::path folder = fs::path(kRepository) / "docs/results/validation";
        fs::create_directories(folder);
        return folder / "results.json";
    }

    Json description() const {
        const Json machine = ask_nvidia_smi();
        Json json = run_record(words_.commit,
                               {{"device", machine.value("name", "unknown")},
                                {"driver_version", machine.value("driver_version", "unknown")}});
        if (!ncu_.empty()) json["ncu"] = tool_version(ncu_);
        if (!sanitizer_.empty()) json["compute_sanitizer"] = tool_version(sanitizer_);
        return json;
    }

    std::vector<std::string> launches(const std::string& device, const fs::path& json) const {
        const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
        return {folder / "launches",
                "--device",
                device,
                words_.steps ? "--steps" : "--no-steps",
                "--patterns",
                std::to_string(words_.patterns),
                "--matrices",
                std::to_string(words_.matrices),
                "--seed",
                std::to_string(words_.seed),
                "--json",
                json};
    }

    /// Returns the simulator's counters for every case.
    Json simulate_cases() const {
        const TemporaryFolder folder;
        const fs::path json = folder / "simulated.json";
        const ProcessResult ended = run_child(launches("sim", json), 600);
        if (ended.exit_code != 0) {
            throw std::runtime_error("launches --device sim failed:\n" + ended.output);
        }
        return Json::parse(read_file(json)).at("cases");
    }

    std::string profile_cases() const {
        if (!words_.ncu_output.empty()) return read_file(words_.ncu_output);
        const fs::path json = fs::path(json_file() + ".launched");
        const std::string text = profile(ncu_, launches("gpu", json));
        fs::remove(json);
        if (!words_.keep.empty()) write_file(words_.keep, text);
        return text;
    }

    bool run_counters(Json& json) const {
        const Json cases = simulate_cases();
        print_progress(std::to_string(cases.size()) + " launches are simulated");
        const std::vector<ProfiledLaunch> profiled = parse_ncu_csv(profile_cases());
        print_progress("and profiled");
        const CounterComparison comparison = compare_counters(cases, profiled);
        std::cout << to_text(comparison)
                  << (comparison.is_equal() ? "The simulator counts what the hardware counts.\n\n"
                                            : "The simulator and the hardware DIFFER.\n\n");
        json["counters"] = to_json(comparison, cases, profiled);
        json["run"]["seed"] = words_.seed;
        json["run"]["patterns"] = words_.patterns;
        json["run"]["matrices"] = words_.matrices;
        return comparison.is_equal();
    }

    bool run_bugs(Json& json) const {
        const auto cores = static_cast<int>(std::thread::hardware_concurrency());
        const int jobs = words_.jobs > 0 ? words_.jobs : std::clamp(cores, 1, 12);
        double said = seconds_since_start();
        const auto tell = [&said](std::size_t done, std::size_t all) {
            if (seconds_since_start() - said < 10 && done < all) return;
            said = seconds_since_start();
            print_progress(std::to_string(done) + " of " + std::to_string(all) + " verdicts");
        };
        const std::vector<JudgedCase> judged =
            judge(read_suite(kRepository + "/common/simulator/tests"), sanitizer_, jobs, tell);
        std::cout << to_text(judged) << "\n";
        json["bugs"] = to_json(judged);
        return meets_guarantees(judged);
    }

    CommandLine words_;
    std::string ncu_, sanitizer_;
};

int run(const CommandLine& words, char**) {
    TimeComparisonOptions times = words.times;
    times.json = words.json;
    if (!words.recorded.empty()) return Validation(words).compare_with_recorded();
    if (words.time->count() == 0) return Validation(words).run_all();
    return times.literature ? validate_literature(times) : validate_times(times);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        "validate", "Compares the simulator with Nsight Compute and compute-sanitizer on this GPU",
        argc, argv, add_options, run);
}
