// Which line of a kernel stored something that is wrong: looked up, where several lines store.
#pragma once

#include "kernel/causes.h"

namespace coalesce {

/// The line that stored the first bad cell; 0 when that cannot be found out, or takes too long.
int line_that_stored_wrong(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
