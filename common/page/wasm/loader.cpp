// Replaces the dynamic loader, which does not exist in a page. The simulator's functions are linked
// statically, and this file finds them by name for harness/simulator_function.h.
#include <cstring>

#include "simulator/base/coalesce_simulator.h"

namespace {

struct NamedFunction {
    const char* name;
    void* function;
};

#define LINKED(name) \
    { #name, reinterpret_cast < void*>(&name) }

const NamedFunction named_functions[] = {
    LINKED(coalesceSimulatorVersion), LINKED(coalesceResetCounters),
    LINKED(coalesceGetKernels),       LINKED(coalesceGetKernel),
    LINKED(coalesceGetLineCount),     LINKED(coalesceGetLine),
    LINKED(coalesceTraceWarp),        LINKED(coalesceGetAccessCount),
    LINKED(coalesceGetAccess),        LINKED(coalesceRecord),
    LINKED(coalescePredict),          LINKED(coalesceGetReports),
    LINKED(coalesceGetReport),        LINKED(coalesceClearReports),
    LINKED(coalesceSetChecks),        LINKED(coalesceSetMaxInstructions),
    LINKED(coalesceSetQuiet),         LINKED(coalesceClearError),
    LINKED(coalesceSetOrder),         LINKED(coalesceMarkUnwritten),
    LINKED(coalesceDrawAddresses),    LINKED(coalesceSetPrinting),
    LINKED(coalesceGetPrintCalls),    LINKED(coalesceDrawSample),
    LINKED(coalesceTraceSteps),       LINKED(coalesceGetTrace),
};

}  // namespace

extern "C" void* dlsym(void*, const char* name) {
    for (const NamedFunction& one : named_functions) {
        if (std::strcmp(one.name, name) == 0) return one.function;
    }
    return nullptr;
}
