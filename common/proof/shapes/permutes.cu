#include "proof/shapes/permutes.h"

#include <algorithm>
#include <coalesce/permute.cuh>
#include <functional>
#include <numeric>

#include "harness/errors.h"
#include "proof/device_count.h"

namespace coalesce::proof {
namespace {

struct Places {
    int axes;
    std::int64_t size[most_axes], step[most_axes];  ///< of the axes of `out`; their steps in `in`
};

/// By the definition, element by element and byte by byte, with nothing of the header's.
__global__ void count_wrong(const unsigned char* out, const unsigned char* in, int bytes,
                            std::int64_t count, const Places places, unsigned long long* wrong) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        std::int64_t number = i, source = 0;
        for (int k = places.axes - 1; k >= 0; --k) {
            source += number % places.size[k] * places.step[k];
            number /= places.size[k];
        }
        bool is_right = true;
        for (int byte = 0; byte < bytes; ++byte) {
            is_right = is_right && out[i * bytes + byte] == in[source * bytes + byte];
        }
        if (!is_right) atomicAdd(wrong, 1ull);
    }
}

std::int64_t product(const std::vector<std::int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

template <class T>
std::string joined(const std::vector<T>& values, const char* between) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : between) + std::to_string(value);
    return text;
}

}  // namespace

std::size_t PermuteCase::bytes() const {
    return static_cast<std::size_t>(element_size * product(sizes));
}

std::string PermuteCase::shape() const {
    return joined(sizes, " x ");
}

std::string PermuteCase::order_text() const {
    return joined(order, " ");
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
    std::vector<std::int64_t> sizes, steps;
    for (const int axis : one.order) {
        sizes.push_back(one.sizes[axis]);
        steps.push_back(product({one.sizes.begin() + axis + 1, one.sizes.end()}));
    }
    return wrong_elements(out, in, one.element_size, sizes, steps);
}

std::uint64_t wrong_elements(const void* out, const void* in, int element_size,
                             const std::vector<std::int64_t>& sizes,
                             const std::vector<std::int64_t>& steps) {
    Places places = {static_cast<int>(sizes.size()), {}, {}};
    std::copy(sizes.begin(), sizes.end(), places.size);
    std::copy(steps.begin(), steps.end(), places.step);
    const DeviceCount wrong;
    count_wrong<<<2048, 256>>>(static_cast<const unsigned char*>(out),
                               static_cast<const unsigned char*>(in), element_size, product(sizes),
                               places, wrong.data());
    return wrong.value();
}

}  // namespace coalesce::proof
