// See missing.h.
#include "simulator/cudart/missing.h"

#include <cctype>

#include "simulator/cudart/api.h"

namespace coalesce::simulator::cudart {
namespace {

/// A question leaves no work undone: a program has its answer, and may have another way. (cudaIpcGetMemHandle
/// asks nothing: another process is to have the memory.)
bool is_question(const std::string& function) {
    return function.find("Get") != function.npos && function.find("Ipc") == function.npos;
}

std::string as_sentence(std::string words) {
    words[0] = static_cast<char>(std::toupper(words[0]));
    return words + ".";
}

}  // namespace

int report_missing(const char* function, const char* hint) {
    return answer("", [&] {
        const std::string what = std::string(function) + " is not simulated";
        if (is_question(function))
            explain(what + "; " + hint + ".");
        else
            report_unsupported(what + ".", as_sentence(hint));
        fail(cudaErrorNotSupported);
    });
}

}  // namespace coalesce::simulator::cudart
