// The result of functions that are not simulated.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports that `function` is not simulated, and what to do instead. For a function that only
/// queries something, prints this on stderr. Sets the thread's last error. Returns
/// cudaErrorNotSupported.
int report_missing(const char* function, const char* hint);

}  // namespace coalesce::simulator::cudart
