// See missing.h.
#include "simulator/cudart/missing.h"

#include <cctype>

#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {
namespace {

/// Reports whether the function is a query. A query that fails leaves no work undone, and the
/// program may handle the error. (cudaIpcGetMemHandle is not a query: it shares memory with another
/// process.)
bool is_query(const std::string& function) {
    return function.find("Get") != function.npos && function.find("Ipc") == function.npos;
}

std::string capitalize(std::string words) {
    words[0] = static_cast<char>(std::toupper(words[0]));
    return words + ".";
}

}  // namespace

int report_missing(const char* function, const char* hint) {
    return answer("", [&] {
        const std::string what = std::string(function) + " is not simulated";
        if (is_query(function))
            explain(what + "; " + hint + ".");
        else
            report_unsupported(what + ".", capitalize(hint));
        fail(cudaErrorNotSupported);
    });
}

}  // namespace coalesce::simulator::cudart
