#include "proof/bench/plan.h"

#include <charconv>
#include <climits>
#include <sstream>

#include "harness/errors.h"

namespace coalesce::proof {
namespace {

int parse_side(const std::string& word, const std::string& side) {
    int number = 0;
    const char* end = side.data() + side.size();
    const auto [stopped, error] = std::from_chars(side.data(), end, number);
    if (error != std::errc{} || stopped != end || number < 1) {
        throw UsageError("--sizes " + word +
                         ": a size is a whole number or ROWSxCOLS, such as 4096 or 32768x16384");
    }
    return number;
}

}  // namespace

std::vector<Shape> parse_sizes(const std::string& text) {
    std::vector<Shape> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t cross = word.find('x');
        const int rows = parse_side(word, word.substr(0, cross));
        const int cols =
            cross == std::string::npos ? rows : parse_side(word, word.substr(cross + 1));
        if (1LL * rows * cols > INT_MAX) {
            throw UsageError("--sizes " + word +
                             ": more than 2147483647 elements need 64-bit indices, which these "
                             "kernels do not have");
        }
        sizes.push_back({rows, cols});
    }
    if (sizes.empty()) throw UsageError("--sizes names no size; try --sizes 4096,32768");
    return sizes;
}

std::vector<Shape> usual_sizes() {
    return {{4096, 4096},   {8192, 8192},   {16384, 16384},
            {32768, 32768}, {32768, 16384}, {16384, 32768}};
}

std::vector<Shape> quick_sizes() {
    return {{4096, 4096}, {16384, 16384}};
}

}  // namespace coalesce::proof
