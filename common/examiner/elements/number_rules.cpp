#include <algorithm>
#include <cmath>
#include <limits>

#include "examiner/elements/value_rules.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The largest argument for which expf is finite, rounded down.
constexpr double kLargestExponent = 88;

/// Returns the largest element of all floating-point inputs.
double largest_input(const WrongOutput& seen) {
    const ElementTask& task = seen.evidence().elements->task();
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& input = task.parameters[i];
        if (!input.is_array || !input.is_const || input.type.is_integer()) continue;
        const std::string& bytes = seen.arguments()[i].bytes;
        for (std::size_t at = 0; at < bytes.size(); at += input.type.scalar_bytes) {
            largest = std::max(largest, input.type.read(bytes.data() + at));
        }
    }
    return largest;
}

/// Reports whether an expression reads an element of an input.
bool reads_input(const WrongOutput& seen, const std::string& expression) {
    const auto& parameters = seen.evidence().elements->task().parameters;
    return expression.find('[') != expression.npos &&
           std::ranges::any_of(parameters, [&](const Parameter& one) {
               return one.is_array && one.is_const && contains_word(expression, one.name);
           });
}

/// Returns the first line that takes the exponential of an element of an input from which nothing
/// was subtracted, or 0.
int find_exponential_of_input(const WrongOutput& seen) {
    static const TextPattern call(R"(\b(__expf|expf|exp)\s*\()");
    const std::string code = code_for_search(seen.source());
    for (const TextMatch& one : find_matches(code, call)) {
        const std::size_t open = one.position() + one.length() - 1;
        const std::size_t close = find_closing_bracket(code, open);
        const int line = line_number_at(code, one.position());
        const std::string argument =
            expand(seen.source(), code.substr(open + 1, close - open - 1), line);
        if (argument.find('-') == argument.npos && reads_input(seen, argument)) return line;
    }
    return 0;
}

// ---- factors ----

/// A number of which a wrong factor may consist: of lanes, of threads, or a size.
struct Count {
    std::string of;  ///< "a warp has 32 lanes"
    long long number = 0;
    std::string next, next_of_inverse;
};

/// Returns the counts of a trial. The order is the same for all trials of a kernel.
std::vector<Count> list_counts(const Trial& trial, const ElementTask& task) {
    const auto of_block = [](const char* what) {
        return "Is the result divided by a sum to which every " + std::string(what) +
               " adds the same values?";
    };
    const long long threads = trial.launch.threads();
    std::vector<Count> counts = {
        {"a warp has 32 lanes", 32,
         "Does each lane of a warp add the sum? Let one lane add it: if (threadIdx.x % 32 == 0).",
         of_block("lane of a warp")},
        {"a block has " + std::to_string(threads) + " threads", threads,
         "Does each thread of a block add the sum? Let one thread add it: if (threadIdx.x == 0).",
         of_block("thread of a block")},
        {"a block has " + std::to_string(threads / 32) + " warps", threads / 32,
         "Does each warp of a block add the same sum? Let one of them add it.",
         of_block("warp of a block")}};
    for (const NamedSize& size : task.named_sizes(trial.shape)) {
        const std::string name = "`" + size.name + "`";
        counts.push_back({name + " is " + std::to_string(size.value), size.value,
                          "Is the result multiplied by " + name + ", or added so many times?",
                          "Is the result divided by " + name + "?"});
    }
    return counts;
}

/// Returns the factor by which all wrong elements of a trial differ from the expected ones.
std::optional<double> find_common_ratio(const Trial& trial) {
    if (!trial.element_comparison || !trial.reports.empty()) return std::nullopt;
    const OutputComparison* const output = trial.element_comparison->first_bad();
    if (!output || output->type.components > 1) return std::nullopt;
    std::optional<double> common;
    for (const std::int64_t index : output->bad_elements()) {
        const double should = output->type.read(output->element(output->expected, index));
        const double ratio = output->type.read(output->element(output->actual, index)) / should;
        if (should == 0 || !std::isfinite(ratio) || ratio == 0) return std::nullopt;
        if (!common) common = ratio;
        if (std::abs(ratio - *common) > 1e-4 * std::abs(*common)) return std::nullopt;
    }
    return common;
}

/// Reports whether the factor of a trial is the count, or one divided by it.
bool is_factor(double ratio, long long count, bool is_inverse) {
    if (count < 2) return false;
    const double wanted =
        is_inverse ? 1.0 / static_cast<double>(count) : static_cast<double>(count);
    return std::abs(ratio - wanted) <= 1e-4 * wanted;
}

/// Returns a trial of another shape in which all wrong elements differ by one factor.
std::optional<std::pair<Trial, double>> find_other_ratio(const WrongOutput& seen) {
    const std::vector<Shape>& shapes = seen.evidence().exercise.shapes;
    for (std::size_t i = shapes.size(); i-- > 0;) {
        if (shapes[i] == seen.trial().shape) continue;
        Trial other = seen.evidence().relaunch({.shape = shapes[i]});
        if (const auto ratio = find_common_ratio(other)) return std::pair(std::move(other), *ratio);
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> find_not_finite(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    if (output.type.is_integer() || output.type.components > 1) return std::nullopt;
    const auto bad = std::ranges::find_if(seen.wrong(), [&](std::int64_t index) {
        return !std::isfinite(seen.actual_number(index)) &&
               std::isfinite(seen.expected_number(index));
    });
    if (bad == seen.wrong().end()) return std::nullopt;
    const bool is_nan = std::isnan(seen.actual_number(*bad));
    const int line = find_exponential_of_input(seen);
    const bool overflows = line > 0 && largest_input(seen) > kLargestExponent;
    if (!overflows && !is_nan) return std::nullopt;
    Failure failure = seen.make(
        FailureKind::wrong_elements,
        output.name_of(*bad) + (is_nan ? " is not a number" : " is infinite") +
            (overflows ? ": the exponential of a large input overflows." : "."),
        "Infinity minus infinity, infinity divided by infinity, and 0 divided by 0 are not a "
        "number. Which step computes one of them? Is there a thread without an element?");
    if (!overflows) return failure;
    failure.place.line = line;
    failure.details +=
        wrap(format("The largest input is %.6g, and expf(x) is infinite for x above "
                    "88.73.",
                    largest_input(seen)));
    failure.next =
        "Subtract the largest element before the exponential. The result stays the same, because "
        "the factor cancels out, and no exponent is above 0.";
    return failure;
}

std::optional<Failure> find_repeated_addition(const WrongOutput& seen) {
    const auto here = find_common_ratio(seen.trial());
    if (!here || seen.wrong().empty()) return std::nullopt;
    const auto other = find_other_ratio(seen);
    if (!other) return std::nullopt;
    const ElementTask& task = seen.evidence().elements->task();
    const std::vector<Count> counts = list_counts(seen.trial(), task),
                             others = list_counts(other->first, task);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        for (const bool is_inverse : {false, true}) {
            if (!is_factor(*here, counts[i].number, is_inverse) ||
                !is_factor(other->second, others[i].number, is_inverse)) {
                continue;
            }
            const std::string number = std::to_string(counts[i].number);
            return seen.make(
                is_inverse ? FailureKind::wrong_elements : FailureKind::inputs_repeated,
                seen.output().name_of(seen.wrong().front()) + " is " +
                    (is_inverse ? "1/" + number + " of" : number + " times") +
                    " the expected value, and " + counts[i].of + ".",
                is_inverse ? counts[i].next_of_inverse : counts[i].next);
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
