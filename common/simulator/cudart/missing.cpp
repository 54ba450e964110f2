// Defines every function that NVIDIA's library has and ours does not implement, so that programs
// that refer to such functions can start. A call reports the function's name.
//
// The header with the real declarations is deliberately left out: the functions here ignore their
// parameters.
#include "simulator/cudart/missing.h"
#include "simulator/base/subjects.h"

using namespace coalesce::simulator::subjects;

#define COALESCE_MISSING(function, subject)                                             \
    extern "C" int function() {                                                         \
        return coalesce::simulator::cudart::report_missing(#function, subject.instead); \
    }
#include "simulator/cudart/missing_list.inc"
