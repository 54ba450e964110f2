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

constexpr double kProgramSeconds = 300, kSimulatorSeconds = 600;

const fs::path kRepository = COALESCE_REPOSITORY;

struct CommandLine {
    bool measures = false, with_times = false, with_held_back = false;
    std::string record = kRepository / "docs/results/tutorial", programs, against, ncu_output, keep,
                gpu = "H200", commit,
                known = kRepository / "common/lab/proof/tests/tutorial/known_differences.txt";
    std::vector<std::string> themes, only;
    double min_equal_fraction = 0, min_repeatable_fraction = 0, min_within_fraction = 0;
    std::size_t repeats = 0;
};

void add_options(CLI::App& app, CommandLine& words) {
    app.add_flag("--measure", words.measures,
                 "Measure on this GPU, with ncu, and write the record");
    app.add_option("--measure-again", words.repeats,
                   "Run the kernels this many more times under ncu, and add to the\nrecord the "
                   "range of each counter that differs between runs");
    app.add_option("--record", words.record,
                   "The folder of the record (default: docs/results/tutorial)");
    app.add_option(
        "--programs", words.programs,
        "The folder of the programs (default: the folder tutorial\nbeside this program)");
    app.add_option("--theme", words.themes, "Compare only these themes")
        ->check(CLI::IsMember(tutorial_themes()));
    app.add_option("--only", words.only, "Compare only these kernels (not with --measure)");
    app.add_flag("--time", words.with_times, "Also compare predicted times, at full size");
    app.add_option("--gpu", words.gpu, "GPU to predict times for (default: H200)");
    app.add_flag("--held-back", words.with_held_back,
                 "Also use the held-back times. They are for testing the model, and must\nnot be "
                 "used to improve it");
    app.add_option("--against", words.against,
                   "Compare with the simulated counters of the same programs in\nthis folder, and "
                   "not with the record")
        ->check(CLI::ExistingDirectory);
    app.add_option("--known", words.known,
                   "File of known differences (default: known_differences.txt)")
        ->check(CLI::ExistingFile);
    app.add_option("--least-equal", words.min_equal_fraction,
                   "Fail if less than this percentage of the kernels have equal counters");
    app.add_option("--least-repeatable", words.min_repeatable_fraction,
                   "Like --least-equal, but only for kernels whose counts are the same in\nevery "
                   "run on the GPU");
    app.add_option("--least-within", words.min_within_fraction,
                   "Fail if less than this percentage of the predictions are\nwithin their bands, "
                   "for the held-back kernels or for the others");
    app.add_option(
        "--ncu-output", words.ncu_output,
        "with --measure: read the output of an earlier run from this folder\n(THEME.times, "
        "THEME.small.csv, THEME.full.csv, and THEME.again.csv)");
    app.add_option("--keep", words.keep, "with --measure: save the output in this folder");
    app.add_option("--commit", words.commit, "Commit to record, if git cannot report it");
}

fs::path program_folder() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

fs::path programs_of(const CommandLine& words) {
    return words.programs.empty() ? program_folder() / "tutorial" : fs::path(words.programs);
}

fs::path program_of(const CommandLine& words, const std::string& theme) {
    return programs_of(words) / theme;
}

std::vector<std::string> selected_themes(const CommandLine& words) {
    return words.themes.empty() ? tutorial_themes() : words.themes;
}

std::string output_of(const std::vector<std::string>& command, double seconds) {
    const ProcessResult ended = run_child(command, seconds);
    if (ended.timed_out || ended.exit_code != 0) {
        throw std::runtime_error(command[0] +
                                 (ended.timed_out ? " did not finish in time" : " failed") + ":\n" +
                                 ended.output);
    }
    return ended.output;
}

/// Runs a theme's program three times: once alone for its times, and twice under ncu.
ThemeOutput measure_theme(const CommandLine& words, const std::string& ncu,
                          const std::string& theme) {
    const std::string program = program_of(words, theme);
    return {theme, output_of({program, "--time"}, kProgramSeconds),
            profile_metrics(ncu, {program, "--small", "--no-check"},
                            metric_names(small_launch_counters())),
            profile_metrics(ncu, {program, "--no-check"}, metric_names(large_launch_counters()))};
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

void check_gpu(const std::string& without) {
    const std::string why = find_gpu_problem();
    if (!why.empty()) throw UsageError("no GPU works here (" + why + "): leave out " + without);
}

int measure(const CommandLine& words) {
    const bool reads = !words.ncu_output.empty();
    if (!reads) check_gpu("--measure");
    const std::string ncu = reads ? "" : find_tool("ncu");
    TutorialRecord record;
    if (reads) {
        // The output of an earlier run does not describe the run, so copy the description from the
        // existing record.
        record.run = Json::parse(read_file(fs::path(words.record) / "measured.json")).at("run");
    } else {
        const Json machine = ask_nvidia_smi();
        record.run = run_record(words.commit,
                                {{"device", machine.value("name", "unknown")},
                                 {"driver_version", machine.value("driver_version", "unknown")}});
        record.run["ncu"] = tool_version(ncu);
        record.run["times"] = "median of 20 launches, second-level cache cold";
        record.run["counters"] = "of one launch with --small";
    }
    for (const std::string& theme : selected_themes(words)) {
        const ThemeOutput output =
            reads ? read_theme(words.ncu_output, theme) : measure_theme(words, ncu, theme);
        if (!words.keep.empty()) save_theme(words.keep, output);
        record.add(make_theme_record(output));
        print_progress(theme);
    }
    fs::create_directories(words.record);
    record.write(words.record);
    std::cout << record.measured.size() << " kernels are written to " << words.record
              << "; the times of " << record.held_back.size() << " kernels are held back\n";
    return exit_right;
}

/// Returns the simulator's JSON for one example, whose program is in `programs`.
Json simulate_kernel(const CommandLine& words, const fs::path& programs, const Json& kernel,
                     bool with_time) {
    const TemporaryFolder folder;
    const fs::path json = folder / "simulated.json";
    std::vector<std::string> command{
        program_folder() / "simulate", "--quiet", "--check", "none", "--json", json};
    if (with_time) command.insert(command.end(), {"--time", words.gpu});
    const std::string program = programs / kernel.at("theme");
    command.insert(command.end(), {program, "--no-check", "--only", kernel.at("name")});
    if (!with_time) command.emplace_back("--small");
    output_of(command, kSimulatorSeconds);
    return Json::parse(read_file(json));
}

bool is_wanted(const CommandLine& words, const Json& kernel) {
    const auto is_in = [](const std::vector<std::string>& list, const std::string& word) {
        return list.empty() || std::ranges::find(list, word) != list.end();
    };
    return is_in(words.themes, kernel.at("theme")) && is_in(words.only, kernel.at("name"));
}

/// Runs the given kernels of a theme again, and returns ncu's output.
std::string repeat_kernels(const CommandLine& words, const std::string& theme,
                           const std::vector<Json*>& kernels) {
    const std::string file = theme + ".again.csv";
    if (!words.ncu_output.empty()) return read_file(fs::path(words.ncu_output) / file);
    std::vector<std::string> command{program_of(words, theme), "--small", "--no-check", "--repeat",
                                     std::to_string(words.repeats)};
    for (const Json* kernel : kernels)
        command.insert(command.end(), {"--only", kernel->at("name")});
    const std::string text =
        profile_metrics(find_tool("ncu"), command, metric_names(small_launch_counters()));
    if (!words.keep.empty()) write_file(fs::path(words.keep) / file, text);
    return text;
}

int measure_again(const CommandLine& words) {
    if (words.ncu_output.empty()) check_gpu("--measure-again");
    TutorialRecord record = TutorialRecord::read(words.record, true);
    std::size_t count = 0, differing = 0;
    for (const std::string& theme : selected_themes(words)) {
        std::vector<Json*> kernels;
        for (Json& kernel : record.measured)
            if (kernel.at("theme") == theme && is_wanted(words, kernel)) kernels.push_back(&kernel);
        if (kernels.empty()) continue;
        add_runs(kernels, parse_ncu_csv(repeat_kernels(words, theme, kernels)), words.repeats);
        count += kernels.size();
        for (const Json* kernel : kernels) differing += kernel->contains("ranges");
        print_progress(theme);
    }
    record.write(words.record);
    std::cout << differing << " of " << count << " kernels have counters that differ between "
              << words.repeats + 1 << " runs\n";
    return exit_right;
}

/// Returns the measured time of a kernel in milliseconds, or 0 if the record contains none.
double measured_ms(const TutorialRecord& record, const Json& kernel) {
    if (kernel.contains("ms")) return kernel.at("ms");
    for (const Json& one : record.held_back)
        if (one.at("name") == kernel.at("name") && one.at("theme") == kernel.at("theme"))
            return one.at("ms");
    return 0;
}

ComparedKernel compare_kernel(const CommandLine& words, const TutorialRecord& record,
                              const Json& kernel) {
    ComparedKernel compared{.theme = kernel.at("theme"), .name = kernel.at("name")};
    compared.is_held_back = is_held_back(compared.name);
    const fs::path programs = programs_of(words);
    try {
        const Json simulated = simulate_kernel(words, programs, kernel, false);
        if (!words.against.empty()) {
            const Json other = simulate_kernel(words, words.against, kernel, false);
            compared.other = "in the other folder";
            compared.differences =
                compare_tutorial_counters(counters_of_only_launch(other), simulated);
            return compared;
        }
        compared.differences = compare_tutorial_counters(kernel.at("counters"), simulated);
        if (kernel.contains("ranges")) {
            compared.runs = kernel.at("runs");
            compared.is_in_range = are_in_range(compared.differences, kernel.at("ranges"));
        }
        const double ms = measured_ms(record, kernel);
        if (words.with_times && ms > 0)
            compared.time =
                compare_tutorial_time(ms, simulate_kernel(words, programs, kernel, true));
    } catch (const std::runtime_error& error) {
        compared.failure = error.what();
    }
    return compared;
}

int compare(const CommandLine& words) {
    const TutorialRecord record = TutorialRecord::read(words.record, words.with_held_back);
    const auto known = read_known_differences(read_file(words.known));
    std::vector<ComparedKernel> kernels;
    for (const Json& kernel : record.measured) {
        if (!is_wanted(words, kernel)) continue;
        kernels.push_back(compare_kernel(words, record, kernel));
        const auto why = known.find(kernels.back().name);
        if (why != known.end()) kernels.back().known = why->second;
    }
    const TutorialVerdict verdict =
        tutorial_verdict(kernels, {.equal = words.min_equal_fraction / 100,
                                   .within = words.min_within_fraction / 100,
                                   .repeatable_equal = words.min_repeatable_fraction / 100});
    std::cout << verdict.text;
    return verdict.is_good ? exit_right : exit_wrong;
}

int run(const CommandLine& words, char**) {
    if (words.measures) return measure(words);
    return words.repeats > 0 ? measure_again(words) : compare(words);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("tutorials",
                       "Compares simulated results of tutorial kernels with measurements on a GPU",
                       argc, argv, add_options, run);
}
