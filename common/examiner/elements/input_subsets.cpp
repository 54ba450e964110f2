#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The index of an imaginary additional element with the value zero.
constexpr std::int64_t kZeroElement = -1;
/// The maximum length of an axis along which subsets of the inputs are tried.
constexpr std::int64_t kMaxIndices = 1 << 16;

/// A subset of the inputs, given by indices along one size.
struct InputSubset {
    std::string description;  ///< description, such as "the first 96 of 100 cols"
    std::string advice;
    std::vector<std::int64_t> indices = {};
    bool is_repeated = false;
    bool is_shifted = false;  ///< whether each index has the input of a neighbouring index
};

/// The axes of an array: the names of the sizes, and the lengths. "rows * cols" has two axes.
struct Axes {
    std::vector<std::string> names;
    std::vector<std::int64_t> lengths;
};

/// Returns the axes of an array, or none if an extent is not a product of sizes.
Axes find_axes(const Parameter& array, const ElementTask& task, Shape shape) {
    Axes axes;
    for (const std::string& extent : array.extents) {
        std::string factor;
        for (const char c : extent + "*") {
            if (c != '*') {
                factor += c;
                continue;
            }
            axes.names.push_back(trimmed(factor));
            factor.clear();
        }
    }
    for (const std::string& name : axes.names) {
        const auto size = task.find_size(name, shape);
        if (!size) return {};
        axes.lengths.push_back(*size);
    }
    return axes;
}

/// Returns the bytes of the array's elements at the chosen indices along each axis called `name`,
/// and at all indices along the other axes.
std::string gather_elements(const std::string& bytes, std::size_t element, const Axes& axes,
                            const std::string& name, const std::vector<std::int64_t>& indices) {
    std::string kept_bytes;
    const std::function<void(std::size_t, std::int64_t)> visit_axis = [&](std::size_t axis,
                                                                          std::int64_t index) {
        if (axis == axes.names.size()) {
            if (index < 0) {
                kept_bytes.append(element, '\0');
            } else {
                kept_bytes.append(bytes, static_cast<std::size_t>(index) * element, element);
            }
            return;
        }
        const auto visit_index = [&](std::int64_t at) {
            const bool is_zero = index < 0 || at < 0;
            visit_axis(axis + 1, is_zero ? kZeroElement : index * axes.lengths[axis] + at);
        };
        if (axes.names[axis] == name) {
            for (const std::int64_t at : indices) visit_index(at);
        } else {
            for (std::int64_t at = 0; at < axes.lengths[axis]; ++at) visit_index(at);
        }
    };
    visit_axis(0, 0);
    return kept_bytes;
}

// ---- the choices ----

using Test = std::function<bool(std::int64_t)>;

class InputSubsets {
public:
    InputSubsets(std::string size, std::int64_t length, const LaunchShape& launch)
        : size_name_(std::move(size)),
          axis_length_(length),
          block_elements_(launch.threads()),
          threads_(launch.threads() * launch.blocks()) {
        add_prefixes();
        add_ranges();
        add_steps();
        add_parts_of_blocks();
        add_repeated();
        add_zero();
        add_shifts();
    }
    const std::vector<InputSubset>& subsets() const { return subsets_; }

private:
    std::string total_text() const {
        return " of " + std::to_string(axis_length_) + " inputs along `" + size_name_ + "`";
    }

    void add_if(const std::string& description, const std::string& advice,
                const Test& includes_index) {
        InputSubset choice{.description = description, .advice = advice};
        for (std::int64_t i = 0; i < axis_length_; ++i) {
            if (includes_index(i)) choice.indices.push_back(i);
        }
        if (choice.indices.empty() ||
            static_cast<std::int64_t>(choice.indices.size()) == axis_length_) {
            return;
        }
        const auto is_same = [&](const InputSubset& subset) {
            return subset.indices == choice.indices;
        };
        if (std::ranges::none_of(subsets_, is_same)) subsets_.push_back(std::move(choice));
    }

    void add_prefix(std::int64_t prefix_length, const std::string& advice) {
        if (prefix_length <= 0 || prefix_length >= axis_length_) return;
        add_if("the first " + std::to_string(prefix_length) + total_text(), advice,
               [=](std::int64_t i) { return i < prefix_length; });
    }

