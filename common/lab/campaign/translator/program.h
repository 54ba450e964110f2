// Several kernels in one source, so that a compiler reads the headers once.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::random_kernels {

struct Kernel {
    std::string name;  ///< "learner_17": its style and its seed; "campaign_17" is of Style::exact
    std::string text;  ///< as it was generated, its kernel being `kernel`
    campaign::Launch launch;
};

/// Kernel number `index` of the endless row: two of three are of Style::learner.
Kernel kernel_of(campaign::u64 index);
/// By its name.
Kernel kernel_of(const std::string& name);

/// One source of all of them. Each is in a namespace of its own, its kernel called what it is called.
std::string source_of(const std::vector<Kernel>& kernels);

}  // namespace coalesce::random_kernels
