// How a program calls the simulator that it may run on: by the functions of the simulator's C header,
// found by their names at run time. Nothing is linked, so that the same program runs on NVIDIA's
// libcudart, which has none of them.
#pragma once

#include <dlfcn.h>

#include <string>

#include "base/errors.h"
#include "harness/counters.h"
#include "simulator/base/coalesce_simulator.h"

namespace coalesce::simulator_library {

/// The simulator's function of that name; null when NVIDIA's libcudart is loaded.
template <class Function>
Function* look_up(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// The same, when it must be there.
template <class Function>
Function* find(const char* name) {
    auto* function = look_up<Function>(name);
    if (!function) {
        throw UsageError(std::string("the simulator that is loaded has no ") + name +
                         ": build the simulator and this program from the same source");
    }
    return function;
}

/// Adds the simulator's counts to ours.
void add(const CoalesceCounters& from, Counters& to);

/// A pointer to one of the header's functions: SIMULATOR_FUNCTION(coalesceGetReports)().
#define SIMULATOR_FUNCTION(name) (::coalesce::simulator_library::find<decltype(name)>(#name))

/// Calls `visit(report)` for what kernels did. Of calls that failed the harness knows by what they returned.
template <class Visit>
void for_each_report(Visit visit) {
    const std::size_t count = SIMULATOR_FUNCTION(coalesceGetReports)();
    auto* get = SIMULATOR_FUNCTION(coalesceGetReport);
    for (std::size_t i = 0; i < count; ++i) {
        CoalesceReport report{};
        if (get(i, &report) == 0 && std::string(report.check) != "apicheck") visit(report);
    }
}

}  // namespace coalesce::simulator_library
