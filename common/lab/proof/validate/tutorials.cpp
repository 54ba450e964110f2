// tutorials -- tests, on kernels from courses and tutorials, whether the simulator counts what the
// hardware counts, and whether the measured times are within the predicted bands.
//
// With --measure, on a GPU, it runs each program of common/lab/proof/tests/tutorial, alone and
// under Nsight Compute, and writes docs/results/tutorial. With --measure-again, it adds the
// variation of counters between runs to these results. Otherwise it runs the programs on the
// simulator, on any machine, and compares the results.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "base/child.h"
#include "base/files.h"
#include "harness/device.h"
#include "lab/proof/bench/machine.h"
#include "lab/proof/run_program.h"
#include "lab/proof/validate/tools.h"
#include "lab/proof/validate/tutorial_comparison.h"
#include "lab/proof/validate/tutorial_record.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

constexpr double kMaxProgramSeconds = 300, kMaxSimulatorSeconds = 600;

const fs::path kRepository = COALESCE_REPOSITORY;

struct CommandLine {
    bool measures_on_gpu = false, compares_times = false, compares_held_back = false;
    std::string record_folder = kRepository / "docs/results/tutorial", programs_folder,
                library_to_compare, ncu_output_folder, folder_for_ncu_output, gpu = "H200", commit,
                known = kRepository / "common/lab/proof/tests/tutorial/known_differences.txt";
    std::vector<std::string> selected_themes, selected_kernels;
    double min_equal_fraction = 0, min_repeatable_fraction = 0, min_within_fraction = 0;
    std::size_t launches_per_kernel = 0;
};

void add_options(CLI::App& app, CommandLine& options) {
    app.add_flag("--measure", options.measures_on_gpu,
                 "Measure on this GPU, with ncu, and write the record");
    app.add_option("--measure-again", options.launches_per_kernel,
                   "Run the kernels this many more times under ncu, and add to the\nrecord the "
                   "range of each counter that differs between runs");
    app.add_option("--record", options.record_folder,
                   "The folder of the record (default: docs/results/tutorial)");
    app.add_option(
        "--programs", options.programs_folder,
        "The folder of the programs (default: the folder tutorial\nbeside this program)");
    app.add_option("--theme", options.selected_themes, "Compare only these themes")
        ->check(CLI::IsMember(list_tutorial_themes()));
    app.add_option("--only", options.selected_kernels,
                   "Compare only these kernels (not with --measure)");
    app.add_flag("--time", options.compares_times, "Also compare predicted times, at full size");
    app.add_option("--gpu", options.gpu, "GPU to predict times for (default: H200)");
    app.add_flag("--held-back", options.compares_held_back,
                 "Also use the held-back times. They are for testing the model, and must\nnot be "
                 "used to improve it");
    app.add_option("--against", options.library_to_compare,
                   "Compare with the simulated counters of the same programs in\nthis folder, and "
                   "not with the record")
        ->check(CLI::ExistingDirectory);
    app.add_option("--known", options.known,
                   "File of known differences (default: known_differences.txt)")
        ->check(CLI::ExistingFile);
    app.add_option("--least-equal", options.min_equal_fraction,
                   "Fail if less than this percentage of the kernels have equal counters");
    app.add_option("--least-repeatable", options.min_repeatable_fraction,
                   "Like --least-equal, but only for kernels whose counts are the same in\nevery "
                   "run on the GPU");
    app.add_option("--least-within", options.min_within_fraction,
                   "Fail if less than this percentage of the predictions are\nwithin their bands, "
                   "for the held-back kernels or for the others");
    app.add_option(
        "--ncu-output", options.ncu_output_folder,
        "with --measure: read the output of an earlier run from this folder\n(THEME.times, "
        "THEME.small.csv, THEME.full.csv, and THEME.again.csv)");
    app.add_option("--keep", options.folder_for_ncu_output,
                   "with --measure: save the output in this folder");
    app.add_option("--commit", options.commit, "Commit to record, if git cannot report it");
}

fs::path default_program_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

fs::path find_programs_folder(const CommandLine& options) {
    return options.programs_folder.empty() ? default_program_folder() / "tutorial"
                                           : fs::path(options.programs_folder);
}

fs::path program_of(const CommandLine& options, const std::string& theme) {
    return find_programs_folder(options) / theme;
}

std::vector<std::string> list_selected_themes(const CommandLine& options) {
    return options.selected_themes.empty() ? list_tutorial_themes() : options.selected_themes;
}

std::string run_and_get_output(const std::vector<std::string>& command, double max_seconds) {
    const ProcessResult ended = run_child(command, max_seconds);
    if (ended.timed_out || ended.exit_code != 0) {
        throw std::runtime_error(command[0] +
                                 (ended.timed_out ? " did not finish in time" : " failed") + ":\n" +
                                 ended.output);
    }
    return ended.output;
}

