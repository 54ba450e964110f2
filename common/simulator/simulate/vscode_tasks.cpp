// See vscode_tasks.h.
#include "simulator/simulate/vscode_tasks.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files.h"

namespace coalesce::simulator {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTasksFile = ".vscode/tasks.json";

/// Returns a problem matcher for the lines that --annotations compiler prints, such as
/// "sum.cu:12:1: error: ... [racecheck/write-after-read]".
Json problem_matcher() {
    return {{"owner", "simulate"},
            {"fileLocation", Json::array({"autoDetect", "${workspaceFolder}"})},
            {"pattern",
             {{"regexp", R"(^(.+):(\d+):(\d+): (error|warning): (.*) \[(.*)\]$)"},
              {"file", 1},
              {"line", 2},
              {"column", 3},
              {"severity", 4},
              {"message", 5},
              {"code", 6}}}};
}

Json make_task(const std::string& label, std::vector<std::string> options,
               const std::vector<std::string>& program) {
    options.insert(options.end(), {"--quiet", "--annotations", "compiler"});
    options.insert(options.end(), program.begin(), program.end());
    return {{"label", label},
            {"type", "process"},
            {"command", "simulate"},
            {"args", options},
            {"options", {{"cwd", "${workspaceFolder}"}}},
            {"problemMatcher", problem_matcher()}};
}

}  // namespace

std::string vscode_tasks(const std::vector<std::string>& program) {
    const Json tasks{{"version", "2.0.0"},
                     {"tasks", Json::array({make_task("simulate: check", {}, program),
                                            make_task("simulate: check the costs in budget.toml",
                                                      {"--budget", "budget.toml"}, program)})}};
    return tasks.dump(2) + "\n";
}

void write_vscode_tasks(const std::vector<std::string>& program) {
    const std::string text = vscode_tasks(program);
    if (std::filesystem::exists(kTasksFile))
        throw std::runtime_error(std::string(kTasksFile) +
                                 " already exists; add these tasks to it by hand:\n" + text);
    std::filesystem::create_directories(std::filesystem::path(kTasksFile).parent_path());
    coalesce::write_file(kTasksFile, text);
    std::printf(
        "Wrote %s. In VS Code, run \"Tasks: Run Task\", and choose \"simulate: check\".\n"
        "simulate --write-budget budget.toml PROGRAM writes the budget for the second task.\n",
        kTasksFile);
}

}  // namespace coalesce::simulator
