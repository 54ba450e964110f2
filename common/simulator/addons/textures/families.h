// Declares the functions that describe families of texture and surface instructions. Each function
// is defined next to the handlers of its family.
#pragma once

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

// Defined in texture_fetch.cpp.
DescribeFunction describe_fetch, describe_query, describe_is_type;
// Defined in surface_access.cpp.
DescribeFunction describe_surface;

}  // namespace coalesce::simulator
