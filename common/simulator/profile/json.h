// The JSON report, which the harness, the checker and tests read.
#pragma once

#include <string>
#include <vector>

#include "simulator/profile/exactness_summary.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/profile/predicted_times.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// The version of the format. The version stays the same when fields are added. It changes only if
/// programs for the old format could misunderstand the new format. docs/guide/simulate.schema.json
/// describes the format.
inline constexpr int kSchemaVersion = 1;

/// Returns
///     {"schema_version": 1, "device": NAME,
///      "kernels": [{"name", "launches", "stopped", "grid": [x,y,z], "block": [x,y,z],
///                   "registers" (estimated), every counter of kCounters,
///                   "lines": [{"file", "line", the counters that lines have}]}],
///      "reports": [{"check", "kind", "file", "line", "kernel", "block": [x,y,z],
///                   "thread": [x,y,z], "count", "address": "0x...", "message", "cure",
///                   "other_file", "other_line", "other_block", "other_thread"}]}
/// A launch that was stopped by an error is counted only in "stopped". A kernel without a completed
/// launch has no counters. "only_counted" is the number of launches that were not checked because
/// of --sample. "suppressed" is the number of reports that were suppressed. Reports are sorted by
/// kernel, place and kind, so the same run gives the same text.
///
/// If `predicted_times` is not null, each kernel has "predicted": {"gpu", "measured_gpu", "ms" (of
/// all launches that have a time), "launches_like_others", "launches_left_out", "left_out_because",
/// "error_band", "binds" and "longest" (of the launch that takes longest, as in
/// timing/prediction.h), "unknown"}. "binds" and "longest" are missing if no launch has a time.
///
/// If `exactness` is not null, there is "exactness": {"warp_instructions", "exact", "last_bits":
/// {NAME: warp instructions}, "values": {NAME: ...}, "no_effect": {NAME: ...}, "host_functions":
/// [...], "newer_targets": [...], "checks_off": [...], "launches_only_counted", "not_covered":
/// [...]}: see exactness_summary.h.
std::string to_json(const std::string& device, const std::vector<KernelRow>& kernels,
                    std::vector<Report> reports, const PredictedTimes* predicted_times = nullptr,
                    const ExactnessSummary* exactness = nullptr);

}  // namespace coalesce::simulator
