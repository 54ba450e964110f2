/// \file
/// Ranks with memory and streams of their own.
#pragma once

#include "harness/options.h"
#include "many/many.h"

namespace coalesce::many {

class OwnRanks {
public:
    /// A matrix of that shape over the GPUs of `team.devices`.
    OwnRanks(Shape shape, const std::vector<int>& devices, Team& team);
    ~OwnRanks();
    OwnRanks(const OwnRanks&) = delete;
    OwnRanks& operator=(const OwnRanks&) = delete;

    const Ranks& ranks() const { return ranks_; }

private:
    std::vector<DeviceBuffer> buffers_;
    Ranks ranks_;
};

}  // namespace coalesce::many
