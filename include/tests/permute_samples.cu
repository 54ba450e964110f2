#include "permute_samples.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/text.h"
#include "tests/compiled.h"

namespace coalesce::samples {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned char kPoison = 0xA7;

Bytes random_bytes(std::size_t count, std::uint64_t seed) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = static_cast<unsigned char>(seed >> 56);
    }
    return bytes;
}

/// Returns the expected contents of `out`, by copying the elements of `in` one by one to their
/// positions in `out`.
Bytes make_expected(const PermuteSample& sample, const Bytes& in) {
    const std::size_t axes = sample.sizes.size();
    std::vector<std::int64_t> out_step(axes), index(axes, 0);  // strides in `out`, by axis of `in`
    std::int64_t element_count = 1;
    for (std::size_t k = axes; k-- > 0;) {
        const auto axis = static_cast<std::size_t>(sample.order[k]);
        out_step[axis] = element_count;
        element_count *= sample.sizes[axis];
    }
    const auto size = static_cast<std::size_t>(sample.size);
    Bytes out(in.size());
    for (std::int64_t i = 0; i < element_count; ++i) {
        std::int64_t out_index = 0;
        for (std::size_t k = 0; k < axes; ++k) out_index += index[k] * out_step[k];
        std::memcpy(&out[static_cast<std::size_t>(out_index) * size],
                    &in[static_cast<std::size_t>(i) * size], size);
        for (std::size_t k = axes; k-- > 0;) {
            if (++index[k] < sample.sizes[k]) break;
            index[k] = 0;
        }
    }
    return out;
}

std::int64_t pick(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

/// Returns a random length. Lengths that are likely to reveal errors are more frequent.
std::int64_t random_length(std::mt19937_64& random, std::int64_t max_length) {
    std::int64_t length = 1;
    switch (pick(random, 0, 5)) {
        case 0: length = 1; break;
        case 1: length = std::int64_t{4} << pick(random, 0, 5); break;
        case 2: length = (std::int64_t{8} << pick(random, 0, 4)) + pick(random, -3, 3); break;
        case 3: length = pick(random, 1, max_length); break;
        default: length = pick(random, 2, 9); break;
    }
    return std::min(length, max_length);
}

template <class T>
std::string format_list(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) text += text.empty() ? "(" : " ", text += std::to_string(value);
    return text.empty() ? "()" : text.append(")");
}

std::string describe_difference(const PermuteSample& sample, const unsigned char* actual,
                                const Bytes& expected_bytes) {
    const auto mismatch = std::mismatch(expected_bytes.begin(), expected_bytes.end(), actual).first;
    if (mismatch == expected_bytes.end()) return "";
    return format("element %lld of out is wrong",
                  static_cast<long long>((mismatch - expected_bytes.begin()) / sample.size));
}

}  // namespace

std::string PermuteSample::name() const {
    return format_list(sizes) + " to " + format_list(order) + " of " + std::to_string(size) +
           " bytes, offsets " + std::to_string(in_offset) + " and " + std::to_string(out_offset);
}

std::int64_t PermuteSample::count() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

cudaError_t permute(void* out, const void* in, const PermuteSample& sample, cudaStream_t stream) {
    return permute_elements(out, in, static_cast<std::size_t>(sample.size),
                            static_cast<int>(sample.sizes.size()), sample.sizes.data(),
                            sample.order.data(), stream);
}

PermuteSample random_permute_sample(std::mt19937_64& random, std::int64_t most_elements) {
    PermuteSample sample;
    // The element sizes of most samples can be loaded by one instruction.
    sample.size = static_cast<int>(pick(random, 0, 2) == 0 ? pick(random, 1, 16)
                                                           : std::int64_t{1} << pick(random, 0, 4));
    const auto axes =
        static_cast<std::size_t>(pick(random, 0, 9) == 0 ? pick(random, 0, 1) : pick(random, 2, 6));
    sample.sizes.assign(axes, 1);
    sample.order.resize(axes);
    std::iota(sample.order.begin(), sample.order.end(), 0);
    // Choose the lengths in random order, so that any axis may be the longest one.
    std::vector<int> axis_order = sample.order;
    std::shuffle(axis_order.begin(), axis_order.end(), random);
    std::int64_t elements_left = most_elements;
    for (const int axis : axis_order) {
        const std::int64_t length =
            random_length(random, std::min<std::int64_t>(elements_left, 2000));
        sample.sizes[static_cast<std::size_t>(axis)] = length;
        elements_left = std::max<std::int64_t>(1, elements_left / length);
    }
    if (axes > 0 && pick(random, 0, 40) == 0) sample.sizes[0] = 0;
    switch (pick(random, 0, 3)) {
        case 0: std::reverse(sample.order.begin(), sample.order.end()); break;
        case 1:  // the last axis stays
            if (axes > 1) std::shuffle(sample.order.begin(), sample.order.end() - 1, random);
            break;
        default: std::shuffle(sample.order.begin(), sample.order.end(), random); break;
    }
    const auto offset = [&] { return pick(random, 0, 2) == 0 ? pick(random, 1, 40) : 0; };
    sample.in_offset = offset();
    sample.out_offset = offset();
    return sample;
}

std::string find_error(const PermuteSample& sample, const Permuter& permuter) {
    const auto bytes_of = [&](std::int64_t elements) {
        return static_cast<std::size_t>(elements * sample.size);
    };
    const std::size_t bytes = bytes_of(sample.count());
    const std::size_t in_start = bytes_of(sample.in_offset);
    const std::size_t out_start = bytes_of(sample.out_offset);
    const Bytes in = random_bytes(bytes, static_cast<std::uint64_t>(sample.count() * 977 + 5));
    // The allocation ends with the last element. The bytes that precede the first element of `in`
    // remain uninitialized.
    const DeviceBuffer device_in(in_start + bytes + (bytes == 0)),
        device_out(out_start + bytes + (bytes == 0));
    auto* const in_array = static_cast<unsigned char*>(device_in.data()) + in_start;
    auto* const out_array = static_cast<unsigned char*>(device_out.data()) + out_start;
    CUDA_CHECK(cudaMemcpy(in_array, in.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(device_out.data(), kPoison, device_out.bytes()));
    CUDA_CHECK(cudaDeviceSynchronize());

    const cudaError_t error = permuter(out_array, in_array, sample, nullptr);
    const cudaError_t sync_error = cudaDeviceSynchronize();
    if (simulator_library::is_loaded()) {
        const std::vector<std::string> reports = simulator_library::reports();
        simulator_library::clear_reports();
        if (!reports.empty()) return reports.front();
    }
    if (error != cudaSuccess) return std::string("refused: ") + cudaGetErrorName(error);
    if (sync_error != cudaSuccess) return std::string("ended with ") + cudaGetErrorName(sync_error);

    Bytes memory(out_start + bytes);
    CUDA_CHECK(cudaMemcpy(memory.data(), device_out.data(), memory.size(), cudaMemcpyDeviceToHost));
    const bool is_untouched =
        std::all_of(memory.begin(), memory.begin() + static_cast<long>(out_start),
                    [](unsigned char byte) { return byte == kPoison; });
    if (!is_untouched) return "what lies before out was changed";
    const std::string difference =
        describe_difference(sample, memory.data() + out_start, make_expected(sample, in));
    if (!difference.empty()) return difference;
    Bytes in_afterwards(bytes);
    CUDA_CHECK(cudaMemcpy(in_afterwards.data(), in_array, bytes, cudaMemcpyDeviceToHost));
    return in_afterwards == in ? "" : "the input was changed";
}

}  // namespace coalesce::samples
