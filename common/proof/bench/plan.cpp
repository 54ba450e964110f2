#include "proof/bench/plan.h"

#include <sstream>

#include "harness/errors.h"

namespace coalesce::proof {

std::vector<Shape> parse_sizes(const std::string& text) {
    std::vector<Shape> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        sizes.push_back(parse_shape("--sizes", word));
    }
    if (sizes.empty()) throw UsageError("--sizes names no size; try --sizes 4096,32768");
    return sizes;
}

}  // namespace coalesce::proof