    void add_prefixes() {
        const std::string tail_text =
            "What happens to the last inputs, which do not fill a whole group? Round the number of "
            "groups up, and test each index.";
        const std::string loop =
            "The loop ends too early, or takes too large a step: which thread should use the next "
            "input?";
        add_prefix(axis_length_ - 1, "Does the loop end one element too early?");
        std::vector<std::int64_t> groups;
        for (std::int64_t group = threads_; group > 1; group /= 2) groups.push_back(group);
        if (block_elements_ > 0) groups.push_back(block_elements_);
        for (std::int64_t group = 1024; group > 0; group /= 2) groups.push_back(group);
        for (const std::int64_t group : groups) {
            add_prefix(axis_length_ / group * group, tail_text);
            add_prefix(group, loop);
        }
        add_prefix(axis_length_ / 2, loop);
    }

    void add_ranges() {
        add_if("all inputs along `" + size_name_ + "` but the first",
               "Does the loop begin one element too late?", [](std::int64_t i) { return i > 0; });
        add_if("the last" + total_text(),
               "Does each iteration of the loop replace the value instead of adding to it?",
               [=, this](std::int64_t i) { return i == axis_length_ - 1; });
        for (const std::int64_t group : {block_elements_, std::int64_t{32}}) {
            if (group <= 1 || group >= axis_length_) continue;
            const std::string count = std::to_string(group);
            add_if("all inputs along `" + size_name_ + "` but the first " + count,
                   "Is the value of the first " + count +
                       " inputs replaced later, instead of combined with the rest?",
                   [=](std::int64_t i) { return i >= group; });
            const std::int64_t last_index = (axis_length_ - 1) / group * group;
            add_if("the last " + std::to_string(axis_length_ - last_index) + total_text(),
                   "Is the earlier value replaced instead of combined with the new value?",
                   [=](std::int64_t i) { return i >= last_index; });
        }
    }

    void add_steps() {
        for (const std::int64_t run : {threads_, block_elements_}) {
            if (run <= 1 || run >= axis_length_) continue;
            add_if("every second run of " + std::to_string(run) + total_text(),
                   "The step of the loop is twice as large as it should be: how many elements do "
                   "all threads together process in one iteration?",
                   [=](std::int64_t i) { return i / run % 2 == 0; });
        }
        for (std::int64_t step = 2; step <= 1024 && step < axis_length_; step *= 2) {
            add_step(step);
        }
        if (block_elements_ > 0) add_step(block_elements_);
    }
    void add_step(std::int64_t step) {
        const std::string step_text = ordinal(static_cast<std::uint64_t>(step));
        add_if("every " + step_text + total_text(),
               "Only one of " + std::to_string(step) +
                   " values reaches the result. When values are combined, the distance between the "
                   "two partners doubles or halves in each step: does the loop reach the last "
                   "distance?",
               [=](std::int64_t i) { return i % step == 0; });
    }

    void add_parts_of_blocks() {
        if (block_elements_ <= 1) return;
        for (std::int64_t part = block_elements_ / 2; part >= 1; part /= 2) {
            const std::int64_t block = block_elements_;
            add_if("the first " + std::to_string(part) + " in each run of " +
                       std::to_string(block) + total_text(),
                   "Only " + std::to_string(part) + " of the " + std::to_string(block) +
                       " threads of each block contribute: does each warp, and each step of the "
                       "loop, add its part?",
                   [=](std::int64_t i) { return i % block < part; });
        }
    }

    void add_repeat(const std::string& description, const std::string& advice,
                    const std::vector<std::int64_t>& extra_indices) {
        InputSubset choice{
            .description = description, .advice = advice, .indices = {}, .is_repeated = true};
        choice.indices.resize(static_cast<std::size_t>(axis_length_));
        std::iota(choice.indices.begin(), choice.indices.end(), 0);
        choice.indices.insert(choice.indices.end(), extra_indices.begin(), extra_indices.end());
        subsets_.push_back(std::move(choice));
    }

    void add_repeated() {
        const auto range = [&](std::int64_t range_begin, std::int64_t range_end) {
            std::vector<std::int64_t> repeated_indices;
            for (std::int64_t i = std::max<std::int64_t>(range_begin, 0); i < range_end; ++i)
                repeated_indices.push_back(i);
            return repeated_indices;
        };
        const std::string advice =
            "Which two threads count this input? Let only one of them count it.";
        for (int repeat_count = 2; repeat_count <= 4; repeat_count *= 2) {
            std::vector<std::int64_t> extra_indices;
            for (int i = 1; i < repeat_count; ++i) {
                const auto whole_axis = range(0, axis_length_);
                extra_indices.insert(extra_indices.end(), whole_axis.begin(), whole_axis.end());
            }
            add_repeat("each input along `" + size_name_ + "` is counted " +
                           std::to_string(repeat_count) + " times",
                       advice, extra_indices);
        }
        add_repeat("the last input along `" + size_name_ + "` is counted twice", advice,
                   range(axis_length_ - 1, axis_length_));
        add_repeat("the first input along `" + size_name_ + "` is counted twice", advice,
                   range(0, 1));
        if (const std::int64_t remaining_elements =
                block_elements_ > 1 ? axis_length_ % block_elements_ : 0;
            remaining_elements > 0) {
            std::vector<std::int64_t> clamped_indices(
                static_cast<std::size_t>(block_elements_ - remaining_elements), axis_length_ - 1);
            add_repeat("the last input along `" + size_name_ +
                           "` is counted for every thread that has no input",
                       "A thread without an element of its own should contribute nothing.",
                       clamped_indices);
        }
    }

