// Records the work that our replacements for NVIDIA's libraries have done on the host instead of in
// kernels. The report lists this work, but no counter includes it.
#pragma once

#include <map>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

void note_host_work(const std::string& function);
/// Returns the number of calls to each function.
std::map<std::string, u64> host_work();
/// Returns a text with one line for each called function, such as "cublasSgemm: 3 calls, on the
/// host, not counted". Returns "" if there were no calls.
std::string host_work_text();

}  // namespace coalesce::simulator
