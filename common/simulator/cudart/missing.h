// Reports calls to functions that are not simulated.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports that `function` is not simulated, and says what to use instead. For a function that only
/// queries something, prints the message on stderr instead of reporting an error. Sets the thread's
/// last error and returns cudaErrorNotSupported.
int report_missing(const char* function, const char* alternative);

}  // namespace coalesce::simulator::cudart
