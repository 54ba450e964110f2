#include <algorithm>
#include <array>

#include "examiner/elements/element_rules.h"
#include "examiner/elements/value_rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

constexpr const char* kLoopAdvice =
    "let each thread loop over several elements, with the total number of threads as the step.";

/// Says that elements were not written. If the output has values before the launch, an element that
/// keeps its value may have been written with the same value.
std::string not_written(const WrongOutput& seen, bool is_plural) {
    if (seen.output().has_initial_values) {
        return is_plural ? "still have their initial values" : "still has its initial value";
    }
    return is_plural ? "were never written" : "was never written";
}

Failure explain_nothing_written(const WrongOutput& seen) {
    const std::string& name = seen.output().name;
    const bool has_values = seen.output().has_initial_values;
    if (seen.count() == 1) {
        return seen.make(Fault::nothing_written, "`" + name + "` " + not_written(seen, false) + ".",
                         has_values ? "Let one thread store the result in " + name +
                                          "[0], or add it there. If one does, which value is it?"
                                    : "Let one thread store the result in " + name + "[0].");
    }
    return seen.make(Fault::nothing_written,
                     has_values ? "no element of `" + name + "` has changed."
                                : "the kernel writes nothing to `" + name + "`.",
                     "Write the kernel: which element of `" + name +
                         "` belongs to this thread, and what is its value?");
}

/// Reports whether configure limits the number of blocks, because a launch with twice as many
/// elements has as many blocks as this one, and a launch with fewer elements has fewer.
bool has_limited_grid(const WrongOutput& seen) {
    const Exercise& exercise = seen.evidence().exercise;
    const auto blocks_for = [&](Shape shape) {
        return seen.evidence().relaunch({.shape = shape}).launch.blocks();
    };
    std::vector<int> doubled;
    for (std::size_t i = 0; i < exercise.elements->sizes.size(); ++i) {
        const std::vector<int>& most = exercise.elements->max_sizes;
        const int twice = 2 * size_at(seen.trial().shape, i);
        doubled.push_back(most.empty() ? twice : std::min(twice, most[i]));
    }
    const long long blocks = seen.trial().launch.blocks();
    return blocks > 1 && blocks_for(shape_of(doubled)) == blocks &&
           blocks_for(exercise.shapes.front()) < blocks;
}

/// Returns the line of the kernel that tests whether a thread has an element, or 0.
int find_test_of_size(const WrongOutput& seen) {
    for (const std::string& size : seen.evidence().exercise.elements->sizes) {
        const int line =
            find_line_in_kernel(seen.source(), TextPattern(R"(\bif\s*\([^;{]*\b)" + size + "\\b"));
        if (line > 0) return line;
    }
    return 0;
}

/// Explains elements after `tail` that no thread of the grid owns.
void explain_few_threads(Failure& failure, const WrongOutput& seen) {
    const bool has_loop = find_line_in_kernel(seen.source(), TextPattern(R"(\b(for|while)\s*\()"));
    failure.place.line = find_configure_line(seen.source(), ".grid");
    failure.next =
        std::string("In configure, round the number of blocks up with ceil_div; or ") + kLoopAdvice;
    if (has_loop || !has_limited_grid(seen)) return;
    failure.details += wrap("The grid has at most this many blocks, also for longer arrays.");
    failure.next = std::string("There are more elements than threads, so ") + kLoopAdvice;
    if (const int line = find_test_of_size(seen); line > 0) {
        failure.place.line = line;
        failure.next += " The loop takes the place of the `if`.";
    }
}

/// Explains elements from `tail` on if another size of the task has this value, so that the kernel
/// may have compared an index with the wrong size. Returns false if none has.
bool explain_other_size(Failure& failure, const WrongOutput& seen, std::int64_t tail) {
    const LaunchShape& launch = seen.trial().launch;
    if (tail == launch.threads() || tail == launch.threads() * launch.blocks()) return false;
    const ElementTask& task = seen.evidence().elements->task();
    for (const NamedSize& size : task.named_sizes(seen.trial().shape)) {
        const TextPattern compared("[<>]=?\\s*" + size.name + "\\b");
        const int line = find_line_in_kernel(seen.source(), compared);
        if (size.value != tail || size.value == seen.count() || line == 0) continue;
        failure.fault = Fault::never_written;
        failure.place.line = line;
        failure.details +=
            wrap("`" + size.name + "` is " + std::to_string(tail) + ", and `" + seen.output().name +
                 "` has " + format_count(seen.count(), "element") + ".");
        failure.next = "Compare the index with the number of elements of `" + seen.output().name +
                       "`, not with `" + size.name + "`.";
        return true;
    }
    return false;
}

