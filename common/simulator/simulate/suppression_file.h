// The file of `simulate --suppress`: known reports that are left out, in TOML.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/report/selection.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

struct SuppressionError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads a file of suppressions. Throws a SuppressionError that names the file and the line if it
/// is not valid.
std::vector<Suppression> read_suppressions(const std::string& file);

/// Returns a file that leaves out all reports of the run, as TOML.
std::string suppressions_of(const Json& run);

}  // namespace coalesce::simulator
