// Reads and writes the suppression files of `simulate --suppress`, which are TOML files that list
// known reports.
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

/// Reads a file of suppressions. If the file is not valid, throws a SuppressionError that names the
/// file and the line.
std::vector<Suppression> read_suppressions(const std::string& file);

/// Returns the TOML text of a suppression file that suppresses all reports of the run.
std::string make_suppressions_text(const Json& run);

}  // namespace coalesce::simulator
