// Defines the functions of NVIDIA's libcuda.so.1 that are not simulated. See cudart/missing.cpp.
#include "simulator/base/subjects.h"
#include "simulator/cudart/driver_support.h"

using namespace coalesce::simulator::subjects;

#define COALESCE_MISSING(function, subject)                           \
    extern "C" int function() {                                       \
        return coalesceDriverMissing(#function, subject.alternative); \
    }
#include "simulator/addons/driver/missing_list.inc"
