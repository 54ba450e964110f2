/// \file
/// What the search had named as not tried.
#pragma once

#include <vector>

#include "proof/search/candidates.h"

namespace coalesce::proof {

void add_last_ideas(std::vector<Candidate>& all);

}  // namespace coalesce::proof