/// Explains a matrix that the grid does not cover, but would cover with its two sizes exchanged.
/// Returns false if that is not the case.
bool explain_exchanged_grid(Failure& failure, const WrongOutput& seen) {
    const std::vector<std::int64_t>& extents = seen.output().extents;
    const LaunchShape& launch = seen.trial().launch;
    if (extents.size() != 2 || launch.block[1] < 2) return false;
    const auto covers = [&](long long across, long long down) {
        return across * launch.block[0] >= extents[1] && down * launch.block[1] >= extents[0];
    };
    if (covers(launch.grid[0], launch.grid[1]) || !covers(launch.grid[1], launch.grid[0])) {
        return false;
    }
    failure.fault = Fault::grid_too_small;
    failure.place.line = find_configure_line(seen.source(), ".grid");
    failure.details += wrap("configure gives " + launch.text() + ", which cover " +
                            std::to_string(launch.grid[0] * launch.block[0]) + " columns and " +
                            std::to_string(launch.grid[1] * launch.block[1]) + " rows. `" +
                            seen.output().name + "` has " + std::to_string(extents[1]) +
                            " columns and " + std::to_string(extents[0]) + " rows.");
    failure.next =
        "Exchange the two sizes of the grid: x counts blocks across, y counts them down.";
    return true;
}

/// Explains a kernel that does not use the index of the block.
void explain_missing_block(Failure& failure, const WrongOutput& seen) {
    failure.fault = Fault::never_written;
    failure.details +=
        wrap("The kernel does not use blockIdx, so all " +
             std::to_string(seen.trial().launch.blocks()) + " blocks write the same elements.");
    failure.next =
        "Add the elements of the blocks before this one to the index: blockIdx.x * blockDim.x.";
}

/// Explains that exactly the elements of the last step of a loop are missing. Returns false if the
/// number of missing elements is not the step.
bool explain_last_step(Failure& failure, const WrongOutput& seen, std::int64_t tail) {
    const long long threads = seen.trial().launch.threads() * seen.trial().launch.blocks();
    static const TextPattern loop(R"(\b(for|while)\s*\()");
    const int line = find_line_in_kernel(seen.source(), loop);
    if (seen.count() - tail != threads || tail == threads || line == 0) return false;
    failure.fault = Fault::never_written;
    failure.place.line = line;
    failure.details += wrap("These are " + std::to_string(threads) +
                            " elements, as many as the grid has threads.");
    failure.next =
        "Each thread leaves out its last element: the loop ends one step too early. "
        "Compare the index itself with the number of elements.";
    return true;
}

/// Finds an index that adds threadIdx along one axis to a product with the block's size along
/// another axis.
std::optional<Failure> find_mixed_sum(const WrongOutput& seen) {
    static const TextPattern sum(
        R"(blockIdx\.[xyz]\s*\*\s*blockDim\.([xyz])\s*\+\s*threadIdx\.([xyz]))"
        R"(|threadIdx\.([xyz])\s*\+\s*blockIdx\.[xyz]\s*\*\s*blockDim\.([xyz]))");
    const int line = find_line_in_kernel(seen.source(), sum);
    const std::string code = code_on_line(seen.source(), line);
    TextMatch found;
    if (line == 0 || !search(code, found, sum)) return std::nullopt;
    const std::string size = found.str(1) + found.str(4), thread = found.str(2) + found.str(3);
    const std::array<long long, 3>& block = seen.trial().launch.block;
    const auto length = [&](const std::string& axis) {
        return block[static_cast<std::size_t>(axis[0] - 'x')];
    };
    if (size == thread || length(size) == length(thread)) return std::nullopt;
    Failure failure = seen.make(Fault::never_written,
                                "`" + found.str() + "` adds threadIdx." + thread +
                                    ", but multiplies by the size of the block along " + size + ".",
                                "Multiply the index of the block by blockDim." + thread + ".");
    if (!seen.wrong().empty()) failure.kind = FailureKind::wrong_elements;
    failure.place.line = line;
    failure.details +=
        wrap("A block has " + std::to_string(length(size)) + " threads along " + size + ", and " +
             std::to_string(length(thread)) + " along " + thread + ".");
    return failure;
}

}  // namespace

