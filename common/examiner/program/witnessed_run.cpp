#include "examiner/program/witnessed_run.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "examiner/program/witness.h"
#include "examiner/wrapper.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The instruction budget of a run. A kernel for a few thousand elements needs a few thousand
// instructions, and an infinite loop is stopped soon.
constexpr const char* kMostInstructions = "20000000";

std::vector<float> floats_in(const fs::path& file) {
    const std::string bytes = read_if_there(file).value_or("");
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

void take_calls(const fs::path& file, WitnessedRun& run) {
    std::istringstream lines(read_if_there(file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string call, bytes, error;
        words >> call;
        if (call == "launch") {
            SeenLaunch launch;
            for (long long& extent : launch.shape.grid) words >> extent;
            for (long long& extent : launch.shape.block) words >> extent;
            launch.is_good = words >> error && error == "cudaSuccess";
            run.launches.push_back(launch);
        } else if (call == "asked") {
            run.is_asked_for |= !run.launches.empty();
        } else if (words >> bytes >> error) {
            run.copies.push_back({.way = call,
                                  .error = error == "cudaSuccess" ? "" : error,
                                  .is_after_launch = !run.launches.empty()});
        }
    }
}

// Parses a report. A line that is not in the learner's file is dropped.
SeenReport report_in(const Json& json) {
    SeenReport report{.check = json.at("check"),
                      .kind = json.at("kind"),
                      .message = json.at("message"),
                      .cure = json.at("cure"),
                      .block = json.at("block"),
                      .thread = json.at("thread")};
    if (json.at("file") == kLearnersFile) report.line = json.at("line");
    return report;
}

SeenStores stores_in(const Json& kernel) {
    SeenStores stores{.launches = kernel.at("launches"), .bytes = kernel.at("store_useful_bytes")};
    long long most = 0;
    for (const Json& line : kernel.at("lines")) {
        const long long bytes = line.at("store_useful_bytes");
        if (line.at("file") != kLearnersFile || bytes <= most) continue;
        most = bytes;
        stores.line = line.at("line");
    }
    return stores;
}

// Reads the reports and the kernels' stores. A program that was killed by a signal leaves none.
void take_reports(const fs::path& file, WitnessedRun& run) {
    const Json json = Json::parse(read_if_there(file).value_or(""), nullptr, false);
    if (json.is_discarded()) return;
    for (const Json& report : json.at("reports")) run.reports.push_back(report_in(report));
    for (const Json& kernel : json.at("kernels")) {
        // If `launches` is 0, none of the kernel's launches ran to completion.
        if (kernel.at("launches") != 0) run.stores.push_back(stores_in(kernel));
    }
}

}  // namespace

WitnessedRun run_witnessed(const ProgramRun& run) {
    const TemporaryFolder folder;
    const fs::path report = folder / "report.json";
    std::vector<std::string> environment = {
        std::string(witness::kFolder) + "=" + folder.path.string(),
        "LD_PRELOAD=" COALESCE_WITNESS_LIBRARY};
    if (run.launches_fail) environment.push_back(std::string(witness::kRefuses) + "=1");
    WitnessedRun result;
    result.ended = run_child({COALESCE_SIMULATE, "--quiet", "--check", "all,leakcheck", "--json",
                              report.string(), "--max-instructions", kMostInstructions,
                              "./" + run.program.filename().string(), std::to_string(run.elements)},
                             kSecondsOfProgram, environment, run.program.parent_path());
    take_calls(folder / witness::kCalls, result);
    take_reports(report, result);
    result.in = floats_in(folder / witness::kIn);
    result.out = floats_in(folder / witness::kOut);
    return result;
}

}  // namespace coalesce
