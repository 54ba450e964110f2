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
    int access_pattern_count = 240, matrix_pattern_count = 60, parallel_jobs = 0;
    std::uint64_t seed = 1;
    bool compares_only_counters = false, compares_only_bugs = false;
    std::string json, source_commit, ncu_output_file, file_for_ncu_output, recorded_counters_file;
    bool includes_steps = true;
    TimeComparisonOptions time_options;
    CLI::Option* time_option = nullptr;
};

/// Adds the options for --time, which compares the time model with a GPU instead of the counters.
void add_time_options(CLI::App& app, TimeComparisonOptions& options, CLI::Option*& time_option) {
    time_option =
        app.add_option("--time", options.gpu,
                       "Compare predicted times with measured ones instead,\nfor this GPU "
                       "(default: this computer's GPU, or docs/results)");
    time_option->type_name("GPU")->expected(0, 1);
    app.add_option("--lesson", options.lesson_names,
                   "with --time: compare only these lessons (default: all lessons,\nand the "
                   "kernels of the search)");
    app.add_option("--sizes", options.sizes,
                   "with --time: list of ROWSxCOLS (default: " + options.sizes + ")");
    app.add_flag("--published", options.uses_published_times,
                 "with --time: use docs/results even if there is a GPU");
    app.add_flag("--no-search", options.excludes_search, "with --time: compare only the lessons");
    app.add_option(
        "--against", options.result_files_to_compare,
        "with --time: use the times in these files from another\nrun instead of predictions");
    app.add_flag("--literature", options.compares_with_literature,
                 "with --time: compare with published times of other GPUs");
    app.add_flag("--tables", options.updates_tables,
                 "with --literature: update the table in the book");
    app.add_flag("--check-tables", options.checks_tables,
                 "with --literature: check whether the table in the book is current");
    app.add_option("--limit", options.max_median_error_percent,
                   "with --time: fail if the median error exceeds this percentage");
    app.add_option("--markdown", options.markdown_file,
                   "with --time: write the tables to this file");
    app.add_option("--svg", options.svg_file, "with --time: write the picture to this file");
}

void add_options(CLI::App& app, CommandLine& options) {
    app.add_option("--patterns", options.access_pattern_count,
                   "Number of random access patterns (default: 240)")
        ->check(CLI::Range(1, 100000));
    app.add_option("--matrices", options.matrix_pattern_count,
                   "Number of random patterns of small matrices (default: 60)")
        ->check(CLI::Range(0, 100000));
    app.add_option("--seed", options.seed, "Seed of the random patterns (default: 1)");
    app.add_flag("--counters", options.compares_only_counters,
                 "Compare only the counters, with ncu");
    app.add_flag("--bugs", options.compares_only_bugs,
                 "Compare only the seeded bugs, with compute-sanitizer");
    app.add_option("--jobs", options.parallel_jobs,
                   "Number of parallel checkers (default: one per core, at most 12)")
        ->check(CLI::Range(1, 256));
    app.add_option("--json", options.json,
                   "File for the results (default: docs/results/validation/results.json)");
    app.add_option("--commit", options.source_commit, "Commit to record, if git cannot report it");
    app.add_option("--keep", options.file_for_ncu_output, "Save the output of ncu in this file");
    app.add_option("--ncu-output", options.ncu_output_file,
                   "Read the output of ncu from this file (see --keep) instead of running ncu");
    app.add_option("--recorded", options.recorded_counters_file,
                   "Compare with counters that were recorded on a GPU; needs no GPU");
    add_time_options(app, options.time_options, options.time_option);
}

class SimulatorValidation {
public:
    explicit SimulatorValidation(CommandLine words) : options_(std::move(words)) {}

    int run_all() {
        check_gpu_and_find_tools();
        Json json{{"run", description()}};
        bool has_succeeded = true;
        if (!options_.compares_only_bugs) has_succeeded &= compare_all_counters(json);
        if (!options_.compares_only_counters) has_succeeded &= judge_all_bugs(json);
        json["run"]["seconds"] = rounded(seconds_since_start(), 1);
        const std::string file = results_file();
        write_file(file, json_text(json));
        std::cout << "Written to " << file << "\n";
        return has_succeeded ? exit_right : exit_wrong;
    }

    /// Compares the simulator with a recorded run, on the same cases. Returns the exit code.
    int compare_with_recorded() {
        const Json recorded_run = Json::parse(read_file(options_.recorded_counters_file));
        const Json& run = recorded_run.at("run");
        options_.seed = run.at("seed"), options_.access_pattern_count = run.at("patterns");
        options_.matrix_pattern_count = run.at("matrices"),
        options_.includes_steps = run.at("steps");
        const Json& recorded_launches = recorded_run.at("launches");
        const std::vector<CounterDifference> differences =
            compare_with_recorded_counters(simulate_cases(), recorded_launches);
        for (const CounterDifference& difference : differences) {
            std::cout << format("%s: %s is %.0f simulated, %.0f measured\n",
                                difference.name.c_str(), difference.counter.c_str(),
                                difference.simulated, difference.measured);
        }
        std::cout << format("%zu launches, %zu counters differ from those of an %s\n",
                            recorded_launches.size(), differences.size(),
                            run.at("device").get<std::string>().c_str());
        return differences.empty() && !recorded_launches.empty() ? exit_right : exit_wrong;
    }

private:
    /// Checks all requirements first, so that the run does not stop halfway.
    void check_gpu_and_find_tools() {
        check_writable(results_file());
        const bool needs_gpu = options_.ncu_output_file.empty() || !options_.compares_only_counters;
        const std::string why = needs_gpu ? find_gpu_problem() : "";
        if (!why.empty()) {
            throw UsageError("no GPU works here (" + why +
                             "), and a GPU is needed to validate the simulator");
        }
        if (!options_.compares_only_bugs && options_.ncu_output_file.empty())
            ncu_path_ = find_tool("ncu");
        if (!options_.compares_only_counters) sanitizer_path_ = find_tool("compute-sanitizer");
    }

