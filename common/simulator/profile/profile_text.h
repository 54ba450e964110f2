// The counters as text, in the manner of a profiler: a table per kernel, and the kernel's source
// with the counters under each line that touches memory. All lines keep to 80 columns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/profile/kernel_table.h"
#include "simulator/profile/predicted_times.h"

namespace coalesce::simulator {

/// The table of one kernel after the other, led by the device's name; with `times`, a table of predicted
/// times follows, the longest first.
std::string profile_text(const std::string& device, const std::vector<KernelRow>& kernels,
                         bool colour, const PredictedTimes* times = nullptr);

/// Gives the lines of a source file, or nothing when it cannot be read.
using SourceReader = std::function<std::optional<std::vector<std::string>>(const std::string&)>;
std::optional<std::vector<std::string>> read_source(const std::string& file);

/// The source lines of every kernel, annotated. A file that cannot be read gives its line numbers.
std::string annotated_text(const std::vector<KernelRow>& kernels, const SourceReader& source,
                           bool colour);

}  // namespace coalesce::simulator
