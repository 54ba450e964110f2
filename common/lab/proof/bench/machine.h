/// \file
/// Describes the machine on which a benchmark runs, so that a reader can repeat the run.
#pragma once

#include <future>
#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// Returns what nvidia-smi reports about the first GPU, such as its clocks and temperature. Returns
/// an empty object if nvidia-smi fails. The call takes a few tenths of a second.
Json ask_nvidia_smi();

/// Runs nvidia-smi in another thread, so that the clocks are read while the GPU is working.
inline std::future<Json> start_nvidia_smi_query() {
    return std::async(std::launch::async, ask_nvidia_smi);
}

/// Returns the record of a run, with the date in UTC, the commit of the source, the toolkit, and
/// the members of `more`. If `commit` is empty, asks git for it.
Json run_record(const std::string& commit, const Json& more);

}  // namespace coalesce::proof
