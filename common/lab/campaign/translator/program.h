// Combines several kernels in one source file, so that a compiler parses the headers only once.
#pragma once

#include <string>
#include <vector>

#include "lab/campaign/contract.h"

namespace coalesce::random_kernels {

struct Kernel {
    /// The kernel's style and seed, such as "learner_17". The prefix "campaign" stands for
    /// KernelStyle::exact.
    std::string name;
    std::string text;  ///< generated text, in which the kernel is called `kernel`
    campaign::Launch launch;
};

/// Returns kernel number `index` of an endless, reproducible sequence of random kernels. Two out of
/// three kernels are written in KernelStyle::learner.
Kernel kernel_of(campaign::u64 index);
/// Returns the kernel with this name.
Kernel kernel_of(const std::string& name);

/// Returns one source file with all kernels. Each kernel has its own namespace, and its function
/// has the name Kernel::name.
std::string generate_program(const std::vector<Kernel>& kernels);

}  // namespace coalesce::random_kernels
