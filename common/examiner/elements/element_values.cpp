#include <algorithm>
#include <cmath>
#include <set>

#include "examiner/elements/element_rules.h"
#include "examiner/line_rules.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using Indices = std::vector<std::int64_t>;

/// Explains what is wrong with the first wrong output of a kernel.
class WrongElements {
public:
    WrongElements(const Trial& trial, const Evidence& evidence)
        : trial_(trial),
          evidence_(evidence),
          output_(*trial.element_comparison->first_wrong_output()) {
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            if (output_.states[static_cast<std::size_t>(i)] == CellState::wrong)
                wrong_indices_.push_back(i);
        }
    }

    Failure explain() {
        if (wrong_indices_.empty()) return explain_untouched();
        for (const auto rule : {&WrongElements::find_rounding, &WrongElements::find_loop_of_all,
                                &WrongElements::find_missing_input, &WrongElements::find_shift,
                                &WrongElements::find_swap, &WrongElements::find_repetition,
                                &WrongElements::find_inputs, &WrongElements::find_factor,
                                &WrongElements::find_difference}) {
            if (auto failure = (this->*rule)()) return *failure;
        }
        return describe();
    }

private:
    Failure make_failure(FailureKind kind, const std::string& headline,
                         const std::string& advice) const {
        Failure failure{
            .kind = kind,
            .headline = headline,
            .place = {evidence_.source.name,
                      find_statement_line(evidence_.source.text, trial_.store_line), 0},
            .shape = trial_.shape,
            .details = wrap("Not right: " + describe_bad_elements(output_, trial_.launch) + ". " +
                            format_comparison(output_.bad_elements().front())),
            .advice = advice,
            .is_cause_open = kind != FailureKind::beyond_tolerance};
        failure.map = make_cell_map(output_);
        return failure;
    }
    Failure make_failure(Fault fault, const std::string& headline,
                         const std::string& advice) const {
        Failure failure = make_failure(FailureKind::wrong_result, headline, advice);
        failure.fault = fault;
        failure.is_cause_open = fault != Fault::nothing_written;
        return failure;
    }

    /// Formats an element and its expected value, as in "out(3) is 2, expected 4."
    std::string format_comparison(std::int64_t index) const {
        const auto at = static_cast<std::size_t>(index);
        const bool is_untouched =
            output_.states[at] == CellState::untouched && !begins_with_input();
        return output_.element_name(index) +
               (is_untouched ? " was never written"
                             : " is " + output_.format_value(output_.actual_bytes, index)) +
               ", expected " + output_.format_value(output_.expected_bytes, index) + ".";
    }
    /// Reports whether the array is an input too. Then an element with its first value may have been
    /// written.
    bool begins_with_input() const {
        return std::ranges::any_of(
            evidence_.elements->task().parameters, [&](const Parameter& one) {
                return one.name == output_.name && one.is_read_by_reference();
            });
    }
    const char* actual_bytes(std::int64_t index) const {
        return output_.element(output_.actual_bytes, index);
    }
    const char* expected_bytes(std::int64_t index) const {
        return output_.element(output_.expected_bytes, index);
    }
    bool has_value_of(std::int64_t index, std::int64_t other_index) const {
        return output_.is_equal(actual_bytes(index), expected_bytes(other_index));
    }
    /// Reports whether the expected values of the elements at `indices` differ enough that a match
    /// is unlikely to be a coincidence.
    bool are_distinct(const Indices& indices) const {
        std::set<std::string> values;
        for (const std::int64_t index : indices) {
            values.emplace(expected_bytes(index), output_.type.bytes());
        }
        return values.size() > std::max<std::size_t>(1, indices.size() / 8);
    }

    // ---- elements that were never written ----

    Failure explain_untouched() const {
        const std::string& name = output_.name;
        if (const LineMistake mistake = find_dropped_rest(output_, trial_, evidence_);
            mistake.line > 0)
            return blame_line(make_failure(Fault::never_written, "", ""), mistake);
        if (output_.count_bad() == output_.count() && output_.count() > 1) {
            return make_failure(Fault::nothing_written,
                                "the kernel writes nothing to `" + name + "`.",
                                "Write the kernel: which element of `" + name +
                                    "` belongs to this thread, and what is its value?");
        }
        if (output_.count() == 1) {
            // The output may have more elements on other shapes.
            const ElementTask& task = evidence_.elements->task();
            const auto parameter = std::ranges::find(task.parameters, name, &Parameter::name);
            const bool is_always_one =
                count_elements(task.extents(*parameter, evidence_.exercise.shapes.back())) == 1;
            return make_failure(
                Fault::nothing_written, "`" + name + "` was never written.",
                is_always_one ? "Let one thread store the result in " + name + "[0]."
                              : "Follow the thread that should write " + output_.element_name(0) +
                                    ": does its index pass the bounds check, and does its "
                                    "loop make a pass?");
        }
        const std::int64_t bad_tail = start_of_bad_tail(output_);
        if (bad_tail < 0) {
            return make_failure(
                Fault::never_written,
                "some elements of `" + name +
                    "` were never written: " + describe_bad_elements(output_, trial_.launch) + ".",
                "Which thread should write " + output_.element_name(output_.bad_elements()[0]) +
                    "? Does it exist, and which index does it compute?");
        }
        Failure failure = make_failure(
            Fault::grid_too_small,
            output_.element_name(bad_tail) + " and all elements after it were never written.",
            "In configure, round the number of blocks up with ceil_div; or let each thread "
            "loop over several elements, with the total number of threads as the step.");
        const long long threads = trial_.launch.threads() * trial_.launch.blocks();
        failure.details += wrap("configure gives " + trial_.launch.text() + ", a total of " +
                                std::to_string(threads) + " threads for " +
                                format_count(output_.count(), "element") + ".");
        if (threads == bad_tail) {
            explain_small_grid(failure);
        } else {
            failure.fault = Fault::never_written;
            failure.advice = "Follow the thread that should write " +
                             output_.element_name(bad_tail) +
                             ": does it exist, does its index pass the bounds check, and how far "
                             "does its loop go?";
        }
        return failure;
    }

    /// Explains why a grid has fewer threads than there are elements, although each thread writes
    /// one.
    void explain_small_grid(Failure& failure) const {
        static const TextPattern division(R"(\bceil_div\s*\(([^;,]*),\s*([^;,()]*)\))");
        const std::string& text = evidence_.source.text;
        failure.is_cause_open = false;
        failure.place.line = find_configure_line(text, ".grid");
        const std::string code = code_for_search(text);
        const std::size_t configure = code.find("configure(");
        const std::string launch_code = configure == code.npos ? "" : code.substr(configure);
        TextMatch match;
        if (!search(launch_code, match, division)) return;
        const auto divisor = constant_value(text, match.str(2));
        const long long threads = trial_.launch.block[0];
        if (divisor && *divisor > threads && trial_.launch.block[1] == 1) {
            failure.headline += " The grid has one block for every " + std::to_string(*divisor) +
                                " elements, but a block has only " + std::to_string(threads) +
                                " threads.";
            failure.advice = "Use the same number in both places: divide by " +
                             std::to_string(threads) + ", or give each block " +
                             std::to_string(*divisor) +
                             " threads. Or let each thread loop over several elements.";
            return;
        }
        // The number of blocks may be limited on purpose.
        failure.advice =
            "Each thread processes only one element: let it loop over several, beginning at its "
            "own element, with the number of all threads, gridDim.x * blockDim.x, as the step.";
    }

    /// Returns the failure with the text and the place of a mistake.
    Failure blame_line(Failure failure, const LineMistake& mistake) const {
        blame(failure, mistake);
        failure.is_cause_open = false;
        return failure;
    }

    // ---- values ----

    /// Returns a failure if each wrong element is a multiple of the expected one, because as many
    /// threads execute the same passes of a loop.
    std::optional<Failure> find_loop_of_all() const {
        if (output_.type.components > 1) return std::nullopt;
        double factor = 0, largest_value = 0;
        for (const std::int64_t index : wrong_indices_) {
            const double expected_value = output_.type.read_value(expected_bytes(index));
            if (std::abs(expected_value) <= largest_value) continue;
            largest_value = std::abs(expected_value);
            factor = std::round(output_.type.read_value(actual_bytes(index)) / expected_value);
        }
        if (!(factor >= 2 && factor <= 1 << 20)) return std::nullopt;
        for (const std::int64_t index : wrong_indices_) {
            const double difference = output_.type.read_value(actual_bytes(index)) -
                                      factor * output_.type.read_value(expected_bytes(index));
            if (!(std::abs(difference) <= 1e-4 * factor * largest_value)) return std::nullopt;
        }
        const LineMistake mistake =
            find_loop_of_many_threads(trial_, evidence_, static_cast<long long>(factor));
        if (mistake.line == 0) return std::nullopt;
        return blame_line(make_failure(FailureKind::inputs_repeated, "", ""), mistake);
    }

    /// Returns a failure if each wrong element lacks the input with the same index.
    std::optional<Failure> find_missing_input() const {
        if (output_.type.components > 1 || wrong_indices_.size() < 3) return std::nullopt;
        const ElementTask& task = evidence_.elements->task();
        const ElementCase& element_case = evidence_.elements->case_for(trial_.shape);
        for (std::size_t i = 0; i < task.parameters.size(); ++i) {
            const Parameter& array = task.parameters[i];
            if (!array.is_array || array.is_output() || array.type.name != output_.type.name ||
                task.extents(array, trial_.shape) != output_.extents)
                continue;
            const std::string& input_bytes = element_case.arguments[i].bytes;
            const bool is_missing = std::ranges::all_of(wrong_indices_, [&](std::int64_t index) {
                const double input = output_.type.read_value(output_.element(input_bytes, index)),
                             actual_value = output_.type.read_value(actual_bytes(index)),
                             expected_value = output_.type.read_value(expected_bytes(index));
                return std::abs(actual_value + input - expected_value) <=
                       1e-6 * (std::abs(input) + std::abs(expected_value));
            });
            if (!is_missing) continue;
            const std::string element =
                array.name + "[" + std::to_string(wrong_indices_.back()) + "]";
            Failure failure = make_failure(
                FailureKind::inputs_left_out,
                "each wrong element lacks the input with the same index: " +
                    output_.element_name(wrong_indices_.back()) + " is right but for `" + element +
                    "`.",
                "Add the element of `" + array.name +
                    "` with the index of the result, too: it counts in its own result.");
            failure.is_cause_open = false;
            return failure;
        }
        return std::nullopt;
    }

    /// Returns a failure if the wrong values are close to the expected values, but not close
    /// enough.
    std::optional<Failure> find_rounding() const {
        if (output_.type.is_integer() || output_.type.components > 1) return std::nullopt;
        double largest_value = 0, worst_error = 0;
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            largest_value =
                std::max(largest_value, std::abs(output_.type.read_value(expected_bytes(i))));
        }
        for (const std::int64_t index : wrong_indices_) {
            const double error = std::abs(output_.type.read_value(actual_bytes(index)) -
                                          output_.type.read_value(expected_bytes(index)));
            worst_error = std::max(worst_error, std::isfinite(error) ? error / largest_value : 1);
        }
        constexpr double max_relative_error = 2e-3;
        if (largest_value == 0 || worst_error > max_relative_error || output_.untouched_count > 0)
            return std::nullopt;
        double input_count = 0;
        for (const CallArgument& argument : evidence_.elements->case_for(trial_.shape).arguments) {
            input_count += static_cast<double>(argument.bytes.size());
        }
        const double rounding_error = input_count / static_cast<double>(output_.count()) /
                                      static_cast<double>(output_.type.bytes()) *
                                      std::ldexp(1, -output_.type.precision_bits());
        const bool is_rounding_error = worst_error <= rounding_error;
        return make_failure(
            FailureKind::beyond_tolerance,
            "the values are nearly right, but further from the expected values than the "
            "tolerance, " +
                output_.tolerance.text() + ", allows.",
            is_rounding_error
                ? "The order of the additions alone can cause such a difference. Add values of "
                  "similar size, as a tree reduction does, instead of adding one value after "
                  "another to a large sum."
                : "The order of the additions alone cannot cause such a large difference. Is an "
                  "intermediate value stored in a smaller type, or is a fast approximation used?");
    }

    /// Returns a failure if each wrong element has the value of another element, and the distance
    /// to that element is always the same.
    std::optional<Failure> find_shift() const {
        const std::int64_t row = output_.extents.back();
        std::set<std::int64_t> distances = {1, 2, 3, 4, 8, 16, 32, row, trial_.launch.threads()};
        for (const std::int64_t distance : distances) {
            for (const std::int64_t shift : {distance, -distance}) {
                if (shift == 0 || !is_shifted(shift)) continue;
                const std::int64_t first_wrong = first_within(shift);
                return make_failure(
                    Fault::shifted,
                    output_.element_name(first_wrong) + " has the value that belongs in " +
                        output_.element_name(first_wrong + shift) +
                        ". All other wrong elements are shifted by the same distance, " +
                        std::to_string(distance) + ".",
                    "Compare the index of the store with the indices of the loads: which "
                    "index is " +
                        std::to_string(distance) +
                        (shift > 0 ? " too large or too small?" : " too small or too large?"));
            }
        }
        return std::nullopt;
    }
    std::int64_t first_within(std::int64_t shift) const {
        const auto shifted_index = std::ranges::find_if(wrong_indices_, [&](std::int64_t index) {
            return index + shift >= 0 && index + shift < output_.count();
        });
        return shifted_index == wrong_indices_.end() ? -1 : *shifted_index;
    }
    bool is_shifted(std::int64_t shift) const {
        Indices sources;
        std::size_t outside_count = 0;
        for (const std::int64_t index : wrong_indices_) {
            const std::int64_t source_index = index + shift;
            if (source_index < 0 || source_index >= output_.count()) {
                ++outside_count;
                continue;
            }
            if (!has_value_of(index, source_index)) return false;
            sources.push_back(source_index);
        }
        return sources.size() >= 2 &&
               outside_count <= std::min<std::size_t>(static_cast<std::size_t>(std::abs(shift)),
                                                      sources.size()) &&
               are_distinct(sources);
    }

    /// Returns a failure if the rows and columns of a square output are swapped.
    std::optional<Failure> find_swap() const {
        if (output_.extents.size() != 2 || output_.extents[0] != output_.extents[1]) {
            return std::nullopt;
        }
        const std::int64_t side = output_.extents[0];
        const auto transposed_index = [&](std::int64_t index) {
            return index % side * side + index / side;
        };
        const bool is_swapped = std::ranges::all_of(wrong_indices_, [&](std::int64_t index) {
            return has_value_of(index, transposed_index(index));
        });
        if (!is_swapped || wrong_indices_.size() < 2 || !are_distinct(wrong_indices_))
            return std::nullopt;
        return make_failure(
            Fault::indices_swapped,
            output_.element_name(wrong_indices_[0]) + " has the value that belongs in " +
                output_.element_name(transposed_index(wrong_indices_[0])) +
                ": the row and the column of the output are swapped.",
            "Which of the two indices counts rows? Multiply this index by the length of a row.");
    }

    /// Returns a failure if all wrong elements have the same value.
    std::optional<Failure> find_repetition() const {
        if (wrong_indices_.size() < 3) return std::nullopt;
        const std::size_t bytes = output_.type.bytes();
        const std::string value(actual_bytes(wrong_indices_[0]), bytes);
        for (const std::int64_t index : wrong_indices_) {
            if (value.compare(0, bytes, actual_bytes(index), bytes) != 0) return std::nullopt;
        }
        if (!are_distinct(wrong_indices_)) return std::nullopt;
        // Zero and infinity are the results of many mistakes.
        const bool is_number = output_.type.components == 1;
        const double number =
            is_number ? output_.type.read_value(actual_bytes(wrong_indices_[0])) : 1;
        if (number == 0 || !std::isfinite(number)) return std::nullopt;
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            if (!has_value_of(wrong_indices_[0], i)) continue;
            return make_failure(
                Fault::line_repeated,
                "all wrong elements have the same value, which belongs in " +
                    output_.element_name(i) + ".",
                "Every block, or every thread, computes the same element: which index should "
                "differ between them?");
        }
        return std::nullopt;
    }

    std::optional<Failure> find_inputs() const {
        const std::vector<OutputComparison>& outputs = trial_.element_comparison->outputs;
        // All outputs are computed from the same inputs. If one of them is right, all inputs were
        // used.
        const auto is_right = [](const OutputComparison& one) { return one.count_bad() == 0; };
        if (std::ranges::any_of(outputs, is_right)) return std::nullopt;
        // Begin with the last output. If a kernel outputs values and their positions, the values
        // are usually last. The positions would be misleading, because they change if inputs are
        // left out.
        for (std::size_t i = outputs.size(); i-- > 0;) {
            if (outputs[i].wrong_count == 0) continue;
            const auto used_inputs = find_used_inputs(trial_, outputs[i], i, *evidence_.elements);
            if (used_inputs) return explain_inputs(*used_inputs, outputs[i]);
        }
        return std::nullopt;
    }
    Failure explain_inputs(const UsedInputs& used_inputs, const OutputComparison& output) const {
        const auto unused_index =
            std::ranges::find(output.states, CellState::wrong) - output.states.begin();
        const int load_line = find_first_load_line();
        Failure failure = make_failure(
            used_inputs.is_repeated ? FailureKind::inputs_repeated : FailureKind::inputs_left_out,
            output.element_name(unused_index) + " is " +
                output.format_value(output.actual_bytes, unused_index) + ", " +
                used_inputs.sentence + "; expected " +
                output.format_value(output.expected_bytes, unused_index) + ".",
            used_inputs.advice);
        if (load_line > 0) failure.place.line = load_line;
        if (used_inputs.is_shifted) {
            failure.kind = FailureKind::wrong_result;
            failure.fault = Fault::shifted;
            return failure;
        }
        if (find_loops(evidence_.source.text).empty() &&
            used_inputs.advice.starts_with("The loop ends")) {
            failure.advice =
                "Each thread uses only one input, and there are fewer threads than inputs: let "
                "each thread loop over further inputs, with the number of all threads as the step.";
        }
        const LineMistake mistake =
            first_mistake([&] { return find_short_shuffle(evidence_.source.text); },
                          [&] { return find_loop_with_long_step(trial_, evidence_, load_line); });
        if (mistake.line > 0 && !used_inputs.is_repeated) {
            failure.details = wrap(failure.headline) + failure.details;
            blame(failure, mistake);
            failure.is_cause_open = false;
        }
        return failure;
    }
    int find_first_load_line() const {
        const Trial unchecked_trial = evidence_.launch_without_checks(trial_.shape);
        for (const LineCounters& line_counters : unchecked_trial.lines) {
            if (line_counters.counters.load_requests > 0) return line_counters.line;
        }
        return 0;
    }

    /// Returns compare(actual, expected) if it is the same for all wrong elements, up to the
    /// relative error `tolerance`.
    std::optional<double> find_common(double (*compare)(double, double), double tolerance) const {
        if (wrong_indices_.size() < 2 || output_.type.components > 1) return std::nullopt;
        const auto value_at = [&](std::int64_t index) {
            return compare(output_.type.read_value(actual_bytes(index)),
                           output_.type.read_value(expected_bytes(index)));
        };
        const double first_value = value_at(wrong_indices_[0]);
        const bool is_constant = std::ranges::all_of(wrong_indices_, [&](std::int64_t index) {
            return std::abs(value_at(index) - first_value) <= tolerance * std::abs(first_value);
        });
        return is_constant && std::isfinite(first_value) && are_distinct(wrong_indices_)
                   ? std::optional(first_value)
                   : std::nullopt;
    }

    /// Returns a failure if all wrong values differ from the expected ones by the same factor.
    std::optional<Failure> find_factor() const {
        const auto ratio =
            find_common([](double actual_value,
                           double expected_value) { return actual_value / expected_value; },
                        1e-4);
        if (!ratio || *ratio == 0) return std::nullopt;
        return make_failure(FailureKind::wrong_elements,
                            format("each wrong element is %.6g times the expected value.", *ratio),
                            "Which factor or divisor is missing, or applied twice?");
    }

    /// Returns a failure if all wrong values differ from the expected ones by the same amount.
    std::optional<Failure> find_difference() const {
        const auto difference =
            find_common([](double actual_value,
                           double expected_value) { return actual_value - expected_value; },
                        output_.type.is_integer() ? 0 : 1e-4);
        // A few elements may differ by the same amount by coincidence.
        constexpr std::int64_t few = 4;
        if (!difference || output_.count_bad() < std::min(few, output_.count()))
            return std::nullopt;
        return make_failure(FailureKind::wrong_elements,
                            format("each wrong element is %.6g %s than the expected value.",
                                   std::abs(*difference), *difference > 0 ? "more" : "less"),
                            "Which term is added twice, or left out?");
    }

    Failure describe() const {
        const std::int64_t first_index = output_.bad_elements().front();
        std::string bad_elements_text = describe_bad_elements(output_, trial_.launch);
        // Describe wrong elements at the end as an edge only if they make up less than half of the
        // output.
        const std::int64_t bad_tail =
            2 * output_.count_bad() < output_.count() ? start_of_bad_tail(output_) : -1;
        Failure failure = make_failure(
            bad_tail > 0 ? FailureKind::wrong_result : FailureKind::wrong_elements,
            "`" + output_.name + "` has wrong values: " + bad_elements_text + ".",
            "Work out " + output_.element_name(first_index) +
                " by hand: which inputs does it take, and which does its thread read?");
        if (bad_tail > 0) failure.fault = Fault::edge_wrong;
        failure.details = wrap(format_comparison(first_index));
        if (output_.untouched_count > 0 && !begins_with_input()) {
            failure.details +=
                wrap(format_count(output_.untouched_count, "element") + " of them " +
                     (output_.untouched_count == 1 ? "was" : "were") + " never written.");
        }
        return failure;
    }

    const Trial& trial_;
    const Evidence& evidence_;
    const OutputComparison& output_;
    Indices wrong_indices_;
};

