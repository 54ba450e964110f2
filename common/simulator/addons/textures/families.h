// Declares the families of texture and surface instructions. The function that describes a family
// is defined next to the family's handlers.
#pragma once

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

// Defined in texture_fetch.cpp.
Describe describe_fetch, describe_query, describe_is_type;
// Defined in surface_access.cpp.
Describe describe_surface;

}  // namespace coalesce::simulator
