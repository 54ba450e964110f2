/// \file
/// A picture of shares: what each of several things reaches of what is possible, side by side for
/// some that are compared.
#pragma once

#include <string>
#include <vector>

#include "lab/proof/json_text.h"

namespace coalesce::proof {

/// One thing, with a bar for each that is compared. A share below 0 was not measured.
struct Shares {
    std::string name;
    std::vector<double> of_compared;
};

/// What the picture says besides.
struct ShareTexts {
    std::string title, whole;           ///< `whole`: what 100 % is
    std::vector<std::string> compared;  ///< three at most
};

/// The picture, as SVG.
std::string share_chart(const ShareTexts& texts, const std::vector<Shares>& things);

/// coalesce::transpose and PyTorch, each against its copy, from what build/bin/shapes writes.
std::string shapes_chart(const Json& shapes);

/// Each way over several GPUs against the link, at its best number of chunks, from what
/// 16_many_gpus --json writes for one number of GPUs after the other.
std::string links_chart(const std::vector<Json>& of_gpus);

}  // namespace coalesce::proof
