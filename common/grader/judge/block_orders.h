/// \file
/// The orders in which blocks may have to take their tiles, by the names that manifests use.
#pragma once

#include <optional>
#include <string>

#include "kernel/examine.h"

namespace coalesce::grader {

/// "diagonal", "in-turn"; nothing for names that are not known.
std::optional<BlockOrder> block_order_called(const std::string& name);

}  // namespace coalesce::grader