/// Reports whether a failure says more than that some values are wrong or missing.
bool is_specific(const Failure& failure) {
    if (failure.kind != FailureKind::wrong_result) {
        return failure.kind != FailureKind::wrong_elements;
    }
    return failure.fault != Fault::edge_wrong && failure.fault != Fault::nothing_written;
}

Failure explain_overrun(const std::string& array, bool is_after_array, const Trial& trial,
                        const Evidence& evidence) {
    return {.kind = FailureKind::wrong_result,
            .fault = is_after_array ? Fault::written_after : Fault::written_before,
            .headline = std::string("the kernel writes ") +
                        (is_after_array ? "after the end" : "before the beginning") + " of `" +
                        array + "`.",
            .place = {evidence.source.name, trial.store_line, 0},
            .shape = trial.shape,
            .advice = "Check the kernel on the simulated GPU, which names the line and the index."};
}

}  // namespace

std::optional<Failure> find_wrong_elements(const Trial& trial, const Evidence& evidence) {
    if (!trial.element_comparison || trial.element_comparison->is_right()) return std::nullopt;
    const ElementComparison& comparison = *trial.element_comparison;
    if (!comparison.changed_inputs.empty()) {
        return Failure{
            .kind = FailureKind::wrong_result,
            .fault = Fault::input_changed,
            .headline = "the kernel changes its input `" + comparison.changed_inputs[0] + "`.",
            .place = {evidence.source.name, trial.store_line, 0},
            .shape = trial.shape,
            .advice = "Store only in the outputs."};
    }
    if (!comparison.overrun_after.empty()) {
        return explain_overrun(comparison.overrun_after[0], true, trial, evidence);
    }
    if (!comparison.overrun_before.empty()) {
        return explain_overrun(comparison.overrun_before[0], false, trial, evidence);
    }
    if (const LineMistake mistake =
            find_equal_places(*comparison.first_wrong_output(), evidence.source.text);
        mistake.line > 0) {
        Failure failure{.kind = FailureKind::wrong_elements,
                        .place = {evidence.source.name, mistake.line, 0},
                        .shape = trial.shape};
        blame(failure, mistake);
        return failure;
    }
    Failure failure = WrongElements(trial, evidence).explain();
    if (is_specific(failure)) return failure;
    // The shape may be too small to tell mistakes apart, so also try the largest shape.
    const Trial larger_trial = evidence.relaunch({.shape = evidence.exercise.shapes.back()});
    const auto& larger_comparison = larger_trial.element_comparison;
    if (!larger_comparison || !larger_trial.reports.empty() ||
        !larger_comparison->first_wrong_output())
        return failure;
    Failure larger_failure = WrongElements(larger_trial, evidence).explain();
    return is_specific(larger_failure) ? larger_failure : failure;
}

}  // namespace coalesce
