// Random kernels as a learner might write them: see learner.h.
#pragma once

#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::random_kernels {

/// The text of one kernel, which keeps to the campaign's contract; the same seed gives the same text.
/// Unlike the campaign's own, it leaves the rounding of a product in a sum to the compiler: two that get
/// the same LLVM IR have to agree, others need not.
std::string generate_learner(campaign::u64 seed);

}  // namespace coalesce::random_kernels
