// simulate -- runs a CUDA program on the simulated GPU.
//
// Idea       The program is not modified. The loader is told to find our libcudart.so.13 before
//            NVIDIA's. When the program ends, the library writes the counters to a file, so that
//            `simulate` need not parse the program's own output.
// Read next  program_file.cpp (which programs can run), child.cpp (how they run),
// profile/exit_report.cpp (the file).
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "simulator/report/text.h"
#include "simulator/simulate/child.h"
#include "simulator/simulate/command_line.h"
#include "simulator/simulate/program_file.h"

namespace {

using namespace coalesce::simulator;
namespace fs = std::filesystem;

/// The exit code if the program, or a part of it, could not be simulated.
constexpr int kNotSimulated = 2;

void print_message(const std::string& text) {
    using namespace coalesce::simulator;
    std::fprintf(stderr, "%s\n", wrap("simulate: " + text, kColumns, "", "  ").c_str());
}

/// Empties the file, so that an old report cannot be mistaken for one from this run. Throws
/// CanNotRun.
void prepare_output(const std::string& file) {
    if (file.empty()) return;
    if (!std::ofstream(file)) {
        throw CanNotRun("cannot write " + file + ": " + std::strerror(errno) +
                        "; name another file with --json");
    }
}

std::string describe(const Ending& ending) {
    if (ending.signal == 0) return "exit code " + std::to_string(ending.exit_code);
    return "signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + ")";
}

void explain_missing_report(const Ending& ending) {
    if (ending.signal == 0) {
        print_message("no counters were written: the program ended with " + describe(ending) +
                      " but neither by exit() nor by a return from main");
        return;
    }
    print_message("no counters were written: a signal ended the program before they could be");
    if (ending.signal == SIGSEGV || ending.signal == SIGBUS) {
        print_message(
            "host code that dereferences a device pointer ends like this; "
            "copy with cudaMemcpy first, or run the program under gdb");
    }
}

using Json = nlohmann::ordered_json;

/// Returns the contents of a report file, or nothing if it is not complete.
std::optional<Json> read_report(const fs::path& file) {
    std::ifstream in(file);
    if (!in) return std::nullopt;
    Json json = Json::parse(in, nullptr, false);
    if (json.is_discarded() || !json.contains("reports")) return std::nullopt;
    return json;
}

/// Adds the reports of child processes, which are in files beside the program's own
/// (profile/exit_report.h).
void add_reports_of_children(Json& json, const fs::path& file) {
    const std::string start = file.filename().string() + ".";
    for (const auto& entry : fs::directory_iterator(file.parent_path())) {
        if (!entry.path().filename().string().starts_with(start)) continue;
        const auto of_child = read_report(entry.path());
        if (!of_child) continue;
        for (const auto& report : (*of_child)["reports"]) json["reports"].push_back(report);
    }
}

/// The number of reports.
struct Findings {
    std::size_t reports = 0;
    std::size_t not_simulated = 0;  ///< the number of reports about work that was not done
};

Findings count_findings(const Json& json) {
    Findings findings{.reports = json["reports"].size()};
    for (const auto& report : json["reports"]) {
        const bool undone =
            report["kind"] == "unsupported" || report["kind"] == "out of host memory";
        if (report["check"] == "execution" && undone) ++findings.not_simulated;
    }
    return findings;
}

/// Returns the exit code. If part of the program was not simulated, its results differ from those
/// of a GPU, so an exit code of 0 becomes an error. A program that checks for errors has already
/// returned another code.
int choose_exit_code(const Ending& ending, const Findings& findings) {
    if (ending.signal != 0) return 128 + ending.signal;
    if (findings.not_simulated == 0) return ending.exit_code;
    print_message("parts of the program could not be simulated (" +
                  std::to_string(findings.not_simulated) +
                  (findings.not_simulated == 1 ? " report" : " reports") +
                  " of `execution: unsupported`), so its results are not those of a GPU");
    return ending.exit_code != 0 ? ending.exit_code : kNotSimulated;
}

void write_report(const Json& json, const std::string& to) {
    std::ofstream out(to);
    out << json.dump(1) << "\n";
    if (!out.flush()) print_message("cannot write " + to + "; the disk may be full");
}

int simulate(const CommandLine& line) {
    const std::string program = find_program(line.program[0]);
    Environment environment = loader_variables(program, find_library());
    prepare_output(line.json_file);
    const coalesce::TemporaryFolder folder;
    const fs::path report = folder / "report.json";

    for (const auto& variable : simulator_variables(line)) environment.push_back(variable);
    environment.emplace_back("COALESCE_SIM_JSON", report.string());
    const Ending ending = run_child(program, line.program, environment);
    if (ending.start_failure != 0) {
        throw CanNotRun("cannot start " + program + ": " + std::strerror(ending.start_failure));
    }
    if (ending.signal != 0) print_message(line.program[0] + " was ended by " + describe(ending));

    std::optional<Json> json = read_report(report);
    if (!json)
        explain_missing_report(ending);
    else
        add_reports_of_children(*json, report);
    if (json && !line.json_file.empty()) write_report(*json, line.json_file);

    // Without counters it is unknown whether there was a report, so a script must not treat this as
    // success.
    const Findings findings = json ? count_findings(*json) : Findings{};
    const bool suspicious = json ? findings.reports > 0 : ending.signal == 0;
    const int exit_code = choose_exit_code(ending, findings);
    return line.error_exit_code != 0 && suspicious ? line.error_exit_code : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
    int exit_code = kNotSimulated;
    try {
        if (const auto line = read_command_line(argc, argv, exit_code)) exit_code = simulate(*line);
    } catch (const std::exception& error) {
        print_message(error.what());
        exit_code = kNotSimulated;
    }
    return exit_code;
}
