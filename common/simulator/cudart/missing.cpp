// What NVIDIA's library has and this one does not: every such function exists, so that a program
// that merely mentions it starts, and says its name when it is called.
//
// The header with the real declarations is left out on purpose: here these functions take whatever
// they are given and look at none of it.
#include "cudart/missing.h"

namespace {

// What to do instead, by subject.
constexpr const char* arrays = "use plain device memory and index it";
constexpr const char* graphics = "there is no graphics here; copy through host memory";
constexpr const char* sharing =
    "the simulated device belongs to one process; copy through host memory";
constexpr const char* batches = "make one call for each operation of the batch";
constexpr const char* other = "run this part of the program on a GPU";

}  // namespace

#define COALESCE_MISSING(function, instead)                               \
    extern "C" int function() {                                           \
        return coalesce::sim::cudart::report_missing(#function, instead); \
    }
#include "cudart/missing_list.inc"
