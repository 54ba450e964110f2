#include "kernel/rules.h"

#include "harness/text.h"
#include "kernel/source_lines.h"

namespace coalesce {
namespace {

bool knows_its_matrix(const Evidence& evidence) {
    return code_alone(evidence.source.text).find("blockIdx.z") != std::string::npos;
}

/// Where a pointer should be moved: beside the other one, if that is; else in the kernel's head.
int line_to_move(const std::string& other, const Evidence& evidence) {
    const int line = line_of_move(evidence.source.text, other);
    return line > 0 ? line : line_of_kernel(evidence.source.text, evidence.exercise.kernel);
}

}  // namespace

void look_at_batches(Failure& failure, const Trial& trial, const Evidence& evidence) {
    if (failure.fault != Fault::batches_missed || !trial.comparison) return;
    const auto matrices = static_cast<long long>(trial.comparison->problem.batches());
    const long long blocks = trial.launch.grid[2];
    const bool has_blocks = blocks >= matrices, knows = knows_its_matrix(evidence);
    if (has_blocks == knows) return;
    failure.details = wrap(failure.headline) + failure.details;
    if (has_blocks) {
        failure.headline = "the grid has blocks for all " + std::to_string(matrices) +
                           " matrices, but nothing in the kernel depends on blockIdx.z: all of "
                           "them work on the first matrix.";
        failure.place.line = line_of_kernel(evidence.source.text, evidence.exercise.kernel);
        failure.next =
            "Let `in` and `out` begin where the block's own matrix does: blockIdx.z times the "
            "elements of one matrix further on.";
        return;
    }
    failure.headline = "the kernel goes by blockIdx.z, but the grid has " +
                       count_of(static_cast<std::uint64_t>(blocks), "block") + " along z for " +
                       std::to_string(matrices) + " matrices.";
    failure.place.line = line_of_launch(evidence.source.text, ".grid");
    failure.next = "Let configure give .grid a third number: how many matrices there are.";
}

void look_at_batch_race(Failure& failure, const simulated::Report& race, const Evidence& evidence) {
    const auto &one = race.thread.block, &other = race.other_thread.block;
    const bool differ_by_z = one[0] == other[0] && one[1] == other[1] && one[2] != other[2];
    if (!differ_by_z || race.is("globalrace", "read after write")) return;
    const bool knows = knows_its_matrix(evidence);
    failure.headline =
        "blocks of different matrices store to the same place: it does not depend on blockIdx.z.";
    failure.place.line = knows ? line_to_move("in", evidence) : line_to_move("out", evidence);
    failure.next = "Let `out` begin where the block's own matrix does" +
                   std::string(knows ? ", as `in` must." : ", and `in` too.");
}

}  // namespace coalesce
