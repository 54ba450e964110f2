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
void for_each_run(
    const void* matrix, std::size_t bytes, const Touched& touched_range,
    const std::function<void(std::uint64_t first_index, std::vector<float>& values)>& use) {
    const auto begin = reinterpret_cast<std::uint64_t>(matrix);
    for (const MemoryRange& range : touched_range.ranges) {
        const std::uint64_t first_address = std::max(begin, range.address),
                            end_address = std::min(begin + bytes, range.end());
        if (first_address >= end_address) continue;
        std::vector<float> values((end_address - first_address) / sizeof(float));
        use((first_address - begin) / sizeof(float), values);
    }
}

}  // namespace

SampledMatrix::SampledMatrix(const Problem& problem)
    : problem_(problem), pattern_(sizeof(float), problem.seed) {}

void SampledMatrix::fill(void* in, const Touched& touched_input) const {
    Touched input_to_fill = touched_input;
    // If the list of loaded ranges is incomplete, assume that the blocks loaded every element.
    if (!touched_input.is_complete)
        input_to_fill.ranges = {{reinterpret_cast<std::uint64_t>(in), problem_.bytes()}};
    for_each_run(in, problem_.bytes(), input_to_fill,
                 [&](std::uint64_t first_index, std::vector<float>& values) {
                     for (std::size_t i = 0; i < values.size(); ++i) {
                         const Bits bits = pattern_.value_at(first_index + i);
                         std::memcpy(&values[i], &bits.low, sizeof values[i]);
                     }
                     CUDA_CHECK(cudaMemcpy(static_cast<float*>(in) + first_index, values.data(),
                                           values.size() * sizeof(float), cudaMemcpyHostToDevice));
                 });
}

SampledMatrix::ElementState SampledMatrix::classify_element(std::uint64_t index,
                                                            float value) const {
    Bits bits;
    std::memcpy(&bits.low, &value, sizeof value);
    // Memory that was never written contains zeros, so a block that loads from it stores zeros.
    if (bits == Bits{}) return ElementState::none;
    const auto pattern_index =
        pattern_.index_of(bits, static_cast<std::uint64_t>(problem_.elements()));
    if (!pattern_index) return ElementState::wrong;
    const auto source = problem_.source_of(problem_.out_cell(static_cast<std::int64_t>(index)));
    if (source && problem_.index(*source) == static_cast<std::int64_t>(*pattern_index))
        return ElementState::right;
    // In an in-place transpose, an element at its old position has not been stored.
    return problem_.is_in_place() && *pattern_index == index ? ElementState::none
                                                             : ElementState::wrong;
}

SampledValues SampledMatrix::check(const void* out, const Touched& touched_output) const {
    std::uint64_t right = 0, wrong = 0;
    for_each_run(
        out, problem_.bytes(), touched_output,
        [&](std::uint64_t first_index, std::vector<float>& values) {
            CUDA_CHECK(cudaMemcpy(values.data(), static_cast<const float*>(out) + first_index,
                                  values.size() * sizeof(float), cudaMemcpyDeviceToHost));
            for (std::size_t i = 0; i < values.size(); ++i) {
                const ElementState element = classify_element(first_index + i, values[i]);
                right += element == ElementState::right ? 1 : 0;
                wrong += element == ElementState::wrong ? 1 : 0;
            }
        });
    const double stored_count = static_cast<double>(touched_output.bytes) / sizeof(float);
    if (wrong > 0) return SampledValues::wrong;
    return static_cast<double>(right) >= kMinCorrectFraction * stored_count
               ? SampledValues::correct
               : SampledValues::too_few;
}

}  // namespace coalesce
