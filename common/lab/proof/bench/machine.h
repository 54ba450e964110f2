/// \file
/// Describes the machine on which a benchmark runs, so that a reader can repeat the run.
#pragma once

#include <future>
#include <string>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// Returns what nvidia-smi reports about the first GPU, such as its clock rates and temperature.
/// Returns an empty object if nvidia-smi fails. The call takes a few tenths of a second.
Json query_gpu_state();

/// Runs nvidia-smi in another thread, so that it reads the clock rates while the GPU is working.
inline std::future<Json> start_gpu_state_query() {
    return std::async(std::launch::async, query_gpu_state);
}

/// Returns the record of a run, with the date in UTC, the commit of the source, the toolkit, and
/// the members of `additional_fields`. If `commit` is empty, asks git for it.
Json make_run_record(const std::string& commit, const Json& additional_fields);

}  // namespace coalesce::proof
