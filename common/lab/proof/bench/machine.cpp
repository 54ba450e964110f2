#include "lab/proof/bench/machine.h"

#include <cuda_runtime_api.h>

#include <sstream>
#include <vector>

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"
#include "harness/text.h"

namespace coalesce::proof {
namespace {

constexpr double kMaxQuerySeconds = 20;

/// The names of fields in nvidia-smi's queries and in our results.
constexpr const char* kSmiFields[][2] = {
    {"name", "name"},
    {"driver_version", "driver_version"},
    {"clocks.sm", "sm_mhz"},
    {"clocks.mem", "memory_mhz"},
    {"clocks.max.sm", "max_sm_mhz"},
    {"clocks.max.mem", "max_memory_mhz"},
    {"temperature.gpu", "celsius"},
    {"power.draw", "watts"},
    {"clocks_throttle_reasons.active", "throttle_reasons"},
};

/// Returns the text as a number if it is one, otherwise as a string.
Json parse_number_or_text(const std::string& text) {
    std::istringstream stream(text);
    double number = 0;
    if (stream >> number && stream.eof()) return number;
    return text;
}

std::string find_source_commit() {
    // The pattern excludes all tags, so that git prints the whole hash.
    const ProcessResult process_result =
        run_child({"git", "-C", COALESCE_REPOSITORY, "describe", "--always", "--abbrev=40",
                   "--exclude=*", "--dirty=-changed"},
                  kMaxQuerySeconds);
    return process_result.exit_code == 0 ? trimmed(process_result.output) : "unknown";
}

/// Returns the answers to the first `count` queries, or an empty object if nvidia-smi rejects them.
Json query_nvidia_smi(std::size_t count) {
    std::string field_list;
    for (std::size_t i = 0; i < count; ++i) {
        field_list += (i == 0 ? "" : ",") + std::string(kSmiFields[i][0]);
    }
    const ProcessResult process_result = run_child(
        {"nvidia-smi", "--id=0", "--query-gpu=" + field_list, "--format=csv,noheader,nounits"},
        kMaxQuerySeconds);
    Json values_by_field = Json::object();
    if (process_result.exit_code != 0) return values_by_field;
    std::istringstream values(process_result.output.substr(0, process_result.output.find('\n')));
    for (std::size_t i = 0; i < count; ++i) {
        std::string value;
        if (std::getline(values, value, ','))
            values_by_field[kSmiFields[i][1]] = parse_number_or_text(trimmed(value));
    }
    return values_by_field;
}

}  // namespace

Json query_gpu_state() {
    // Some drivers do not know the name of the last field. nvidia-smi rejects a whole query that
    // contains an unknown name.
    for (const std::size_t count : {std::size(kSmiFields), std::size(kSmiFields) - 1}) {
        const Json gpu_state = query_nvidia_smi(count);
        if (!gpu_state.empty()) return gpu_state;
    }
    return Json::object();
}

Json make_run_record(const std::string& commit, const Json& additional_fields) {
    Json run{{"date", utc_time("%Y-%m-%d")},
             {"commit", commit.empty() ? find_source_commit() : commit},
             {"toolkit",
              format("CUDA %d.%d, g++ %d.%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
                     __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)}};
    run.update(additional_fields);
    return run;
}

}  // namespace coalesce::proof
