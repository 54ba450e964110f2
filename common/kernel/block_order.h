// Which tile each block takes: seen from the first address that it loads.
#pragma once

#include <functional>
#include <optional>

#include "kernel/examine.h"
#include "kernel/trial.h"

namespace coalesce {

/// Launches once for each block; `launch` traces one warp. Nothing when all blocks take the tiles
/// that they should, or when the simulator can not tell.
std::optional<Failure> wrong_block_order(
    const BlockOrder& order, const std::string& file_name,
    const std::function<Trial(Shape shape, const TracedWarp& traced)>& launch);

}  // namespace coalesce
