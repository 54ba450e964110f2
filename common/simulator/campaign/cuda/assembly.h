// Instructions that no expression of C++ gives, or seldom.
#pragma once

#include <string>

#include "campaign/cuda/kernel.h"

namespace coalesce::campaign {

/// A call of a device function of one or few instructions, as a `type`.
std::string assembly(Kernel& kernel, Type type, Same most, int depth);

}  // namespace coalesce::campaign
