// What stand-ins for NVIDIA's libraries did on the host, in place of kernels: named in the report, counted nowhere.
#pragma once

#include <map>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

void note_host_work(const std::string& function);
/// Calls by function.
std::map<std::string, u64> host_work();
/// "cublasSgemm: 3 calls, on the host, not counted", a line each; "" when there were none.
std::string host_work_text();

}  // namespace coalesce::simulator