Failure explain_untouched(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    const std::string& name = output.name;
    if (output.bad() == output.count()) return explain_nothing_written(seen);
    const std::int64_t tail = start_of_bad_tail(output);
    const LaunchShape& launch = seen.trial().launch;
    const long long threads = launch.threads() * launch.blocks();
    if (tail < 0) {
        Failure failure =
            seen.make(Fault::never_written,
                      "some elements of `" + name + "` " + not_written(seen, true) + ": " +
                          describe_bad_elements(output, launch) + ".",
                      "Which thread should write " + output.name_of(output.bad_elements()[0]) +
                          "? Does it exist, and which index does it compute?");
        explain_exchanged_grid(failure, seen);
        return failure;
    }
    Failure failure = seen.make(
        Fault::grid_too_small,
        output.name_of(tail) + " and all elements after it " + not_written(seen, true) + ".", "");
    if (explain_other_size(failure, seen, tail) || explain_exchanged_grid(failure, seen) ||
        explain_last_step(failure, seen, tail)) {
        return failure;
    }
    if (threads != tail && launch.threads() == tail) {
        if (!contains(code_for_search(seen.source()), TextPattern("\\bblockIdx\\b"))) {
            explain_missing_block(failure, seen);
            return failure;
        }
        failure.fault = Fault::never_written;
        failure.details +=
            wrap("A block has " + std::to_string(tail) + " threads, and only the first " +
                 std::to_string(tail) + " elements are right.");
        failure.next =
            "Does each thread of a block write only the element with its own number? "
            "Let the threads loop: begin with threadIdx.x, and add blockDim.x, until "
            "the last element is written.";
        return failure;
    }
    failure.details +=
        wrap("configure gives " + launch.text() + ", a total of " + std::to_string(threads) +
             " threads for " + format_count(output.count(), "element") + ".");
    if (threads == tail) {
        explain_few_threads(failure, seen);
        return failure;
    }
    failure.fault = Fault::never_written;
    failure.next = "Follow the thread that should write " + output.name_of(tail) +
                   ": does it exist, does its index pass the bounds check, and how far does its "
                   "loop go?";
    return failure;
}

std::optional<Failure> find_mixed_axes(const WrongOutput& seen) {
    if (auto failure = find_mixed_sum(seen)) return failure;
    static const TextPattern product(
        R"(\b(blockIdx\.([xyz])\s*\*\s*gridDim\.([xyz])|gridDim\.([xyz])\s*\*\s*blockIdx\.([xyz])))");
    const int line = find_line_in_kernel(seen.source(), product);
    const std::string code = code_on_line(seen.source(), line);
    TextMatch found;
    if (line == 0 || !search(code, found, product)) return std::nullopt;
    const std::string axis = found.str(2) + found.str(5);
    if (axis != found.str(3) + found.str(4)) return std::nullopt;
    const std::size_t number = static_cast<std::size_t>(axis[0] - 'x');
    const LaunchShape& launch = seen.trial().launch;
    if (launch.grid[number] == launch.block[number] || launch.grid[number] < 2) return std::nullopt;
    Failure failure = seen.make(
        Fault::never_written,
        "`" + found.str(1) + "` uses the number of blocks, gridDim." + axis +
            ", where the number of threads in a block, blockDim." + axis + ", belongs.",
        "Multiply the index of the block by the number of elements that a block owns, which is "
        "blockDim." +
            axis + " if each thread owns one.");
    if (!seen.wrong().empty()) failure.kind = FailureKind::wrong_elements;
    failure.place.line = line;
    failure.details += wrap(
        "With this product, neighbouring blocks begin " + std::to_string(launch.grid[number]) +
        " elements apart, but a block has " + std::to_string(launch.block[number]) + " threads.");
    return failure;
}

}  // namespace coalesce
