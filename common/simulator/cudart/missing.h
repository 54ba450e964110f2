// Reports calls to functions that are not simulated.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports that `function` is not simulated, and says what to use instead. A call that only queries
/// something does no harm, so its message goes to stderr and is not a report. Sets the thread's
/// last error and returns cudaErrorNotSupported.
int report_missing(const char* function, const char* hint);

}  // namespace coalesce::simulator::cudart
