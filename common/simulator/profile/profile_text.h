// Formats the counters in the style of a profiler: a table per kernel, and the kernel's source with
// the counters below each line that accesses memory. All lines have at most 80 columns.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/profile/kernel_table.h"
#include "simulator/profile/predicted_times.h"

namespace coalesce::simulator {

/// Returns the device's name, followed by a table of counters for each kernel. If `predicted_times`
/// is not null, a table of the predicted times of kernels follows, with the longest time first.
std::string profile_text(const std::string& device, const std::vector<KernelRow>& kernels,
                         bool uses_colour, const PredictedTimes* predicted_times = nullptr);

/// A function that returns the lines of a source file, or nothing if the file cannot be read.
using SourceReader = std::function<std::optional<std::vector<std::string>>(const std::string&)>;
std::optional<std::vector<std::string>> read_source(const std::string& file);

/// Returns every kernel's source lines, with the counters below each line that accesses memory. If
/// a source file cannot be read, the text contains only its line numbers.
std::string annotated_text(const std::vector<KernelRow>& kernels, const SourceReader& source,
                           bool uses_colour);

}  // namespace coalesce::simulator
