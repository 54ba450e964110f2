#include <algorithm>
#include <cmath>
#include <set>

#include "examiner/elements/array_update.h"
#include "examiner/elements/element_rules.h"
#include "examiner/elements/value_rules.h"
#include "examiner/elements/wrong_output.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Explains what is wrong with the first wrong output of a kernel.
class WrongElements : private WrongOutput {
public:
    WrongElements(const Trial& trial, const Evidence& evidence) : WrongOutput(trial, evidence) {}

    /// A failure, and whether it says more than that some values are wrong or missing.
    struct Explained {
        Failure failure;
        bool is_specific = false;
    };

    Explained explain() {
        const WrongOutput& seen = *this;
        for (const auto rule :
             {find_mixed_axes, find_equal_places, find_not_finite, find_wrong_positions,
              find_wrong_order, find_wrong_scan, find_repeated_addition, find_whole_numbers,
              find_row_factors, find_replacing_shuffle}) {
            if (auto failure = rule(seen)) return {*failure, true};
        }
        if (wrong().empty()) return {explain_untouched(seen), output().bad() < output().count()};
        for (const auto rule : {&WrongElements::find_rounding, &WrongElements::find_shift,
                                &WrongElements::find_swap, &WrongElements::find_repetition,
                                &WrongElements::find_inputs, &WrongElements::find_factor}) {
            if (auto failure = (this->*rule)()) return {*failure, true};
        }
        for (const auto rule : {find_other_inputs, find_missing_neighbours, find_wrong_neighbour}) {
            if (auto failure = rule(seen)) return {*failure, true};
        }
        if (auto failure = find_difference()) return {*failure, false};
        return {describe(), false};
    }

private:
    // ---- values ----

