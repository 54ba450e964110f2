// See missing.h.
#include "cudart/missing.h"

#include "cudart/api.h"

namespace coalesce::sim::cudart {

int report_missing(const char* function, const char* hint) {
    return answer("", [&] {
        explain(std::string(function) + " is not simulated; " + hint + ".");
        return cudaErrorNotSupported;
    });
}

}  // namespace coalesce::sim::cudart
