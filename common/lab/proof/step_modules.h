/// \file
/// Loads all kernels of the course into one process. Each step's main.cu is also built as a module,
/// which passes its list of variants to this code.
#pragma once

#include <string>
#include <vector>

#include "harness/harness.h"

namespace coalesce::proof {

/// The variants of one step's program, or the rivals.
struct StepVariants {
    std::string name;  ///< such as "02_naive" or "rivals"
    std::vector<Variant> variants;
};

/// Loads the modules with these names. The modules stay loaded, because the returned variants point
/// into them. Throws UsageError if a module is missing.
std::vector<StepVariants> load_steps(const std::vector<std::string>& names);

/// Reports whether there is a module called `name`.
bool has_module(const std::string& name);

}  // namespace coalesce::proof
