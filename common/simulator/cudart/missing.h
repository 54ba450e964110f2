// The answer of a function that is not simulated.
#pragma once

namespace coalesce::simulator::cudart {

/// Reports that `function` is not simulated, and what to do instead; one that only asks for
/// something says so on stderr. Becomes the thread's last error. Returns cudaErrorNotSupported.
int report_missing(const char* function, const char* hint);

}  // namespace coalesce::simulator::cudart
