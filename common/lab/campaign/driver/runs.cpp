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

std::string library_folder_for(const SimulatorSettings& mode, const std::string& library) {
    return mode.library.empty() ? library : mode.library;
}

std::vector<std::string> environment(const SimulatorSettings& mode, const std::string& library) {
    std::istringstream words(format_environment(mode));
    std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    all.push_back("LD_LIBRARY_PATH=" + library_folder_for(mode, library));
    return all;
}

/// Parses a line of the form `done NAME RESULTS COUNTERS REPORTS values # report` or `error NAME
/// WHAT`.
Outcome read_line(const std::string& line) {
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
    std::string hash;
    words >> outcome.results >> hash >> outcome.reports;
    std::string rest;
    std::getline(words, rest);
    const auto report = rest.find(" # ");
    outcome.counters = hash + rest.substr(0, report);
    if (report != rest.npos) outcome.text = rest.substr(report + 3);
    return outcome;
}

/// Returns all outcomes that a process prints before it ends.
std::vector<Outcome> read_outcomes(Child& child) {
    std::vector<Outcome> outcomes;
    while (const auto line = child.receive_line(kHangSeconds)) {
        if (line->starts_with("done ") || line->starts_with("error "))
            outcomes.push_back(read_line(*line));
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

std::string format_environment(const SimulatorSettings& mode) {
    std::string text = "COALESCE_SIM_THREADS=" + std::to_string(mode.threads);
    if (mode.plain) text += " COALESCE_SIM_PLAIN=1";
    if (mode.seed) text += " COALESCE_SIM_SEED=" + std::to_string(mode.seed);
    return text;
}

CampaignRunner::CampaignRunner(std::string program, std::string library)
    : program_(std::move(program)), library_(std::move(library)) {
    // Names of the simulator's environment variables. They are unset, so that only the settings of
    // the SimulatorSettings apply.
    std::vector<std::string> settings;
    for (char** entry = environ; *entry; ++entry) {
        const std::string line = *entry;
        if (line.starts_with("COALESCE_SIM_")) settings.push_back(line.substr(0, line.find('=')));
    }
    for (const std::string& name : settings) unsetenv(name.c_str());
}

std::string CampaignRunner::command(const std::string& file, const SimulatorSettings& mode) const {
    return "LD_LIBRARY_PATH=" + library_folder_for(mode, library_) + " " +
           format_environment(mode) + " " + program_ + " " + file;
}

std::vector<Outcome> CampaignRunner::run(const std::vector<KernelToRun>& cases,
                                         const SimulatorSettings& mode) const {
    const TemporaryFolder folder;
    const std::string bundle = folder / "kernels.txt";
    std::string texts;
    for (const KernelToRun& c : cases) texts += "//// " + c.name + "\n" + c.ptx;
    write_file(bundle, texts);
    std::vector<Outcome> all;
    while (all.size() < cases.size()) {
        // Discard stderr, which nobody reads.
        Child child(
            {.program = "/bin/sh",
             .arguments = {"-c", "exec \"$@\" 2>/dev/null", "sh", program_, "--limit",
                           std::to_string(mode.limit), "--level", std::to_string(mode.level),
                           "--skip", std::to_string(all.size()), bundle},
             .environment = environment(mode, library_)});
        const std::vector<Outcome> some = read_outcomes(child);
        all.insert(all.end(), some.begin(), some.end());
        if (all.size() >= cases.size()) break;
        const int exit_code = child.outcome().exit_code;
        if (!some.empty() && exit_code == kExitAfterGpuError) continue;
        Outcome crashed;  // outcome of the case after the last one that printed a line
        crashed.text = describe_exit(exit_code);
        all.push_back(crashed);
    }
    return all;
}

std::string describe_difference(const Outcome& a, const Outcome& b, bool same_order) {
    using Status = Outcome::Status;
    for (const Outcome* o : {&a, &b}) {
        if (o->status == Status::crashed) return "crashed: " + o->text;
        if (o->status == Status::error) return "error: " + o->text;
    }
    if (a.results != b.results) return "results";
    const bool both_count = !a.counters.empty() && !b.counters.empty();  // a GPU has no counters
    if (same_order && both_count && a.counters != b.counters)
        return "counters: " + a.counters + " and " + b.counters;
    for (const Outcome* o : {&a, &b})
        if (o->reports) return "report: " + o->text;
    return "";
}

}  // namespace coalesce::campaign
