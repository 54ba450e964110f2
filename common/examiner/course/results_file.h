/// \file
/// Results of lessons as files, which `learn run --json`, `bench` and `learn results` write. Whoever shows
/// them has them checked first, so that a wrong file is an error and never a blank in a table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/codec.h"

namespace coalesce::course {

/// What a file of results tells.
enum class ResultsKind {
    measured,   ///< times, on a GPU
    counted,    ///< counters, of the simulated GPU
    predicted,  ///< times, by the model
};

/// A field that is missing or wrong: "results[3].ms: a number above 0 was expected".
using ResultsError = codec::Error;

/// Checks every field that tables and charts show. Throws ResultsError for the first that is wrong.
ResultsKind check_results(const nlohmann::ordered_json& run);

/// Whether it is of host code, or of a transfer.
bool is_of_host(const nlohmann::ordered_json& result);

/// Whether it has a time that can be compared with its lesson's first: of a kernel, of a whole matrix of
/// floats. Host code, transfers, halves of a transpose, other elements and other arrays have none.
bool is_contender(const nlohmann::ordered_json& result);

/// The fastest contender of a lesson, among any results; nullptr: there is none.
const nlohmann::ordered_json* fastest_of(const std::string& step, const auto& results) {
    const nlohmann::ordered_json* fastest = nullptr;
    for (const nlohmann::ordered_json& result : results) {
        if (result.at("step") != step || !is_contender(result)) continue;
        if (!fastest || result.at("gbps") > fastest->at("gbps")) fastest = &result;
    }
    return fastest;
}

}  // namespace coalesce::course
