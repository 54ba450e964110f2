// Reports calls to functions that are not simulated.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports that `function` is not simulated, and that `alternative` can be used instead. If
/// `function` only queries something, prints this message on stderr instead of reporting an error.
/// Sets the thread's last error and returns cudaErrorNotSupported.
int report_missing(const char* function, const char* alternative);

}  // namespace coalesce::simulator::cudart