/// Runs a theme's program three times: once alone for its times, and twice under ncu.
ThemeOutput measure_theme(const CommandLine& options, const std::string& ncu,
                          const std::string& theme) {
    const std::string program = program_of(options, theme);
    return {theme, run_and_get_output({program, "--time"}, kMaxProgramSeconds),
            profile_metrics(ncu, {program, "--small", "--no-check"},
                            join_metric_names(counters_of_small_launches())),
            profile_metrics(ncu, {program, "--no-check"},
                            join_metric_names(counters_of_large_launches()))};
}

ThemeOutput read_theme(const fs::path& folder, const std::string& theme) {
    return {theme, read_file(folder / (theme + ".times")),
            read_file(folder / (theme + ".small.csv")), read_file(folder / (theme + ".full.csv"))};
}

void save_theme(const fs::path& folder, const ThemeOutput& output) {
    fs::create_directories(folder);
    write_file(folder / (output.theme + ".times"), output.times);
    write_file(folder / (output.theme + ".small.csv"), output.small);
    write_file(folder / (output.theme + ".full.csv"), output.full);
}

void check_gpu(const std::string& option_to_leave_out) {
    const std::string problem = find_gpu_problem();
    if (!problem.empty())
        throw UsageError("no GPU works here (" + problem + "): leave out " + option_to_leave_out);
}

int measure(const CommandLine& options) {
    const bool reads_ncu_output = !options.ncu_output_folder.empty();
    if (!reads_ncu_output) check_gpu("--measure");
    const std::string ncu_path = reads_ncu_output ? "" : find_tool("ncu");
    TutorialRecord record;
    if (reads_ncu_output) {
        // The output of an earlier run does not describe the run, so copy the description from the
        // existing record.
        record.run =
            Json::parse(read_file(fs::path(options.record_folder) / "measured.json")).at("run");
    } else {
        const Json machine = query_gpu_state();
        record.run = make_run_record(
            options.commit, {{"device", machine.value("name", "unknown")},
                             {"driver_version", machine.value("driver_version", "unknown")}});
        record.run["ncu"] = read_tool_version(ncu_path);
        record.run["times"] = "median of 20 launches, second-level cache cold";
        record.run["counters"] = "of one launch with --small";
    }
    for (const std::string& theme : list_selected_themes(options)) {
        const ThemeOutput theme_output = reads_ncu_output
                                             ? read_theme(options.ncu_output_folder, theme)
                                             : measure_theme(options, ncu_path, theme);
        if (!options.folder_for_ncu_output.empty())
            save_theme(options.folder_for_ncu_output, theme_output);
        record.add(make_theme_record(theme_output));
        print_progress(theme);
    }
    fs::create_directories(options.record_folder);
    record.write(options.record_folder);
    std::cout << record.measured.size() << " kernels are written to " << options.record_folder
              << "; the times of " << record.held_back.size() << " kernels are held back\n";
    return exit_right;
}

/// Returns the simulator's JSON for one example, whose program is in `programs_folder`.
Json simulate_kernel(const CommandLine& options, const fs::path& programs_folder,
                     const Json& kernel, bool predicts_time) {
    const TemporaryFolder folder;
    const fs::path json = folder / "simulated.json";
    std::vector<std::string> command{
        default_program_folder() / "simulate", "--quiet", "--check", "none", "--json", json};
    if (predicts_time) command.insert(command.end(), {"--time", options.gpu});
    const std::string program = programs_folder / kernel.at("theme");
    command.insert(command.end(), {program, "--no-check", "--only", kernel.at("name")});
    if (!predicts_time) command.emplace_back("--small");
    run_and_get_output(command, kMaxSimulatorSeconds);
    return Json::parse(read_file(json));
}

bool is_selected_kernel(const CommandLine& options, const Json& kernel) {
    const auto contains_word = [](const std::vector<std::string>& list, const std::string& word) {
        return list.empty() || std::ranges::find(list, word) != list.end();
    };
    return contains_word(options.selected_themes, kernel.at("theme")) &&
           contains_word(options.selected_kernels, kernel.at("name"));
}

