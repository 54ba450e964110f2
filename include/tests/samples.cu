#include "samples.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce::samples {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr unsigned char kPoison = 0xA7;

/// The layout of matrices in memory. All lengths and distances are in elements.
struct Layout {
    std::int64_t lines, length, pitch, stride, batches, offset;

    std::int64_t start(std::int64_t batch, std::int64_t line) const {
        return offset + batch * stride + line * pitch;
    }
    /// Returns the allocated size: the number of elements up to the end of the last line.
    std::int64_t extent() const {
        if (lines == 0 || length == 0 || batches == 0) return offset;
        return start(batches - 1, lines - 1) + length;
    }
};

Layout in_layout(const Sample& s) {
    return {s.rows,     s.cols, s.options.in_pitch, s.options.in_stride, s.options.batches,
            s.in_offset};
}

Layout out_layout(const Sample& s) {
    return {s.cols,      s.rows, s.options.out_pitch, s.options.out_stride, s.options.batches,
            s.out_offset};
}

/// Copies the lines of all matrices. The gaps between the lines remain uninitialized.
void copy_lines(void* to, const void* from, const Layout& layout, int size, cudaMemcpyKind kind) {
    if (layout.lines == 0 || layout.length == 0) return;
    const auto bytes = [&](std::int64_t elements) {
        return static_cast<std::size_t>(elements * size);
    };
    for (std::int64_t batch = 0; batch < layout.batches; ++batch) {
        const std::size_t start = bytes(layout.start(batch, 0));
        CUDA_CHECK(cudaMemcpy2D(static_cast<char*>(to) + start, bytes(layout.pitch),
                                static_cast<const char*>(from) + start, bytes(layout.pitch),
                                bytes(layout.length), static_cast<std::size_t>(layout.lines),
                                kind));
    }
}

Bytes random_bytes(std::size_t count, std::uint64_t seed) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = static_cast<unsigned char>(seed >> 56);
    }
    return bytes;
}

/// Returns the expected contents of `out` according to the definition of a transpose.
Bytes make_expected(const Sample& sample, const Bytes& in) {
    const Layout from = in_layout(sample), to = out_layout(sample);
    const auto size = static_cast<std::size_t>(sample.size);
    Bytes out(static_cast<std::size_t>(to.extent()) * size, kPoison);
    for (std::int64_t batch = 0; batch < from.batches; ++batch) {
        for (std::int64_t row = 0; row < sample.rows; ++row) {
            for (std::int64_t col = 0; col < sample.cols; ++col) {
                std::memcpy(&out[static_cast<std::size_t>(to.start(batch, col) + row) * size],
                            &in[static_cast<std::size_t>(from.start(batch, row) + col) * size],
                            size);
            }
        }
    }
    return out;
}

std::string describe_difference(const Sample& sample, const Bytes& actual,
                                const Bytes& expected_bytes) {
    const auto mismatch = std::mismatch(actual.begin(), actual.end(), expected_bytes.begin()).first;
    if (mismatch == actual.end()) return "";
    const auto element = (mismatch - actual.begin()) / sample.size - sample.out_offset;
    return format("element %lld after the start of out is wrong", static_cast<long long>(element));
}

std::int64_t pick(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

/// Returns a random side of a matrix. Sides that are likely to reveal errors are more frequent.
std::int64_t random_side(std::mt19937_64& random, std::int64_t max_side) {
    std::int64_t side = 0;
    switch (pick(random, 0, 5)) {
        case 0: side = pick(random, 0, 5); break;
        case 1: side = pick(random, 1, 40); break;
        case 2: side = 16 * pick(random, 1, 20); break;
        case 3: side = (std::int64_t{32} << pick(random, 0, 4)) + pick(random, -9, 9); break;
        default: side = pick(random, 1, max_side); break;
    }
    return std::min(side, max_side);
}

/// Returns a random distance between lines that is at least the length of a line.
std::int64_t random_pitch(std::mt19937_64& random, std::int64_t length) {
    switch (pick(random, 0, 5)) {
        case 0: return length + pick(random, 1, 20);
        case 1: return (length + 31) / 32 * 32 + 32 * pick(random, 0, 1);
        default: return length;
    }
}

}  // namespace

