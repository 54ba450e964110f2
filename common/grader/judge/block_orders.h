/// \file
/// The orders in which blocks may have to take their tiles, by name, and whether a kernel does so.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernel/examine.h"
#include "kernel/trial.h"

namespace coalesce::grader {

/// "diagonal"; nothing for names that are not known.
std::optional<BlockOrder> block_order_called(const std::string& name);

/// The first block that takes another tile than the order has for it. As the course's own check in
/// kernel/block_order.h, for launches that are made elsewhere.
std::optional<Failure> wrong_order(const BlockOrder& order, const std::string& file_name,
                                   const std::function<Trial(const TracedWarp& traced)>& launch);

}  // namespace coalesce::grader
