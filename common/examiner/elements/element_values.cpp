#include <algorithm>
#include <cmath>
#include <set>

#include "examiner/elements/element_rules.h"
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
        : trial_(trial), evidence_(evidence), output_(*trial.element_comparison->first_bad()) {
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            if (output_.states[static_cast<std::size_t>(i)] == CellState::wrong)
                wrong_.push_back(i);
        }
    }

    Failure explain() {
        if (wrong_.empty()) return explain_untouched();
        for (const auto rule :
             {&WrongElements::find_rounding, &WrongElements::find_shift, &WrongElements::find_swap,
              &WrongElements::find_repetition, &WrongElements::find_inputs,
              &WrongElements::find_factor, &WrongElements::find_difference}) {
            if (auto failure = (this->*rule)()) return *failure;
        }
        return describe();
    }

private:
    Failure make(FailureKind kind, const std::string& headline, const std::string& next) const {
        Failure failure{
            .kind = kind,
            .headline = headline,
            .place = {evidence_.source.name,
                      find_statement_line(evidence_.source.text, trial_.store_line), 0},
            .shape = trial_.shape,
            .details = wrap("Not right: " + describe_bad_elements(output_, trial_.launch) + ". " +
                            compared(output_.bad_elements().front())),
            .next = next};
        failure.map = map_of(output_);
        return failure;
    }
    Failure make(Fault fault, const std::string& headline, const std::string& next) const {
        Failure failure = make(FailureKind::wrong_result, headline, next);
        failure.fault = fault;
        return failure;
    }

    /// Formats an element and its expected value, as in "out(3) is 2, expected 4."
    std::string compared(std::int64_t index) const {
        const auto at = static_cast<std::size_t>(index);
        const bool is_untouched = output_.states[at] == CellState::untouched;
        return output_.name_of(index) +
               (is_untouched ? " was never written"
                             : " is " + output_.value_of(output_.actual, index)) +
               ", expected " + output_.value_of(output_.expected, index) + ".";
    }
    const char* actual(std::int64_t index) const { return output_.element(output_.actual, index); }
    const char* expected(std::int64_t index) const {
        return output_.element(output_.expected, index);
    }
    bool has_value_of(std::int64_t index, std::int64_t other) const {
        return output_.is_equal(actual(index), expected(other));
    }
    /// Reports whether the expected values of the elements at `indices` differ enough that a match
    /// is unlikely to be a coincidence.
    bool are_distinct(const Indices& indices) const {
        std::set<std::string> values;
        for (const std::int64_t index : indices) {
            values.emplace(expected(index), output_.type.bytes());
        }
        return values.size() > std::max<std::size_t>(1, indices.size() / 8);
    }

    // ---- elements that were never written ----

    Failure explain_untouched() const {
        const std::string& name = output_.name;
        if (output_.bad() == output_.count() && output_.count() > 1) {
            return make(Fault::nothing_written, "the kernel writes nothing to `" + name + "`.",
                        "Write the kernel: which element of `" + name +
                            "` belongs to this thread, and what is its value?");
        }
        if (output_.count() == 1) {
            return make(Fault::nothing_written, "`" + name + "` was never written.",
                        "Let one thread store the result in " + name + "[0].");
        }
        const std::int64_t tail = start_of_bad_tail(output_);
        if (tail < 0) {
            return make(Fault::never_written,
                        "some elements of `" + name + "` were never written: " +
                            describe_bad_elements(output_, trial_.launch) + ".",
                        "Which thread should write " + output_.name_of(output_.bad_elements()[0]) +
                            "? Does it exist, and which index does it compute?");
        }
        Failure failure =
            make(Fault::grid_too_small,
                 output_.name_of(tail) + " and all elements after it were never written.",
                 "In configure, round the number of blocks up with ceil_div; or let each thread "
                 "loop over several elements, with the total number of threads as the step.");
        const long long threads = trial_.launch.threads() * trial_.launch.blocks();
        failure.details += wrap("configure gives " + trial_.launch.text() + ", a total of " +
                                std::to_string(threads) + " threads for " +
                                format_count(output_.count(), "element") + ".");
        if (threads == tail) {
            failure.place.line = find_configure_line(evidence_.source.text, ".grid");
        } else {
            failure.fault = Fault::never_written;
            failure.next = "Follow the thread that should write " + output_.name_of(tail) +
                           ": does it exist, does its index pass the bounds check, and how far "
                           "does its loop go?";
        }
        return failure;
    }

    // ---- values ----

    /// Returns a failure if the wrong values are close to the expected values, but not close
    /// enough.
    std::optional<Failure> find_rounding() const {
        if (output_.type.is_integer() || output_.type.components > 1) return std::nullopt;
        double largest = 0, worst = 0;
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            largest = std::max(largest, std::abs(output_.type.read(expected(i))));
        }
        for (const std::int64_t index : wrong_) {
            const double error =
                std::abs(output_.type.read(actual(index)) - output_.type.read(expected(index)));
            worst = std::max(worst, std::isfinite(error) ? error / largest : 1);
        }
        constexpr double small = 2e-3;
        if (largest == 0 || worst > small || output_.untouched > 0) return std::nullopt;
        double inputs = 0;
        for (const CallArgument& one : evidence_.elements->case_for(trial_.shape).arguments) {
            inputs += static_cast<double>(one.bytes.size());
        }
        const double of_order = inputs / static_cast<double>(output_.count()) /
                                static_cast<double>(output_.type.bytes()) *
                                std::ldexp(1, -output_.type.precision_bits());
        const bool is_of_order = worst <= of_order;
        return make(
            FailureKind::beyond_tolerance,
            "the values are nearly right, but further from the expected values than the "
            "tolerance, " +
                output_.tolerance.text() + ", allows.",
            is_of_order
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
            for (const std::int64_t by : {distance, -distance}) {
                if (by == 0 || !is_shifted(by)) continue;
                const std::int64_t one = first_within(by);
                return make(Fault::shifted,
                            output_.name_of(one) + " has the value that belongs in " +
                                output_.name_of(one + by) +
                                ". All other wrong elements are shifted by the same distance, " +
                                std::to_string(distance) + ".",
                            "Compare the index of the store with the indices of the loads: which "
                            "index is " +
                                std::to_string(distance) +
                                (by > 0 ? " too large or too small?" : " too small or too large?"));
            }
        }
        return std::nullopt;
    }
    std::int64_t first_within(std::int64_t by) const {
        const auto found = std::ranges::find_if(wrong_, [&](std::int64_t index) {
            return index + by >= 0 && index + by < output_.count();
        });
        return found == wrong_.end() ? -1 : *found;
    }
    bool is_shifted(std::int64_t by) const {
        Indices sources;
        std::size_t outside = 0;
        for (const std::int64_t index : wrong_) {
            const std::int64_t from = index + by;
            if (from < 0 || from >= output_.count()) {
                ++outside;
                continue;
            }
            if (!has_value_of(index, from)) return false;
            sources.push_back(from);
        }
        return sources.size() >= 2 &&
               outside <=
                   std::min<std::size_t>(static_cast<std::size_t>(std::abs(by)), sources.size()) &&
               are_distinct(sources);
    }

    /// Returns a failure if the rows and columns of a square output are swapped.
    std::optional<Failure> find_swap() const {
        if (output_.extents.size() != 2 || output_.extents[0] != output_.extents[1]) {
            return std::nullopt;
        }
        const std::int64_t side = output_.extents[0];
        const auto other = [&](std::int64_t index) { return index % side * side + index / side; };
        const bool is_swapped = std::ranges::all_of(
            wrong_, [&](std::int64_t index) { return has_value_of(index, other(index)); });
        if (!is_swapped || wrong_.size() < 2 || !are_distinct(wrong_)) return std::nullopt;
        return make(
            Fault::indices_swapped,
            output_.name_of(wrong_[0]) + " has the value that belongs in " +
                output_.name_of(other(wrong_[0])) +
                ": the row and the column of the output are swapped.",
            "Which of the two indices counts rows? Multiply this index by the length of a row.");
    }

    /// Returns a failure if all wrong elements have the same value.
    std::optional<Failure> find_repetition() const {
        if (wrong_.size() < 3) return std::nullopt;
        const std::size_t bytes = output_.type.bytes();
        const std::string value(actual(wrong_[0]), bytes);
        for (const std::int64_t index : wrong_) {
            if (value.compare(0, bytes, actual(index), bytes) != 0) return std::nullopt;
        }
        if (!are_distinct(wrong_)) return std::nullopt;
        for (std::int64_t i = 0; i < output_.count(); ++i) {
            if (!has_value_of(wrong_[0], i)) continue;
            return make(
                Fault::line_repeated,
                "all wrong elements have the same value, which belongs in " + output_.name_of(i) +
                    ".",
                "Every block, or every thread, computes the same element: which index should "
                "differ between them?");
        }
        return std::nullopt;
    }

    std::optional<Failure> find_inputs() const {
        const std::vector<OutputComparison>& outputs = trial_.element_comparison->outputs;
        // Begin with the last output. If a kernel outputs values and their positions, the values
        // are usually last. The positions would be misleading, because they change if inputs are
        // left out.
        for (std::size_t i = outputs.size(); i-- > 0;) {
            if (outputs[i].wrong == 0) continue;
            const auto used = find_used_inputs(trial_, outputs[i], i, *evidence_.elements);
            if (used) return explain_inputs(*used, outputs[i]);
        }
        return std::nullopt;
    }
    Failure explain_inputs(const UsedInputs& used, const OutputComparison& output) const {
        const auto first =
            std::ranges::find(output.states, CellState::wrong) - output.states.begin();
        Failure failure =
            make(used.is_repeated ? FailureKind::inputs_repeated : FailureKind::inputs_left_out,
                 output.name_of(first) + " is " + output.value_of(output.actual, first) + ", " +
                     used.sentence + "; expected " + output.value_of(output.expected, first) + ".",
                 used.next);
        if (const int line = first_load_line(); line > 0) failure.place.line = line;
        return failure;
    }
    int first_load_line() const {
        const Trial seen = evidence_.launch_without_checks(trial_.shape);
        for (const LineCounters& one : seen.lines) {
            if (one.counters.load_requests > 0) return one.line;
        }
        return 0;
    }

    /// Returns compare(actual, expected) if it is the same for all wrong elements, up to the
    /// relative error `tolerance`.
    std::optional<double> find_common(double (*compare)(double, double), double tolerance) const {
        if (wrong_.size() < 2 || output_.type.components > 1) return std::nullopt;
        const auto value_at = [&](std::int64_t index) {
            return compare(output_.type.read(actual(index)), output_.type.read(expected(index)));
        };
        const double first = value_at(wrong_[0]);
        const bool is_constant = std::ranges::all_of(wrong_, [&](std::int64_t index) {
            return std::abs(value_at(index) - first) <= tolerance * std::abs(first);
        });
        return is_constant && std::isfinite(first) && are_distinct(wrong_) ? std::optional(first)
                                                                           : std::nullopt;
    }

    /// Returns a failure if all wrong values differ from the expected ones by the same factor.
    std::optional<Failure> find_factor() const {
        const auto ratio =
            find_common([](double has, double should) { return has / should; }, 1e-4);
        if (!ratio || *ratio == 0) return std::nullopt;
        return make(FailureKind::wrong_elements,
                    format("each wrong element is %.6g times the expected value.", *ratio),
                    "Which factor or divisor is missing, or applied twice?");
    }

    /// Returns a failure if all wrong values differ from the expected ones by the same amount.
    std::optional<Failure> find_difference() const {
        const auto difference = find_common([](double has, double should) { return has - should; },
                                            output_.type.is_integer() ? 0 : 1e-4);
        if (!difference) return std::nullopt;
        return make(FailureKind::wrong_elements,
                    format("each wrong element is %.6g %s than the expected value.",
                           std::abs(*difference), *difference > 0 ? "more" : "less"),
                    "Which term is added twice, or left out?");
    }

    Failure describe() const {
        const std::int64_t first = output_.bad_elements().front();
        std::string where = describe_bad_elements(output_, trial_.launch);
        // Describe wrong elements at the end as an edge only if they make up less than half of the
        // output.
        const std::int64_t tail =
            2 * output_.bad() < output_.count() ? start_of_bad_tail(output_) : -1;
        Failure failure =
            make(tail > 0 ? FailureKind::wrong_result : FailureKind::wrong_elements,
                 "`" + output_.name + "` has wrong values: " + where + ".",
                 "Work out " + output_.name_of(first) +
                     " by hand: which inputs does it take, and which does its thread read?");
        if (tail > 0) failure.fault = Fault::edge_wrong;
        failure.details = wrap(compared(first));
        if (output_.untouched > 0) {
            failure.details += wrap(format_count(output_.untouched, "element") + " of them " +
                                    (output_.untouched == 1 ? "was" : "were") + " never written.");
        }
        return failure;
    }

    const Trial& trial_;
    const Evidence& evidence_;
    const OutputComparison& output_;
    Indices wrong_;
};

