// The answer of a function that is not simulated.
#pragma once

namespace coalesce::sim::cudart {

/// Says on stderr that `function` is not simulated, and what to do instead; becomes the thread's
/// last error. Returns cudaErrorNotSupported.
int report_missing(const char* function, const char* hint);

}  // namespace coalesce::sim::cudart
