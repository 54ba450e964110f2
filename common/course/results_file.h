/// \file
/// Results of lessons as files, which `learn run --json`, `bench` and `learn results` write. Whoever shows
/// them has them checked first, so that a wrong file is an error and never a blank in a table.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coalesce::course {

/// What a file of results tells.
enum class ResultsKind {
    measured,   ///< times, on a GPU
    counted,    ///< counters, of the simulated GPU
    predicted,  ///< times, by the model
};

/// A field that is missing or wrong: "results[3].ms: a number above 0 was expected".
struct ResultsError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Checks every field that tables and charts show. Throws ResultsError for the first that is wrong.
ResultsKind check_results(const nlohmann::ordered_json& run);

}  // namespace coalesce::course
