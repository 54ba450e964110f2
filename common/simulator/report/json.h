// The machine-readable report: what harness, checker and tests read.
#pragma once

#include <string>
#include <vector>

#include "report/kernel_table.h"
#include "report/reports.h"

namespace coalesce::sim {

/// {"device": NAME,
///  "kernels": [{"name", "launches", "grid": [x,y,z], "block": [x,y,z], every counter of
///               kCounters, "lines": [{"file", "line", the counters that lines have}]}],
///  "reports": [{"check", "kind", "file", "line", "kernel", "block": [x,y,z], "thread": [x,y,z],
///               "count", "address": "0x...", "message", "cure", "other_file", "other_line",
///               "other_block", "other_thread"}]}
/// Reports stand in the order of kernel, place and kind: the same run gives the same text.
std::string to_json(const std::string& device, const std::vector<KernelRow>& kernels,
                    std::vector<Report> reports);

}  // namespace coalesce::sim
