// Calls a function that only the simulator exports, as in FIND(coalesceGetCounters)(...).
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "../../base/coalesce_simulator.h"

template <class Function>
Function* find(const char* name) {
    void* address = dlsym(RTLD_DEFAULT, name);
    if (!address) std::printf("%s is not there\n", name);
    if (!address) std::exit(1);
    return reinterpret_cast<Function*>(address);
}
#define FIND(name) find<decltype(name)>(#name)
