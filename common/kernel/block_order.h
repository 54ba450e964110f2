// Which tile each block takes: seen from the first address that it loads.
#pragma once

#include <functional>
#include <optional>

#include "kernel/examine.h"
#include "kernel/trial.h"

namespace coalesce {

/// The first block that takes another tile than the order has for it. Launches once for each block,
/// by `launch`, which traces one warp: the checks launch in their own process, the grader in a jail.
/// Nothing when all blocks take their tiles, or when there are more blocks than tiles could need.
std::optional<Failure> wrong_block_order(
    const BlockOrder& order, const std::string& file_name,
    const std::function<Trial(Shape shape, const TracedWarp& traced)>& launch);

}  // namespace coalesce
