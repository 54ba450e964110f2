#include "lab/campaign/driver/runs.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "base/child.h"
#include "base/files.h"

extern char** environ;

namespace coalesce::campaign {
namespace {

/// The number of seconds without output after which a kernel is considered hung.
constexpr double kHangSeconds = 60;

std::string library_folder_for(const SimulatorSettings& settings, const std::string& library) {
    return settings.library.empty() ? library : settings.library;
}

std::vector<std::string> list_environment(const SimulatorSettings& settings,
                                          const std::string& library) {
    std::istringstream words(format_environment(settings));
    std::vector<std::string> environment{std::istream_iterator<std::string>(words), {}};
    environment.push_back("LD_LIBRARY_PATH=" + library_folder_for(settings, library));
    return environment;
}

/// Parses a line of the form `done NAME RESULTS COUNTERS REPORTS values # report` or `error NAME
/// WHAT`.
Outcome parse_outcome(const std::string& line) {
    Outcome outcome;
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind == "error") {
        outcome.status = Outcome::Status::error;
        std::getline(words, outcome.text);
        return outcome;
    }
    outcome.status = Outcome::Status::done;
    std::string counters_hash;
    words >> outcome.memory_hash >> counters_hash >> outcome.report_count;
    std::string values_and_report;
    std::getline(words, values_and_report);
    const auto report_start = values_and_report.find(" # ");
    outcome.counters = counters_hash + values_and_report.substr(0, report_start);
    if (report_start != values_and_report.npos)
        outcome.text = values_and_report.substr(report_start + 3);
    return outcome;
}

/// Returns all outcomes that a process prints before it ends.
std::vector<Outcome> read_outcomes(Child& child) {
    std::vector<Outcome> outcomes;
    while (const auto line = child.receive_line(kHangSeconds)) {
        if (line->starts_with("done ") || line->starts_with("error "))
            outcomes.push_back(parse_outcome(*line));
    }
    child.stop();
    return outcomes;
}

/// Describes how a process that should have kept running ended.
std::string describe_exit(int exit_code) {
    if (exit_code == 128 + SIGKILL) return "no answer";
    return exit_code > 128 ? "signal " + std::to_string(exit_code - 128)
                           : "exit code " + std::to_string(exit_code);
}

}  // namespace

std::string format_environment(const SimulatorSettings& settings) {
    std::string text = "COALESCE_SIM_THREADS=" + std::to_string(settings.threads);
    if (settings.is_plain_mode) text += " COALESCE_SIM_PLAIN=1";
    if (settings.seed) text += " COALESCE_SIM_SEED=" + std::to_string(settings.seed);
    return text;
}

CampaignRunner::CampaignRunner(std::string program, std::string library)
    : runner_path_(std::move(program)), library_folder_(std::move(library)) {
    // Names of the simulator's environment variables. They are unset, so that only the settings of
    // the SimulatorSettings apply.
    std::vector<std::string> simulator_variables;
    for (char** entry = environ; *entry; ++entry) {
        const std::string line = *entry;
        if (line.starts_with("COALESCE_SIM_"))
            simulator_variables.push_back(line.substr(0, line.find('=')));
    }
    for (const std::string& name : simulator_variables) unsetenv(name.c_str());
}

std::string CampaignRunner::command(const std::string& file,
                                    const SimulatorSettings& settings) const {
    return "LD_LIBRARY_PATH=" + library_folder_for(settings, library_folder_) + " " +
           format_environment(settings) + " " + runner_path_ + " " + file;
}

std::vector<Outcome> CampaignRunner::run(const std::vector<KernelToRun>& cases,
                                         const SimulatorSettings& settings) const {
    const TemporaryFolder folder;
    const std::string kernels_file = folder / "kernels.txt";
    std::string kernel_texts;
    for (const KernelToRun& c : cases) kernel_texts += "//// " + c.name + "\n" + c.ptx;
    write_file(kernels_file, kernel_texts);
    std::vector<Outcome> outcomes;
    while (outcomes.size() < cases.size()) {
        // Discard stderr, which nobody reads.
        Child child({.program = "/bin/sh",
                     .arguments = {"-c", "exec \"$@\" 2>/dev/null", "sh", runner_path_, "--limit",
                                   std::to_string(settings.max_warp_instructions), "--level",
                                   std::to_string(settings.level), "--skip",
                                   std::to_string(outcomes.size()), kernels_file},
                     .environment = list_environment(settings, library_folder_)});
        const std::vector<Outcome> new_outcomes = read_outcomes(child);
        outcomes.insert(outcomes.end(), new_outcomes.begin(), new_outcomes.end());
        if (outcomes.size() >= cases.size()) break;
        const int exit_code = child.outcome().exit_code;
        if (!new_outcomes.empty() && exit_code == kExitAfterGpuError) continue;
        Outcome crash_outcome;  // outcome of the case after the last one that printed a line
        crash_outcome.text = describe_exit(exit_code);
        outcomes.push_back(crash_outcome);
    }
    return outcomes;
}

std::string describe_difference(const Outcome& a, const Outcome& b, bool is_same_warp_order) {
    using Status = Outcome::Status;
    for (const Outcome* o : {&a, &b}) {
        if (o->status == Status::crashed) return "crashed: " + o->text;
        if (o->status == Status::error) return "error: " + o->text;
    }
    if (a.memory_hash != b.memory_hash) return "results";
    const bool have_both_counters =
        !a.counters.empty() && !b.counters.empty();  // a GPU has no counters
    if (is_same_warp_order && have_both_counters && a.counters != b.counters)
        return "counters: " + a.counters + " and " + b.counters;
    for (const Outcome* o : {&a, &b})
        if (o->report_count) return "report: " + o->text;
    return "";
}

}  // namespace coalesce::campaign
