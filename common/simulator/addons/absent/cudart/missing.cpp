// Defines the functions of addons/graphs and addons/textures in a build without addons. Each of
// them reports that it is not simulated (cudart/missing.cpp).
#include "simulator/cudart/missing.h"
#include "simulator/base/subjects.h"

constexpr coalesce::simulator::subjects::Subject addons{
    "graphs and textures in a build without addons", "build with -DCOALESCE_ADDONS=ON"};

#define COALESCE_MISSING(function, subject)                                                 \
    extern "C" int function() {                                                             \
        return coalesce::simulator::cudart::report_missing(#function, subject.alternative); \
    }
#include "simulator/addons/absent/missing_list.inc"