    void add_zero() {
        add_repeat("there were one more input along `" + size_name_ + "`, with value 0",
                   "Does the kernel begin with 0, or use 0 where there is no element? Begin with "
                   "the first element, or with a value that changes nothing.",
                   {kZeroElement});
    }

    void add_shifts() {
        constexpr std::int64_t least_length = 16, most = 3;
        if (axis_length_ < least_length) return;
        for (std::int64_t distance = 1; distance <= most; ++distance) {
            for (const std::int64_t shift : {distance, -distance}) {
                InputSubset choice{
                    .description = "each index along `" + size_name_ + "` has the input " +
                                   std::to_string(distance) +
                                   (shift > 0 ? " after it" : " before it"),
                    .advice =
                        "Compare the index from which each input is loaded with the place "
                        "where it is used: " +
                        std::to_string(distance) + " is missing in one of them.",
                    .is_shifted = true};
                for (std::int64_t i = 0; i < axis_length_; ++i) {
                    const bool is_inside = i + shift >= 0 && i + shift < axis_length_;
                    choice.indices.push_back(is_inside ? i + shift : kZeroElement);
                }
                subsets_.push_back(std::move(choice));
            }
        }
    }

    std::string size_name_;
    std::int64_t axis_length_;
    std::int64_t block_elements_;  ///< number of threads in a block
    std::int64_t threads_;         ///< number of threads in the grid
    std::vector<InputSubset> subsets_;
};

// ---- the search ----

/// Returns the maximum number of subsets to try if one call of the reference takes this many warp
/// instructions. The limit does not depend on the speed of this computer, so that the verdict is
/// the same everywhere.
std::int64_t count_tries(std::uint64_t instructions) {
    constexpr std::uint64_t max_instructions = 30'000'000, min_elements = 8, max_elements = 200;
    return static_cast<std::int64_t>(std::clamp(
        max_instructions / std::max<std::uint64_t>(instructions, 1), min_elements, max_elements));
}

/// Searches for a subset of the inputs from which the reference computes the kernel's wrong output.
class SubsetSearch {
public:
    SubsetSearch(const Trial& trial, const OutputComparison& output, std::size_t output_index,
                 ElementTrials& trials)
        : trial_(trial),
          output_(output),
          output_index_(output_index),
          trials_(trials),
          tries_left_(count_tries(trials.case_for(trial.shape).instructions)) {}

    std::optional<UsedInputs> find_used_inputs_along_size(std::size_t size) {
        const ElementTask& task = trials_.task();
        const std::string& name = task.sizes[size];
        const std::int64_t length = size_at(trial_.shape, size);
        if (length < 2 || length > kMaxIndices || !has_input_along(name)) return std::nullopt;
        const InputSubsets choices(name, length, trial_.launch);
        for (const InputSubset& choice : choices.subsets()) {
            if (tries_left_-- <= 0) return std::nullopt;
            if (!explains_output(choice, size)) continue;
            const bool is_part = !choice.is_repeated && !choice.is_shifted;
            const std::string verb = is_part ? " count" : "";
            return UsedInputs{choice.is_repeated, choice.is_shifted,
                              "which is the result if " + std::string(is_part ? "only " : "") +
                                  choice.description + verb,
                              choice.advice};
        }
        return std::nullopt;
    }

private:
    bool has_input_along(const std::string& name) const {
        const ElementTask& task = trials_.task();
        return std::ranges::any_of(task.parameters, [&](const Parameter& array) {
            return array.is_array && array.is_const &&
                   std::ranges::count(find_axes(array, task, trial_.shape).names, name) > 0;
        });
    }