/// Reports whether a failure says more than that some values are wrong or missing.
bool is_specific(const Failure& failure) {
    if (failure.kind != FailureKind::wrong_result) {
        return failure.kind != FailureKind::wrong_elements;
    }
    return failure.fault != Fault::edge_wrong && failure.fault != Fault::nothing_written;
}

Failure explain_overrun(const std::string& array, bool is_after, const Trial& trial,
                        const Evidence& evidence) {
    return {.kind = FailureKind::wrong_result,
            .fault = is_after ? Fault::written_after : Fault::written_before,
            .headline = std::string("the kernel writes ") +
                        (is_after ? "after the end" : "before the beginning") + " of `" + array +
                        "`.",
            .place = {evidence.source.name, trial.store_line, 0},
            .shape = trial.shape,
            .next = "Check the kernel on the simulated GPU, which names the line and the index."};
}

}  // namespace

std::optional<Failure> find_wrong_elements(const Trial& trial, const Evidence& evidence) {
    if (!trial.element_comparison || trial.element_comparison->is_right()) return std::nullopt;
    const ElementComparison& found = *trial.element_comparison;
    if (!found.changed_inputs.empty()) {
        return Failure{
            .kind = FailureKind::wrong_result,
            .fault = Fault::input_changed,
            .headline = "the kernel changes its input `" + found.changed_inputs[0] + "`.",
            .place = {evidence.source.name, trial.store_line, 0},
            .shape = trial.shape,
            .next = "Store only in the outputs."};
    }
    if (!found.overrun_after.empty()) {
        return explain_overrun(found.overrun_after[0], true, trial, evidence);
    }
    if (!found.overrun_before.empty()) {
        return explain_overrun(found.overrun_before[0], false, trial, evidence);
    }
    Failure failure = WrongElements(trial, evidence).explain();
    if (is_specific(failure)) return failure;
    // The shape may be too small to tell mistakes apart, so also try the largest shape.
    const Trial larger = evidence.relaunch({.shape = evidence.exercise.shapes.back()});
    const auto& seen = larger.element_comparison;
    if (!seen || !larger.reports.empty() || !seen->first_bad()) return failure;
    Failure other = WrongElements(larger, evidence).explain();
    return is_specific(other) ? other : failure;
}

}  // namespace coalesce