    /// Returns a failure if the wrong values are close to the expected values, but not close
    /// enough.
    std::optional<Failure> find_rounding() const {
        if (output().type.is_integer() || output().type.components > 1) return std::nullopt;
        double largest = 0, worst = 0;
        for (std::int64_t i = 0; i < output().count(); ++i) {
            largest = std::max(largest, std::abs(output().type.read(expected(i))));
        }
        for (const std::int64_t index : wrong()) {
            const double error =
                std::abs(output().type.read(actual(index)) - output().type.read(expected(index)));
            worst = std::max(worst, std::isfinite(error) ? error / largest : 1);
        }
        constexpr double small = 2e-3;
        if (largest == 0 || worst > small || output().untouched > 0) return std::nullopt;
        double inputs = 0;
        for (const CallArgument& one : evidence().elements->case_for(trial().shape).arguments) {
            inputs += static_cast<double>(one.bytes.size());
        }
        const double of_order = inputs / static_cast<double>(output().count()) /
                                static_cast<double>(output().type.bytes()) *
                                std::ldexp(1, -output().type.precision_bits());
        const bool is_of_order = worst <= of_order;
        return make(
            FailureKind::beyond_tolerance,
            "the values are nearly right, but further from the expected values than the "
            "tolerance, " +
                output().tolerance.text() + ", allows.",
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
        const std::int64_t row = output().extents.back();
        std::set<std::int64_t> distances = {1, 2, 3, 4, 8, 16, 32, row, trial().launch.threads()};
        for (const std::int64_t distance : distances) {
            for (const std::int64_t by : {distance, -distance}) {
                if (by == 0 || !is_shifted(by)) continue;
                const std::int64_t one = first_within(by);
                return make(Fault::shifted,
                            output().name_of(one) + " has the value that belongs in " +
                                output().name_of(one + by) +
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
        const auto found = std::ranges::find_if(wrong(), [&](std::int64_t index) {
            return index + by >= 0 && index + by < output().count();
        });
        return found == wrong().end() ? -1 : *found;
    }
    bool is_shifted(std::int64_t by) const {
        Indices sources;
        std::size_t outside = 0;
        for (const std::int64_t index : wrong()) {
            const std::int64_t from = index + by;
            if (from < 0 || from >= output().count()) {
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
        if (output().extents.size() != 2 || output().extents[0] != output().extents[1]) {
            return std::nullopt;
        }
        const std::int64_t side = output().extents[0];
        const auto other = [&](std::int64_t index) { return index % side * side + index / side; };
        const bool is_swapped = std::ranges::all_of(
            wrong(), [&](std::int64_t index) { return has_value_of(index, other(index)); });
        if (!is_swapped || wrong().size() < 2 || !are_distinct(wrong())) return std::nullopt;
        return make(
            Fault::indices_swapped,
            output().name_of(wrong()[0]) + " has the value that belongs in " +
                output().name_of(other(wrong()[0])) +
                ": the row and the column of the output are swapped.",
            "Which of the two indices counts rows? Multiply this index by the length of a row.");
    }

    /// Returns a failure if all wrong elements have the same value.
    std::optional<Failure> find_repetition() const {
        if (wrong().size() < 3) return std::nullopt;
        const std::size_t bytes = output().type.bytes();
        const std::string value(actual(wrong()[0]), bytes);
        for (const std::int64_t index : wrong()) {
            if (value.compare(0, bytes, actual(index), bytes) != 0) return std::nullopt;
        }
        if (!are_distinct(wrong())) return std::nullopt;
        for (std::int64_t i = 0; i < output().count(); ++i) {
            if (!has_value_of(wrong()[0], i)) continue;
            return make(
                Fault::line_repeated,
                "all wrong elements have the same value, which belongs in " + output().name_of(i) +
                    ".",
                "Every block, or every thread, computes the same element: which index should "
                "differ between them?");
        }
        return std::nullopt;
    }

    std::optional<Failure> find_inputs() const {
        const std::vector<OutputComparison>& outputs = trial().element_comparison->outputs;
        // Begin with the last output. If a kernel outputs values and their positions, the values
        // are usually last. The positions would be misleading, because they change if inputs are
        // left out.
        for (std::size_t i = outputs.size(); i-- > 0;) {
            if (outputs[i].wrong == 0) continue;
            const auto used = find_used_inputs(trial(), outputs[i], i, *evidence().elements);
            if (!used) continue;
            if (auto failure = find_inputs_of_threads(*used)) return failure;
            return explain_inputs(*used, outputs[i]);
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
        const int blamed =
            used.blamed.empty() ? 0 : find_line_in_kernel(source(), TextPattern(used.blamed));
        const int line = blamed > 0           ? blamed
                         : used.is_of_threads ? find_combining_line()
                                              : first_load_line();
        if (line > 0) failure.place.line = line;
        if (used.is_of_threads && !combines_threads()) {
            failure.next =
                "Which thread takes the inputs in between? If other threads do, combine their "
                "values; if none does, the step of the loop is too large.";
        }
        return failure;
    }
    /// Reports whether the kernel has any way to combine the values of threads.
    bool combines_threads() const {
        static const TextPattern means(R"(__shared__|_sync\s*\(|\batomic\w*\s*\(|__syncthreads)");
        return contains(code_for_search(source()), means);
    }
    /// Returns the failure on the largest shape if values of threads are missing there. On a small
    /// shape, the first threads' values may be the same inputs as those of a loop that ends early.
    std::optional<Failure> find_inputs_of_threads(const UsedInputs& used) const {
        const Shape largest = evidence().exercise.shapes.back();
        if (!used.may_be_of_threads || trial().shape == largest) return std::nullopt;
        const Trial larger = evidence().relaunch({.shape = largest});
        const auto& seen = larger.element_comparison;
        if (!seen || !larger.reports.empty() || !seen->first_bad()) return std::nullopt;
        const WrongElements there(larger, evidence());
        for (std::size_t i = 0; i < seen->outputs.size(); ++i) {
            if (seen->outputs[i].wrong == 0) continue;
            const auto more = find_used_inputs(larger, seen->outputs[i], i, *evidence().elements);
            if (more && more->is_of_threads) return there.explain_inputs(*more, seen->outputs[i]);
        }
        return std::nullopt;
    }
    /// Returns the first line that combines the values of threads, or 0.
    int find_combining_line() const {
        static const TextPattern shuffle(R"(\b__(shfl|reduce)_\w+_sync\s*\()");
        for (const Loop& loop : find_loops(source())) {
            if (loop.barrier_line == 0) continue;
            for (int line = loop.first_line; line <= loop.last_line; ++line) {
                const std::string code = code_on_line(source(), line);
                if (!find_array_update(code).others.empty()) return line;
            }
        }
        return find_line_in_kernel(source(), shuffle);
    }
    int first_load_line() const {
        const Trial seen = evidence().launch_without_checks(trial().shape);
        for (const LineCounters& one : seen.lines) {
            if (one.counters.load_requests > 0) return one.line;
        }
        return 0;
    }

    /// Returns compare(actual, expected) if it is the same for all wrong elements, up to the
    /// relative error `tolerance`.
    std::optional<double> find_common(double (*compare)(double, double), double tolerance) const {
        if (wrong().size() < 2 || output().type.components > 1) return std::nullopt;
        const auto value_at = [&](std::int64_t index) {
            return compare(output().type.read(actual(index)), output().type.read(expected(index)));
        };
        const double first = value_at(wrong()[0]);
        const bool is_constant = std::ranges::all_of(wrong(), [&](std::int64_t index) {
            return std::abs(value_at(index) - first) <= tolerance * std::abs(first);
        });
        return is_constant && std::isfinite(first) && are_distinct(wrong()) ? std::optional(first)
                                                                            : std::nullopt;
    }

    /// Returns a failure if all wrong values differ from the expected ones by the same factor.
    std::optional<Failure> find_factor() const {
        const auto ratio =
            find_common([](double has, double should) { return has / should; }, 1e-4);
        if (!ratio || *ratio == 0) return std::nullopt;
        const double inverse = std::round(1 / *ratio);
        const bool is_fraction = inverse > 1 && std::abs(*ratio * inverse - 1) < 1e-4;
        return make(FailureKind::wrong_elements,
                    is_fraction
                        ? format("each wrong element is 1/%.0f of the expected value.", inverse)
                        : format("each wrong element is %.6g times the expected value.", *ratio),
                    "Which factor or divisor is missing, or applied twice?");
    }

    /// Finds values that differ from the expected ones by a constant. Two elements of an integer
    /// output may do so by chance.
    std::optional<Failure> find_difference() const {
        if (wrong().size() < 3) return std::nullopt;
        const auto difference = find_common([](double has, double should) { return has - should; },
                                            output().type.is_integer() ? 0 : 1e-4);
        if (!difference) return std::nullopt;
        return make(FailureKind::wrong_elements,
                    format("each wrong element is %.6g %s than the expected value.",
                           std::abs(*difference), *difference > 0 ? "more" : "less"),
                    "Which term is added twice, or left out?");
    }

    Failure describe() const {
        const std::int64_t first = output().bad_elements().front();
        std::string where = describe_bad_elements(output(), trial().launch);
        // Describe wrong elements at the end as an edge only if they make up less than half of the
        // output.
        const std::int64_t tail =
            2 * output().bad() < output().count() ? start_of_bad_tail(output()) : -1;
        Failure failure =
            make(tail > 0 ? FailureKind::wrong_result : FailureKind::wrong_elements,
                 "`" + output().name + "` has wrong values: " + where + ".",
                 "Work out " + output().name_of(first) +
                     " by hand: which inputs does it take, and which does its thread read?");
        if (tail > 0) failure.fault = Fault::edge_wrong;
        failure.details = wrap(compared(first));
        if (output().untouched > 0 && !output().has_initial_values) {
            failure.details += wrap(format_count(output().untouched, "element") + " of them " +
                                    (output().untouched == 1 ? "was" : "were") + " never written.");
        }
        return failure;
    }
};

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
    const WrongElements::Explained here = WrongElements(trial, evidence).explain();
    if (here.is_specific) return here.failure;
    // The shape may be too small to distinguish between mistakes, so also try the largest shape.
    const Trial larger = evidence.relaunch({.shape = evidence.exercise.shapes.back()});
    const auto& seen = larger.element_comparison;
    if (seen && larger.reports.empty() && seen->first_bad()) {
        const WrongElements::Explained other = WrongElements(larger, evidence).explain();
        if (other.is_specific) return other.failure;
        const WrongOutput there(larger, evidence);
        if (!there.wrong().empty()) {
            if (auto failure = find_wrong_effect(there)) return *failure;
        }
    }
    // If nothing is written on any shape, the effects of the inputs reveal nothing.
    const WrongOutput output(trial, evidence);
    if (!output.wrong().empty() || larger.is_good()) {
        if (auto failure = find_wrong_effect(output)) return *failure;
    }
    if (auto failure = find_size_border(output)) return *failure;
    return here.failure;
}

}  // namespace coalesce
