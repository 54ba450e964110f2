#include <algorithm>
#include <limits>
#include <utility>

#include "base/first_found.h"
#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/elements/report_rules.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

/// Removes the word "tile" from the text of a failure that was written for transposes, because
/// other kernels use shared memory for other purposes.
void rename_tile(std::string& text) {
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"the whole tile", "the whole array"},
        {"parts of the tile", "parts of the shared array"},
        {"Fill the tile first", "Fill the array first"},
        {"The tile", "Shared memory"},
        {"the tile", "shared memory"},
        {"tile", "array"}};
    for (const auto& [word, other] : words) {
        for (std::size_t at = text.find(word); at != text.npos;
             at = text.find(word, at + other.size())) {
            text.replace(at, word.size(), other);
        }
    }
}

/// Applies a rule that was written for transposes, and removes the word "tile" from its failure.
template <auto rule>
std::optional<Failure> find_missing_tile(const Trial& trial, const Evidence& evidence) {
    std::optional<Failure> failure = rule(trial, evidence);
    if (!failure) return failure;
    rename_tile(failure->headline);
    rename_tile(failure->next);
    return failure;
}

std::optional<Failure> find_unshared_array_of_block(const Trial& trial, const Evidence& evidence) {
    if (!trial.element_comparison || trial.element_comparison->is_right()) return std::nullopt;
    const Declared array = find_unshared_array(evidence.source.text);
    if (array.line == 0) return std::nullopt;
    return Failure{
        .kind = FailureKind::tile_not_shared,
        .headline = "`" + array.name +
                    "` is not shared: each thread has its own array, and does not see what other "
                    "threads write.",
        .place = {evidence.source.name, array.line, 0},
        .shape = trial.shape,
        .next = "Declare the array __shared__: then all threads of the block use the same one."};
}

std::optional<Failure> find_memory_error_of_block(const Trial& trial, const Evidence& evidence) {
    const Report* report = find_report(trial, "memcheck");
    if (!report) return std::nullopt;
    if (const Report* wrong = find_report(trial, "memcheck", "misaligned")) {
        return explain_report(
            FailureKind::misaligned, *wrong, trial, evidence,
            "a vector access uses an address that is not a multiple of the vector's size.",
            "The address of a float4 must be a multiple of 16 bytes, and that of a float2 a "
            "multiple of 8 bytes: make the index of the first element a multiple of 4 or 2.");
    }
    return find_missing_tile<find_memory_error>(trial, evidence);
}

}  // namespace

std::optional<Failure> find_element_cause(const Trial& trial, const Evidence& evidence) {
    return first_found(
        {find_local_array_overrun, find_element_overrun, find_memory_error_of_block,
         find_execution_error, find_refused_launch, find_missing_tile<find_copy_error>,
         find_race_with_atomic, find_lost_update, find_mixed_step,
         find_missing_tile<find_barrier_error>, find_unshared_array_of_block, find_unwritten_read,
         find_array_race, find_wrong_elements},
        trial, evidence);
}

}  // namespace coalesce
