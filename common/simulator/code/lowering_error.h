// Defines the error that is thrown if a kernel cannot be lowered.
#pragma once

#include <stdexcept>
#include <string>

#include "simulator/report/reports.h"

namespace coalesce::simulator {

struct LoweringError : std::runtime_error {
    explicit LoweringError(const std::string& reason, Place where = {})
        : std::runtime_error(reason), where(std::move(where)) {}
    Place where;
};

}  // namespace coalesce::simulator
