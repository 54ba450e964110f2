// Defines every function that NVIDIA's library exports and our library does not implement. Programs
// that refer to such functions could not start without these definitions. A call to such a function
// reports the function's name.
//
// The header with the real declarations is deliberately not included, because the functions here
// ignore their parameters.
#include "simulator/cudart/missing.h"
#include "simulator/base/subjects.h"

using namespace coalesce::simulator::subjects;

#define COALESCE_MISSING(function, subject)                                                 \
    extern "C" int function() {                                                             \
        return coalesce::simulator::cudart::report_missing(#function, subject.alternative); \
    }
#include "simulator/cudart/missing_list.inc"
