#include "examiner/sampled_matrix.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "harness/errors.h"

namespace coalesce {
namespace {

/// The minimum fraction of stores that must store a correct element. It is less than 1, because
/// tiles that overlap at an edge of the matrix may store an element twice.
constexpr double kMinCorrectFraction = 0.9;

/// Calls `use` for each accessed range within the matrix, with the index of its first element and
/// with a buffer for its elements.
void for_each_run(const void* matrix, std::size_t bytes, const Touched& touched,
                  const std::function<void(std::uint64_t first, std::vector<float>& run)>& use) {
    const auto begin = reinterpret_cast<std::uint64_t>(matrix);
    for (const MemoryRange& range : touched.ranges) {
        const std::uint64_t from = std::max(begin, range.address),
                            to = std::min(begin + bytes, range.end());
        if (from >= to) continue;
        std::vector<float> run((to - from) / sizeof(float));
        use((from - begin) / sizeof(float), run);
    }
}

}  // namespace

SampledMatrix::SampledMatrix(const Problem& problem)
    : problem_(problem), pattern_(sizeof(float), problem.seed) {}

void SampledMatrix::fill(void* in, const Touched& loaded) const {
    Touched wanted = loaded;
    // If the list of loaded ranges is incomplete, assume that the blocks loaded every element.
    if (!loaded.is_all) wanted.ranges = {{reinterpret_cast<std::uint64_t>(in), problem_.bytes()}};
    for_each_run(in, problem_.bytes(), wanted, [&](std::uint64_t first, std::vector<float>& run) {
        for (std::size_t i = 0; i < run.size(); ++i) {
            const Bits bits = pattern_.value_at(first + i);
            std::memcpy(&run[i], &bits.low, sizeof run[i]);
        }
        CUDA_CHECK(cudaMemcpy(static_cast<float*>(in) + first, run.data(),
                              run.size() * sizeof(float), cudaMemcpyHostToDevice));
    });
}

SampledMatrix::ElementState SampledMatrix::classify_element(std::uint64_t index,
                                                            float value) const {
    Bits bits;
    std::memcpy(&bits.low, &value, sizeof value);
    // Memory that was never written contains zeros, so a block that loads from it stores zeros.
    if (bits == Bits{}) return ElementState::none;
    const auto from = pattern_.index_of(bits, static_cast<std::uint64_t>(problem_.elements()));
    if (!from) return ElementState::wrong;
    const auto source = problem_.source_of(problem_.out_cell(static_cast<std::int64_t>(index)));
    if (source && problem_.index(*source) == static_cast<std::int64_t>(*from))
        return ElementState::right;
    // In an in-place transpose, an element at its old position has not been stored.
    return problem_.is_in_place() && *from == index ? ElementState::none : ElementState::wrong;
}

SampledValues SampledMatrix::check(const void* out, const Touched& stored) const {
    std::uint64_t right = 0, wrong = 0;
    for_each_run(out, problem_.bytes(), stored, [&](std::uint64_t first, std::vector<float>& run) {
        CUDA_CHECK(cudaMemcpy(run.data(), static_cast<const float*>(out) + first,
                              run.size() * sizeof(float), cudaMemcpyDeviceToHost));
        for (std::size_t i = 0; i < run.size(); ++i) {
            const ElementState element = classify_element(first + i, run[i]);
            right += element == ElementState::right ? 1 : 0;
            wrong += element == ElementState::wrong ? 1 : 0;
        }
    });
    const double asked = static_cast<double>(stored.bytes) / sizeof(float);
    if (wrong > 0) return SampledValues::wrong;
    return static_cast<double>(right) >= kMinCorrectFraction * asked ? SampledValues::correct
                                                                     : SampledValues::too_few;
}

}  // namespace coalesce
