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

std::string make_sentence(std::string phrase) {
    phrase[0] = static_cast<char>(std::toupper(phrase[0]));
    return phrase + ".";
}

}  // namespace

int report_missing(const char* function, const char* alternative) {
    return run_call("", [&] {
        const std::string missing_text = std::string(function) + " is not simulated";
        if (is_query(function))
            explain(missing_text + "; " + alternative + ".");
        else
            report_unsupported(missing_text + ".", make_sentence(alternative));
        fail(cudaErrorNotSupported);
    });
}

}  // namespace coalesce::simulator::cudart