std::string Sample::name() const {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    return number(rows) + " x " + number(cols) + " of " + number(size) + " bytes, pitches " +
           number(options.in_pitch) + " and " + number(options.out_pitch) + ", " +
           number(options.batches) + " batches, strides " + number(options.in_stride) + " and " +
           number(options.out_stride) + ", offsets " + number(in_offset) + " and " +
           number(out_offset);
}

cudaError_t transpose(void* out, const void* in, const Sample& sample, cudaStream_t stream) {
    return transpose_elements(out, in, static_cast<std::size_t>(sample.size), sample.rows,
                              sample.cols, sample.options, stream);
}

Sample random_sample(std::mt19937_64& random, std::int64_t most_elements) {
    Sample sample;
    sample.size = 1 << pick(random, 0, 4);
    sample.rows = random_side(random, 700);
    sample.cols = random_side(
        random,
        std::max<std::int64_t>(1, std::min<std::int64_t>(700, most_elements / (sample.rows + 1))));
    if (pick(random, 0, 7) == 0) {  // sometimes makes a few long lines
        sample.cols = pick(random, 1, 40);
        sample.rows = pick(random, 4 * sample.cols, most_elements / sample.cols);
    }
    if (pick(random, 0, 1) == 0) std::swap(sample.rows, sample.cols);
    TransposeOptions& options = sample.options;
    options.in_pitch = random_pitch(random, sample.cols);
    options.out_pitch = random_pitch(random, sample.rows);
    const std::int64_t elements = sample.rows * sample.cols + 1;
    if (pick(random, 0, 2) == 0) {
        options.batches =
            pick(random, 0, std::clamp<std::int64_t>(most_elements / elements, 1, 70));
    }
    const auto gap = [&] { return pick(random, 0, 3) == 0 ? pick(random, 1, 20) : 0; };
    options.in_stride = sample.rows * options.in_pitch + gap();
    options.out_stride = sample.cols * options.out_pitch + gap();
    const auto offset = [&] { return pick(random, 0, 2) == 0 ? pick(random, 1, 40) : 0; };
    sample.in_offset = offset();
    sample.out_offset = offset();
    return sample;
}

std::string find_error(const Sample& sample, const Transposer& transposer, cudaStream_t stream) {
    const auto size = static_cast<std::size_t>(sample.size);
    const Layout from = in_layout(sample), to = out_layout(sample);
    const Bytes in = random_bytes(static_cast<std::size_t>(from.extent()) * size,
                                  static_cast<std::uint64_t>(sample.rows * 977 + sample.cols));
    // Allocate at least one byte, because an allocation of 0 bytes returns a null pointer.
    const DeviceBuffer device_in(in.size() + 1),
        device_out(static_cast<std::size_t>(to.extent()) * size + 1);
    copy_lines(device_in.data(), in.data(), from, sample.size, cudaMemcpyHostToDevice);
    CUDA_CHECK(cudaMemset(device_out.data(), kPoison, device_out.bytes()));
    CUDA_CHECK(cudaDeviceSynchronize());

    const auto address_at = [&](const DeviceBuffer& buffer, std::int64_t offset) {
        return static_cast<char*>(buffer.data()) + static_cast<std::size_t>(offset) * size;
    };
    const cudaError_t error = transposer(address_at(device_out, sample.out_offset),
                                         address_at(device_in, sample.in_offset), sample, stream);
    const cudaError_t sync_error = cudaDeviceSynchronize();
    if (simulator_library::is_loaded()) {
        const std::vector<std::string> reports = simulator_library::reports();
        simulator_library::clear_reports();
        if (!reports.empty()) return reports.front();
    }
    if (error != cudaSuccess) return std::string("refused: ") + cudaGetErrorName(error);
    if (sync_error != cudaSuccess) return std::string("ended with ") + cudaGetErrorName(sync_error);

    Bytes out(static_cast<std::size_t>(to.extent()) * size);
    CUDA_CHECK(cudaMemcpy(out.data(), device_out.data(), out.size(), cudaMemcpyDeviceToHost));
    const std::string difference = describe_difference(sample, out, make_expected(sample, in));
    if (!difference.empty()) return difference;
    Bytes in_afterwards = in;
    copy_lines(in_afterwards.data(), device_in.data(), from, sample.size, cudaMemcpyDeviceToHost);
    return in_afterwards == in ? "" : "the input was changed";
}

}  // namespace coalesce::samples
