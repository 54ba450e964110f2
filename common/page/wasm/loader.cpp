// Replaces the dynamic loader, which does not exist in a page. The simulator's functions are linked
// statically, and this file finds them by name for harness/simulator_function.h.
#include <cstring>

#include "simulator/base/coalesce_simulator.h"

namespace {

struct NamedFunction {
    const char* name;
    void* function;
};

#define NAMED_FUNCTION(name) \
    { #name, reinterpret_cast < void*>(&name) }

const NamedFunction named_functions[] = {
    NAMED_FUNCTION(coalesceSimulatorVersion),
    NAMED_FUNCTION(coalesceResetCounters),
    NAMED_FUNCTION(coalesceGetKernels),
    NAMED_FUNCTION(coalesceGetKernel),
    NAMED_FUNCTION(coalesceGetLineCount),
    NAMED_FUNCTION(coalesceGetLine),
    NAMED_FUNCTION(coalesceTraceWarp),
    NAMED_FUNCTION(coalesceGetAccessCount),
    NAMED_FUNCTION(coalesceGetAccess),
    NAMED_FUNCTION(coalesceRecord),
    NAMED_FUNCTION(coalescePredict),
    NAMED_FUNCTION(coalesceGetReports),
    NAMED_FUNCTION(coalesceGetReport),
    NAMED_FUNCTION(coalesceClearReports),
    NAMED_FUNCTION(coalesceSetChecks),
    NAMED_FUNCTION(coalesceSetMaxInstructions),
    NAMED_FUNCTION(coalesceSetQuiet),
    NAMED_FUNCTION(coalesceClearError),
    NAMED_FUNCTION(coalesceSetOrder),
    NAMED_FUNCTION(coalesceMarkUnwritten),
    NAMED_FUNCTION(coalesceDrawAddresses),
    NAMED_FUNCTION(coalesceSetPrinting),
    NAMED_FUNCTION(coalesceGetPrintCalls),
    NAMED_FUNCTION(coalesceDrawSample),
    NAMED_FUNCTION(coalesceGetSpecialRequests),
    NAMED_FUNCTION(coalesceTraceSteps),
    NAMED_FUNCTION(coalesceGetTrace),
};

}  // namespace

extern "C" void* dlsym(void*, const char* name) {
    for (const NamedFunction& one : named_functions) {
        if (std::strcmp(one.name, name) == 0) return one.function;
    }
    return nullptr;
}
