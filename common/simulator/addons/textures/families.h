// Declares the families of texture and surface instructions. Each family has a function, which is
// defined next to its handlers.
#pragma once

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

// texture_fetch.cpp
Describe describe_fetch, describe_query, describe_is_type;
// surface_access.cpp
Describe describe_surface;

}  // namespace coalesce::simulator