    std::string results_file() const {
        if (!options_.json.empty()) return options_.json;
        const fs::path folder = fs::path(kRepository) / "docs/results/validation";
        fs::create_directories(folder);
        return folder / "results.json";
    }

    Json description() const {
        const Json machine = query_gpu_state();
        Json json =
            make_run_record(options_.source_commit,
                            {{"device", machine.value("name", "unknown")},
                             {"driver_version", machine.value("driver_version", "unknown")}});
        if (!ncu_path_.empty()) json["ncu"] = read_tool_version(ncu_path_);
        if (!sanitizer_path_.empty())
            json["compute_sanitizer"] = read_tool_version(sanitizer_path_);
        return json;
    }

    std::vector<std::string> launches_command(const std::string& device,
                                              const fs::path& json) const {
        const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
        return {folder / "launches",
                "--device",
                device,
                options_.includes_steps ? "--steps" : "--no-steps",
                "--patterns",
                std::to_string(options_.access_pattern_count),
                "--matrices",
                std::to_string(options_.matrix_pattern_count),
                "--seed",
                std::to_string(options_.seed),
                "--json",
                json};
    }

    /// Returns the simulator's counters for every case.
    Json simulate_cases() const {
        const TemporaryFolder folder;
        const fs::path json = folder / "simulated.json";
        const ProcessResult process_result = run_child(launches_command("sim", json), 600);
        if (process_result.exit_code != 0) {
            throw std::runtime_error("launches --device sim failed:\n" + process_result.output);
        }
        return Json::parse(read_file(json)).at("cases");
    }

    std::string profile_cases() const {
        if (!options_.ncu_output_file.empty()) return read_file(options_.ncu_output_file);
        const fs::path json = fs::path(results_file() + ".launched");
        const std::string text = profile_all_metrics(ncu_path_, launches_command("gpu", json));
        fs::remove(json);
        if (!options_.file_for_ncu_output.empty()) write_file(options_.file_for_ncu_output, text);
        return text;
    }

    bool compare_all_counters(Json& json) const {
        const Json cases = simulate_cases();
        print_progress(std::to_string(cases.size()) + " launches are simulated");
        const std::vector<ProfiledLaunch> profiled_launches = parse_ncu_csv(profile_cases());
        print_progress("and profiled");
        const CounterComparison comparison = compare_counters(cases, profiled_launches);
        std::cout << to_text(comparison)
                  << (comparison.is_equal() ? "The simulator counts what the hardware counts.\n\n"
                                            : "The simulator and the hardware DIFFER.\n\n");
        json["counters"] = to_json(comparison, cases, profiled_launches);
        json["run"]["seed"] = options_.seed;
        json["run"]["patterns"] = options_.access_pattern_count;
        json["run"]["matrices"] = options_.matrix_pattern_count;
        return comparison.is_equal();
    }

    bool judge_all_bugs(Json& json) const {
        const auto core_count = static_cast<int>(std::thread::hardware_concurrency());
        const int parallel_jobs =
            options_.parallel_jobs > 0 ? options_.parallel_jobs : std::clamp(core_count, 1, 12);
        double last_report_seconds = seconds_since_start();
        const auto report_progress = [&last_report_seconds](std::size_t finished_opinions,
                                                            std::size_t opinion_count) {
            if (seconds_since_start() - last_report_seconds < 10 &&
                finished_opinions < opinion_count)
                return;
            last_report_seconds = seconds_since_start();
            print_progress(std::to_string(finished_opinions) + " of " +
                           std::to_string(opinion_count) + " verdicts");
        };
        const std::vector<JudgedCase> judged_cases =
            judge_suite(read_suite(kRepository + "/common/simulator/tests"), sanitizer_path_,
                        parallel_jobs, report_progress);
        std::cout << to_text(judged_cases) << "\n";
        json["bugs"] = to_json(judged_cases);
        return meets_guarantees(judged_cases);
    }

    CommandLine options_;
    std::string ncu_path_, sanitizer_path_;
};

int run(const CommandLine& options, char**) {
    TimeComparisonOptions comparison_options = options.time_options;
    comparison_options.json = options.json;
    if (!options.recorded_counters_file.empty())
        return SimulatorValidation(options).compare_with_recorded();
    if (options.time_option->count() == 0) return SimulatorValidation(options).run_all();
    return comparison_options.compares_with_literature
               ? validate_literature(comparison_options)
               : compare_times_and_report(comparison_options);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        "validate", "Compares the simulator with Nsight Compute and compute-sanitizer on this GPU",
        argc, argv, add_options, run);
}
