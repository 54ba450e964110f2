/// \file
/// Checks the results files that `learn run --json`, `bench` and `learn results` write. Programs
/// check a file before they show its results, so that a malformed file causes an error instead of a
/// blank in a table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/codec.h"

namespace coalesce::course {

/// The kinds of results files.
enum class ResultsKind {
    measured,   ///< times measured on a GPU
    counted,    ///< counters of the simulated GPU
    predicted,  ///< times predicted by the model
};

/// An error about a missing or invalid field: "results[3].ms: expected a number above 0".
using ResultsError = codec::Error;

/// Checks every field of a results file that tables and charts use, and returns the kind of its
/// results. Throws ResultsError for the first invalid field.
ResultsKind check_results(const nlohmann::ordered_json& run);

/// Reports whether a result belongs to host code or to a transfer between host and device.
bool is_host_result(const nlohmann::ordered_json& result);

/// Reports whether a result's time can be compared with the time of its lesson's first variant.
/// Only kernels that process a whole matrix of floats are comparable. For example, host code,
/// transfers and half transposes are not.
bool is_contender(const nlohmann::ordered_json& result);

/// Returns the fastest of those results of a lesson for which is_contender returns true, or
/// nullptr.
const nlohmann::ordered_json* find_fastest_result(const std::string& step, const auto& results) {
    const nlohmann::ordered_json* fastest_result = nullptr;
    for (const nlohmann::ordered_json& result : results) {
        if (result.at("step") != step || !is_contender(result)) continue;
        if (!fastest_result || result.at("gbps") > fastest_result->at("gbps"))
            fastest_result = &result;
    }
    return fastest_result;
}

}  // namespace coalesce::course
