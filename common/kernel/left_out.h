// What a warp moves, stage by stage: where less goes on than came in, elements are left out.
#pragma once

#include <optional>
#include <string>

#include "kernel/causes.h"

namespace coalesce {

/// Where elements are left out.
struct LeftOut {
    std::string sentence;  ///< "a warp stores 128 elements of `out`, but reads only 32 of `in`."
    int line = 0;          ///< the first that does less
    std::string next;
};

/// Nothing when the first warp moves as many elements at each stage, or when its code ends before it
/// has moved all.
std::optional<LeftOut> elements_left_out(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce
