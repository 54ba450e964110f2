// Calls functions of the simulator in programs that run on the simulator. The functions of the
// simulator's C header are looked up by name at run time. Nothing is linked, so the same program
// also runs with NVIDIA's libcudart, which does not have these functions.
#pragma once

#include <dlfcn.h>

#include <string>

#include "base/errors.h"
#include "harness/counters.h"
#include "simulator/base/coalesce_simulator.h"

namespace coalesce::simulator_library {

/// Returns the simulator's function with this name, or null if NVIDIA's libcudart is loaded.
template <class Function>
Function* look_up(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Returns the simulator's function with this name. Throws UsageError if there is none.
template <class Function>
Function* find(const char* name) {
    auto* function = look_up<Function>(name);
    if (!function) {
        throw UsageError(std::string("the loaded simulator has no function ") + name +
                         ": build the simulator and this program from the same source");
    }
    return function;
}

/// Adds the simulator's counters in `from` to `to`.
void add(const CoalesceCounters& from, Counters& to);

/// Returns a pointer to a function that the simulator's header declares, as in
/// SIMULATOR_FUNCTION(coalesceGetReports)().
#define SIMULATOR_FUNCTION(name) (::coalesce::simulator_library::find<decltype(name)>(#name))

/// Calls `visit(report)` for each report about a kernel. Leaves out reports about failed calls,
/// because the harness sees the errors that those calls return.
template <class Visit>
void for_each_report(Visit visit) {
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetReports)();
    auto* get_report = SIMULATOR_FUNCTION(coalesceGetReport);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceReport report{};
        if (get_report(i, &report) == 0 && std::string(report.check) != "apicheck") visit(report);
    }
}

}  // namespace coalesce::simulator_library
