/// \file
/// All kernels of the course in one process: each step's main.cu is also built as a module, which
/// is loaded here, and whose `main` then hands its list of variants to us.
#pragma once

#include <string>
#include <vector>

#include "harness/harness.h"

namespace coalesce::proof {

/// A step, or the rivals, with what its program would run.
struct StepVariants {
    std::string name;  ///< "02_naive", "rivals"
    std::vector<Variant> variants;
};

/// Loads the modules of those names (the folder `modules` beside this program has them). They stay
/// loaded to the end, because the variants point into them. Throws UsageError when one is not
/// there.
std::vector<StepVariants> load_steps(const std::vector<std::string>& names);

/// Whether there is a module of that name.
bool has_module(const std::string& name);

}  // namespace coalesce::proof
