// See line_matching.h.
#include "simulator/simulate/line_matching.h"

#include <algorithm>

namespace coalesce::simulator {

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs longest_common_subsequence(const std::vector<std::string>& a,
                                 const std::vector<std::string>& b) {
    const std::size_t width = b.size() + 1;
    // length[i * width + j] is the length of the longest common subsequence of a[i...] and b[j...].
    std::vector<unsigned> length((a.size() + 1) * width);
    for (std::size_t i = a.size(); i-- > 0;)
        for (std::size_t j = b.size(); j-- > 0;)
            length[i * width + j] =
                a[i] == b[j] ? length[(i + 1) * width + j + 1] + 1
                             : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    Pairs pairs;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] == b[j])
            pairs.emplace_back(i++, j++);
        else if (length[(i + 1) * width + j] >= length[i * width + j + 1])
            ++i;
        else
            ++j;
    }
    return pairs;
}

}  // namespace

Pairs match_lines(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    Pairs common_lines = longest_common_subsequence(before, after);
    common_lines.emplace_back(before.size(), after.size());
    Pairs matched_lines;
    std::size_t i = 0, j = 0;
    for (const auto& [next_i, next_j] : common_lines) {
        if (next_i - i == next_j - j)
            while (i < next_i) matched_lines.emplace_back(i++, j++);
        if (next_i < before.size()) matched_lines.emplace_back(next_i, next_j);
        i = next_i + 1;
        j = next_j + 1;
    }
    return matched_lines;
}

}  // namespace coalesce::simulator
