// What NVIDIA's library has and this one does not: every such function exists, so that a program
// that merely mentions it starts, and says its name when it is called.
//
// The header with the real declarations is left out on purpose: here these functions take whatever
// they are given and look at none of it.
#include "simulator/cudart/missing.h"
#include "simulator/base/subjects.h"

using namespace coalesce::simulator::subjects;

#define COALESCE_MISSING(function, subject)                                             \
    extern "C" int function() {                                                         \
        return coalesce::simulator::cudart::report_missing(#function, subject.instead); \
    }
#include "simulator/cudart/missing_list.inc"
