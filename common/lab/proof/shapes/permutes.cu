#include "lab/proof/shapes/permutes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text.h"
#include "harness/errors.h"
#include "lab/proof/device_check.h"
#include "tests/compiled.h"

namespace coalesce::proof {
namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::string number_text(std::int64_t number) {
    return std::to_string(number);
}

}  // namespace

std::size_t PermuteCase::bytes() const {
    return static_cast<std::size_t>(element_size * product(sizes));
}

std::string PermuteCase::shape_text() const {
    return joined(sizes, " x ", number_text);
}

std::string PermuteCase::order_text() const {
    return joined(order, " ", number_text);
}

std::vector<PermuteCase> permute_cases(bool divided) {
    std::vector<PermuteCase> cases = {
        {"heads apart", 2, {8, 4096, 32, 128}, {0, 2, 1, 3}},
        {"heads together", 2, {8, 32, 4096, 128}, {0, 2, 1, 3}},
        {"heads apart", 2, {16, 2048, 64, 64}, {0, 2, 1, 3}},
        {"heads apart, keys turned", 2, {8, 4096, 32, 128}, {0, 2, 3, 1}},
        {"heads apart, odd length", 2, {16, 2048, 48, 75}, {0, 2, 1, 3}},
        {"images, channels to last", 2, {256, 64, 56, 56}, {0, 2, 3, 1}},
        {"images, channels to front", 2, {256, 56, 56, 64}, {0, 3, 1, 2}},
        {"images, channels to last", 2, {256, 512, 28, 28}, {0, 2, 3, 1}},
        {"images, channels to front", 2, {256, 28, 28, 512}, {0, 3, 1, 2}},
        {"images, channels to last", 4, {256, 256, 14, 14}, {0, 2, 3, 1}},
        {"images, channels to front", 4, {256, 14, 14, 256}, {0, 3, 1, 2}},
        {"images, channels to last", 4, {512, 2048, 7, 7}, {0, 2, 3, 1}},
        {"images, channels to front", 4, {512, 7, 7, 2048}, {0, 3, 1, 2}},
        {"windows, 5 axes", 2, {64 * 8, 7, 8, 7, 96}, {0, 2, 1, 3, 4}},
        {"windows, 5 axes", 4, {64 * 16, 8, 16, 8, 32}, {0, 2, 1, 3, 4}},
        {"3 axes reversed", 4, {512, 512, 512}, {2, 1, 0}},
        {"4 axes reversed", 4, {96, 112, 128, 80}, {3, 2, 1, 0}},
        {"4 axes reversed", 2, {101, 113, 127, 83}, {3, 2, 1, 0}},
        {"5 axes reversed", 4, {40, 42, 44, 38, 36}, {4, 3, 2, 1, 0}},
        {"6 axes reversed", 4, {22, 20, 24, 18, 26, 24}, {5, 4, 3, 2, 1, 0}},
        {"6 axes, short ones", 4, {8, 300, 9, 310, 7, 4}, {3, 5, 1, 4, 0, 2}},
        {"3 bytes, colours", 3, {512, 224, 224}, {0, 2, 1}},
        {"6 bytes, colours", 6, {512, 224, 224}, {0, 2, 1}},
        {"12 bytes, points", 12, {4096, 4096}, {1, 0}},
    };
    if (!divided) return cases;
    for (PermuteCase& one : cases) {
        for (std::int64_t& size : one.sizes) size = size > 12 ? 6 + size % 13 : size / 2 + 1;
    }
    return cases;
}

void permute_case(void* out, const void* in, const PermuteCase& one) {
    CUDA_CHECK(permute_elements(out, in, static_cast<std::size_t>(one.element_size),
                                static_cast<int>(one.sizes.size()), one.sizes.data(),
                                one.order.data()));
}

std::uint64_t wrong_elements(const void* out, const void* in, const PermuteCase& one) {
    std::vector<ArrayAxis> axes;
    for (const int axis : one.order) {
        axes.push_back({one.sizes[axis], product({one.sizes.begin() + axis + 1, one.sizes.end()})});
    }
    return count_wrong_elements(static_cast<std::size_t>(one.element_size), axes, out, in);
}

}  // namespace coalesce::proof