/// Runs the given kernels of a theme again, and returns ncu's output.
std::string profile_kernels_repeatedly(const CommandLine& options, const std::string& theme,
                                       const std::vector<Json*>& kernels) {
    const std::string file = theme + ".again.csv";
    if (!options.ncu_output_folder.empty())
        return read_file(fs::path(options.ncu_output_folder) / file);
    std::vector<std::string> command{program_of(options, theme), "--small", "--no-check",
                                     "--repeat", std::to_string(options.launches_per_kernel)};
    for (const Json* kernel : kernels)
        command.insert(command.end(), {"--only", kernel->at("name")});
    const std::string text =
        profile_metrics(find_tool("ncu"), command, join_metric_names(counters_of_small_launches()));
    if (!options.folder_for_ncu_output.empty())
        write_file(fs::path(options.folder_for_ncu_output) / file, text);
    return text;
}

int measure_again(const CommandLine& options) {
    if (options.ncu_output_folder.empty()) check_gpu("--measure-again");
    TutorialRecord record = TutorialRecord::read(options.record_folder, true);
    std::size_t count = 0, kernels_that_vary = 0;
    for (const std::string& theme : list_selected_themes(options)) {
        std::vector<Json*> kernels;
        for (Json& kernel : record.measured)
            if (kernel.at("theme") == theme && is_selected_kernel(options, kernel))
                kernels.push_back(&kernel);
        if (kernels.empty()) continue;
        add_runs(kernels, parse_ncu_csv(profile_kernels_repeatedly(options, theme, kernels)),
                 options.launches_per_kernel);
        count += kernels.size();
        for (const Json* kernel : kernels) kernels_that_vary += kernel->contains("ranges");
        print_progress(theme);
    }
    record.write(options.record_folder);
    std::cout << kernels_that_vary << " of " << count
              << " kernels have counters that differ between " << options.launches_per_kernel + 1
              << " runs\n";
    return exit_right;
}

/// Returns the measured time of a kernel in milliseconds, or 0 if the record contains none.
double find_measured_ms(const TutorialRecord& record, const Json& kernel) {
    if (kernel.contains("ms")) return kernel.at("ms");
    for (const Json& held_back_kernel : record.held_back)
        if (held_back_kernel.at("name") == kernel.at("name") &&
            held_back_kernel.at("theme") == kernel.at("theme"))
            return held_back_kernel.at("ms");
    return 0;
}

ComparedKernel compare_kernel(const CommandLine& options, const TutorialRecord& record,
                              const Json& kernel) {
    ComparedKernel compared_kernel{.theme = kernel.at("theme"), .name = kernel.at("name")};
    compared_kernel.is_held_back = is_held_back_kernel(compared_kernel.name);
    const fs::path programs = find_programs_folder(options);
    try {
        const Json simulated_result = simulate_kernel(options, programs, kernel, false);
        if (!options.library_to_compare.empty()) {
            const Json other_result =
                simulate_kernel(options, options.library_to_compare, kernel, false);
            compared_kernel.reference_source = "in the other folder";
            compared_kernel.differences =
                compare_tutorial_counters(counters_of_only_launch(other_result), simulated_result);
            return compared_kernel;
        }
        compared_kernel.differences =
            compare_tutorial_counters(kernel.at("counters"), simulated_result);
        if (kernel.contains("ranges")) {
            compared_kernel.differing_runs = kernel.at("runs");
            compared_kernel.are_counts_in_range =
                are_in_range(compared_kernel.differences, kernel.at("ranges"));
        }
        const double ms = find_measured_ms(record, kernel);
        if (options.compares_times && ms > 0)
            compared_kernel.time =
                compare_tutorial_time(ms, simulate_kernel(options, programs, kernel, true));
    } catch (const std::runtime_error& error) {
        compared_kernel.simulator_failure = error.what();
    }
    return compared_kernel;
}

int compare(const CommandLine& options) {
    const TutorialRecord record =
        TutorialRecord::read(options.record_folder, options.compares_held_back);
    const auto known_differences = read_known_differences(read_file(options.known));
    std::vector<ComparedKernel> kernels;
    for (const Json& kernel : record.measured) {
        if (!is_selected_kernel(options, kernel)) continue;
        kernels.push_back(compare_kernel(options, record, kernel));
        const auto why = known_differences.find(kernels.back().name);
        if (why != known_differences.end()) kernels.back().known = why->second;
    }
    const TutorialVerdict verdict = make_tutorial_verdict(
        kernels, {.min_equal_fraction = options.min_equal_fraction / 100,
                  .min_fraction_within_band = options.min_within_fraction / 100,
                  .min_repeatable_equal_fraction = options.min_repeatable_fraction / 100});
    std::cout << verdict.text;
    return verdict.is_good ? exit_right : exit_wrong;
}

int run(const CommandLine& options, char**) {
    if (options.measures_on_gpu) return measure(options);
    return options.launches_per_kernel > 0 ? measure_again(options) : compare(options);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("tutorials",
                       "Compares simulated results of tutorial kernels with measurements on a GPU",
                       argc, argv, add_options, run);
}