    bool explains_output(const InputSubset& choice, std::size_t size) {
        const ElementTask& task = trials_.task();
        const std::string& name = task.sizes[size];
        std::vector<int> values;
        for (std::size_t i = 0; i < task.sizes.size(); ++i) {
            values.push_back(i == size ? static_cast<int>(choice.indices.size())
                                       : size_at(trial_.shape, i));
        }
        const Shape shape = make_shape(values);
        std::vector<CallArgument> arguments = trials_.case_for(trial_.shape).arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const Parameter& array = task.parameters[i];
            if (!array.is_array) continue;
            const Axes axes = find_axes(array, task, trial_.shape);
            const auto bytes =
                static_cast<std::size_t>(count_elements(task.extents(array, shape))) *
                array.type.bytes();
            if (!axes.lengths.empty()) {
                arguments[i].bytes = gather_elements(arguments[i].bytes, array.type.bytes(), axes,
                                                     name, choice.indices);
            }
            if (arguments[i].bytes.size() != bytes) return false;
        }
        const std::vector<std::string> expected_outputs =
            trials_.compute_expected_outputs(shape, arguments);
        return !expected_outputs.empty() &&
               agrees_with_output(expected_outputs[output_index_], choice, name);
    }

    /// Reports whether `values`, the outputs computed from the subset, match the kernel's wrong
    /// elements.
    bool agrees_with_output(const std::string& values, const InputSubset& choice,
                            const std::string& name) const {
        const ElementTask& task = trials_.task();
        const Parameter& parameter = *task.outputs()[output_index_];
        const Axes axes = find_axes(parameter, task, trial_.shape);
        const bool is_sliced = !choice.is_shifted && std::ranges::count(axes.names, name) > 0;
        const std::size_t bytes = output_.type.bytes();
        std::string actual_bytes = output_.actual_bytes, expected_bytes = output_.expected_bytes;
        if (is_sliced) {
            actual_bytes = gather_elements(actual_bytes, bytes, axes, name, choice.indices);
            expected_bytes = gather_elements(expected_bytes, bytes, axes, name, choice.indices);
        }
        if (values.size() != actual_bytes.size()) return false;
        std::int64_t explained_count = 0;
        for (std::size_t at = 0; at < actual_bytes.size(); at += bytes) {
            if (output_.is_equal(actual_bytes.data() + at, expected_bytes.data() + at)) continue;
            const auto element = static_cast<std::int64_t>(at / bytes);
            if (choice.is_shifted && is_near_end(axes, name, element)) continue;
            if (!is_close(actual_bytes.data() + at, values.data() + at)) return false;
            // Zero is the result of many mistakes.
            const bool is_zero = output_.type.read_value(actual_bytes.data() + at) == 0;
            if (!choice.is_shifted || !is_zero) ++explained_count;
        }
        if (choice.is_shifted) return 3 * explained_count > output_.wrong_count;
        return explained_count > 0 && (!is_sliced || explained_count >= output_.wrong_count);
    }

    /// Reports whether an element lies near an end of the axis called `name`. There a kernel may
    /// use an input that a shifted axis does not have.
    static bool is_near_end(const Axes& axes, const std::string& name, std::int64_t element) {
        constexpr std::int64_t margin = 4;
        for (std::size_t axis = axes.names.size(); axis-- > 0;) {
            const std::int64_t index = element % axes.lengths[axis];
            element /= axes.lengths[axis];
            if (axes.names[axis] == name)
                return index < margin || index >= axes.lengths[axis] - margin;
        }
        return false;
    }

    /// Reports whether a value equals the expected one up to rounding errors, because the kernel
    /// may add the inputs in a different order.
    bool is_close(const char* actual_value, const char* value) const {
        if (output_.is_equal(actual_value, value)) return true;
        if (output_.type.is_integer() || output_.tolerance.kind == Tolerance::Kind::bits) {
            return false;
        }
        const double actual_number = output_.type.read_value(actual_value),
                     subset_number = output_.type.read_value(value);
        return std::abs(actual_number - subset_number) <= 1e-4 * std::abs(subset_number);
    }

    const Trial& trial_;
    const OutputComparison& output_;
    std::size_t output_index_;
    ElementTrials& trials_;
    std::int64_t tries_left_;
};

}  // namespace

std::optional<UsedInputs> find_used_inputs(const Trial& trial, const OutputComparison& output,
                                           std::size_t output_index, ElementTrials& trials) {
    SubsetSearch search(trial, output, output_index, trials);
    for (std::size_t size = trials.task().sizes.size(); size-- > 0;) {
        if (auto used_inputs = search.find_used_inputs_along_size(size)) return used_inputs;
    }
    return std::nullopt;
}

}  // namespace coalesce
