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

// The instruction limit of a run. It stops an infinite loop early, and is far above the few
// thousand instructions that a kernel needs for a few thousand elements.
constexpr const char* kMostInstructions = "20000000";

std::vector<float> read_floats(const fs::path& file) {
    const std::string bytes = read_if_exists(file).value_or("");
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

void read_calls(const fs::path& file, RecordedRun& run) {
    std::istringstream lines(read_if_exists(file).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string call, bytes, error;
        words >> call;
        if (call == "launch") {
            RecordedLaunch launch;
            for (long long& extent : launch.shape.grid) words >> extent;
            for (long long& extent : launch.shape.block) words >> extent;
            launch.is_good = words >> error && error == "cudaSuccess";
            run.launches.push_back(launch);
        } else if (call == "asked") {
            run.has_checked_error |= !run.launches.empty();
        } else if (words >> bytes >> error) {
            run.copies.push_back({.direction = call,
                                  .error = error == "cudaSuccess" ? "" : error,
                                  .is_after_launch = !run.launches.empty()});
        }
    }
}

// Parses a report. Sets the line to 0 if the report is about another file.
RecordedReport parse_report(const Json& json) {
    RecordedReport report{.check = json.at("check"),
                          .kind = json.at("kind"),
                          .message = json.at("message"),
                          .cure = json.at("cure"),
                          .block = json.at("block"),
                          .thread = json.at("thread")};
    if (json.at("file") == kLearnerFile) report.line = json.at("line");
    return report;
}

RecordedStores read_stores(const Json& kernel) {
    RecordedStores stores{.launches = kernel.at("launches"),
                          .bytes = kernel.at("store_useful_bytes")};
    long long most_bytes = 0;
    for (const Json& line : kernel.at("lines")) {
        const long long bytes = line.at("store_useful_bytes");
        if (line.at("file") != kLearnerFile || bytes <= most_bytes) continue;
        most_bytes = bytes;
        stores.line = line.at("line");
    }
    return stores;
}

// Reads the reports and the kernels' stores from a file. A program that was killed with SIGKILL
// does not write the file.
void read_reports(const fs::path& file, RecordedRun& run) {
    const Json json = Json::parse(read_if_exists(file).value_or(""), nullptr, false);
    if (json.is_discarded()) return;
    for (const Json& report : json.at("reports")) run.reports.push_back(parse_report(report));
    for (const Json& kernel : json.at("kernels")) {
        // If `launches` is 0, no launch of the kernel ran to completion.
        if (kernel.at("launches") != 0) run.stores.push_back(read_stores(kernel));
    }
}

}  // namespace

RecordedRun run_recorded(const ProgramRun& run) {
    const TemporaryFolder folder;
    const fs::path report = folder / "report.json";
    std::vector<std::string> environment = {
        std::string(witness::kFolderVariable) + "=" + folder.path.string(),
        "LD_PRELOAD=" COALESCE_WITNESS_LIBRARY};
    if (run.should_fail_launches)
        environment.push_back(std::string(witness::kRefuseVariable) + "=1");
    RecordedRun result;
    result.process_result =
        run_child({COALESCE_SIMULATE, "--quiet", "--check", "all,leakcheck", "--json",
                   report.string(), "--max-instructions", kMostInstructions,
                   "./" + run.program.filename().string(), std::to_string(run.elements)},
                  kProgramSeconds, environment, run.program.parent_path());
    read_calls(folder / witness::kCallsFile, result);
    read_reports(report, result);
    result.in = read_floats(folder / witness::kInputFile);
    result.out = read_floats(folder / witness::kOutputFile);
    return result;
}

}  // namespace coalesce
