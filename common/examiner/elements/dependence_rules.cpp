// Changes inputs and launches the kernel again, to find an input that contributes too little, too
// much or not at all. This works for outputs to which each element of an input contributes on its
// own, as in a sum.
#include <algorithm>
#include <cmath>
#include <utility>

#include "examiner/elements/input_axes.h"
#include "examiner/elements/inputs.h"
#include "examiner/elements/value_rules.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The most elements of an array in which the rules search.
constexpr std::int64_t kMaxElements = 1 << 15;
/// The most launches of the kernel for one array.
constexpr std::int64_t kMaxLaunches = 120;

/// Seeds of the values to which inputs are changed.
constexpr std::uint64_t kFirstSeed = 0x9e3779b97f4a7c15, kSecondSeed = 0x165667b19e3779f9;

using Numbers = std::vector<double>;

/// The elements of an input from `first` on, up to but without `end`.
struct Range {
    std::int64_t first = 0, end = 0;

    std::int64_t size() const { return end - first; }
};

/// An input, and the effects of its elements on the wrong output.
class Effects {
public:
    /// Each seed yields other values for the changed elements.
    Effects(const WrongOutput& seen, std::size_t argument, std::uint64_t seed)
        : seen_(seen),
          task_(seen.evidence().elements->task()),
          argument_(argument),
          others_(other_values(seed)),
          launches_left_(std::min(kMaxLaunches,
                                  count_reference_runs(seen.trial().instructions +
                                                       trials().case_for(shape()).instructions))) {
        const auto& outputs = seen.trial().element_comparison->outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (&outputs[i] == &seen.output()) output_ = i;
        }
        usual_kernel_ = kernel_numbers({});
        usual_reference_ = reference_numbers({});
    }

    const Parameter& input() const { return task_.parameters[argument_]; }
    std::int64_t count() const {
        return static_cast<std::int64_t>(others_.size() / input().type.bytes());
    }
    bool is_usable() const { return !usual_kernel_.empty() && !usual_reference_.empty(); }
    std::int64_t launches_left() const { return launches_left_; }

    /// Returns how much each element of the kernel's output changes if the elements of a range
    /// change. Returns nothing if the kernel fails.
    Numbers of_kernel(Range range) { return difference(kernel_numbers(range), usual_kernel_); }
    Numbers of_reference(Range range) const {
        return difference(reference_numbers(range), usual_reference_);
    }

    /// Reports whether two effects on an element of the output are the same but for rounding.
    bool are_equal(double one, double other, std::int64_t index) const {
        if (seen_.output().type.is_integer()) return one == other;
        const auto at = static_cast<std::size_t>(index);
        const double size = std::abs(usual_kernel_[at]) + std::abs(usual_reference_[at]) +
                            std::abs(one) + std::abs(other);
        return std::abs(one - other) <= 1e-5 * size + 1e-12;
    }
    /// Returns the first element of the output that the range affects differently in the kernel and
    /// in the reference. Considers only the element `only`, unless it is negative. Returns -1 if
    /// there is none.
    std::int64_t find_disagreement(Range range, std::int64_t only) {
        const Numbers kernel = of_kernel(range), reference = of_reference(range);
        for (std::size_t i = 0; i < std::min(kernel.size(), reference.size()); ++i) {
            const auto output = static_cast<std::int64_t>(i);
            if (only >= 0 && output != only) continue;
            if (!are_equal(kernel[i], reference[i], output)) return output;
        }
        return -1;
    }
    /// Reports whether the effect of a range is the sum of the effects of its two halves, for all
    /// elements and for smaller ranges, in the reference and in the kernel.
    bool is_additive() {
        int levels_of_kernel = 3;
        for (std::int64_t size = count(); size >= 2; size /= 4) {
            const Range whole{0, size}, first{0, size / 2}, second{size / 2, size};
            if (!is_sum(of_reference(whole), of_reference(first), of_reference(second)))
                return false;
            if (levels_of_kernel-- <= 0) continue;
            if (!is_sum(of_kernel(whole), of_kernel(first), of_kernel(second))) return false;
        }
        return true;
    }

private:
    ElementTrials& trials() const { return *seen_.evidence().elements; }
    Shape shape() const { return seen_.trial().shape; }

    /// Returns a value for each element of the input that differs from its usual value if possible.
    std::string other_values(std::uint64_t seed) const {
        const std::string& usual = seen_.arguments()[argument_].bytes;
        const std::size_t bytes = input().type.bytes();
        std::string values = usual;
        for (const std::uint64_t one : {seed, seed + 1, seed + 2}) {
            const std::string drawn = generate_arguments(task_, shape(), one)[argument_].bytes;
            for (std::size_t at = 0; at + bytes <= usual.size(); at += bytes) {
                if (values.compare(at, bytes, usual, at, bytes) == 0) {
                    values.replace(at, bytes, drawn, at, bytes);
                }
            }
        }
        return values;
    }

    bool is_sum(const Numbers& sum, const Numbers& one, const Numbers& other) const {
        if (sum.empty() || one.empty() || other.empty()) return false;
        for (std::size_t i = 0; i < sum.size(); ++i) {
            if (!are_equal(sum[i], one[i] + other[i], static_cast<std::int64_t>(i))) return false;
        }
        return true;
    }
    std::vector<CallArgument> arguments_with(Range range) const {
        std::vector<CallArgument> arguments = seen_.arguments();
        const std::size_t bytes = input().type.bytes();
        const std::size_t begin = static_cast<std::size_t>(range.first) * bytes;
        const std::size_t length = static_cast<std::size_t>(range.size()) * bytes;
        arguments[argument_].bytes.replace(begin, length, others_, begin, length);
        return arguments;
    }
    Numbers numbers_in(const std::string& bytes) const {
        Numbers numbers;
        const ElementType& type = seen_.output().type;
        for (std::size_t at = 0; at + type.bytes() <= bytes.size(); at += type.bytes()) {
            numbers.push_back(type.read(bytes.data() + at));
        }
        return numbers;
    }
    Numbers kernel_numbers(Range range) {
        if (launches_left_-- <= 0) return {};
        const Trial trial = seen_.evidence().relaunch_with(arguments_with(range), shape());
        if (!trial.has_ended()) return {};
        std::size_t array = 0, output = 0;
        for (const Parameter& one : task_.parameters) {
            if (!one.is_array) continue;
            if (one.is_output() && output++ == output_)
                return numbers_in(trial.arrays[array].bytes);
            ++array;
        }
        return {};
    }
    Numbers reference_numbers(Range range) const {
        const auto outputs = trials().expected_for(shape(), arguments_with(range));
        return outputs.empty() ? Numbers{} : numbers_in(outputs[output_]);
    }
    static Numbers difference(Numbers changed, const Numbers& usual) {
        if (changed.size() != usual.size()) return {};
        for (std::size_t i = 0; i < usual.size(); ++i) changed[i] -= usual[i];
        return changed;
    }

    const WrongOutput& seen_;
    const ElementTask& task_;
    std::size_t argument_;
    std::string others_;  ///< other values of all elements of the input
    std::int64_t launches_left_;
    std::size_t output_ = 0;
    Numbers usual_kernel_, usual_reference_;
};

/// Where a search for an element begins.
enum class SearchFrom { begin, end };

/// Returns a single element of the input that has a wrong effect, or -1. Considers only the effects
/// on the element `only` of the output, unless it is negative.
std::int64_t find_wrong_element(Effects& effects, Range range, std::int64_t only = -1,
                                SearchFrom from = SearchFrom::begin) {
    if (range.size() < 1 || effects.find_disagreement(range, only) < 0) return -1;
    while (range.size() > 1) {
        const std::int64_t middle = range.first + range.size() / 2;
        Range first{range.first, middle}, second{middle, range.end};
        if (from == SearchFrom::end) std::swap(first, second);
        if (effects.find_disagreement(first, only) >= 0) {
            range = first;
        } else if (effects.find_disagreement(second, only) >= 0) {
            range = second;
        } else {
            return -1;
        }
    }
    return range.first;
}

/// Returns the largest aligned range around an element of the input none of which affects an element
/// of the kernel's output, although its ends should.
Range find_unused_range(Effects& effects, std::int64_t element, std::int64_t output) {
    Range found{element, element + 1};
    const auto at = static_cast<std::size_t>(output);
    const auto should_count = [&](std::int64_t one) {
        const Numbers effect = effects.of_reference({one, one + 1});
        return !effect.empty() && effect[at] != 0;
    };
    for (std::int64_t size = 2; size <= effects.count() && effects.launches_left() > 2; size *= 2) {
        const std::int64_t first = element / size * size;
        const Range range{first, std::min(first + size, effects.count())};
        const Numbers kernel = effects.of_kernel(range);
        if (kernel.empty() || kernel[at] != 0 || !should_count(range.first) ||
            !should_count(range.end - 1)) {
            break;
        }
        found = range;
    }
    return found;
}

std::string name_of_element(const Effects& effects, const WrongOutput& seen, std::int64_t index) {
    const Parameter& input = effects.input();
    const Axes axes = axes_of(input, seen.evidence().elements->task(), seen.trial().shape);
    if (axes.lengths.size() != 2) return input.name + "[" + std::to_string(index) + "]";
    return input.name + "(" + std::to_string(index / axes.lengths[1]) + "," +
           std::to_string(index % axes.lengths[1]) + ")";
}

std::string name_of_range(const Effects& effects, const WrongOutput& seen, Range range) {
    const std::string first = name_of_element(effects, seen, range.first);
    return range.size() == 1 ? first
                             : first + " to " + name_of_element(effects, seen, range.end - 1);
}

/// Returns an element outside of `range` that affects the output's element, but should not; or, if
/// `is_missing`, one that should affect it, but does not. Returns -1 if there is none.
std::int64_t find_counterpart(Effects& effects, Range range, std::int64_t output, bool is_missing) {
    const auto at = static_cast<std::size_t>(output);
    for (const Range rest : {Range{0, range.first}, Range{range.end, effects.count()}}) {
        const std::int64_t other = find_wrong_element(effects, rest, output);
        if (other < 0) continue;
        const Numbers kernel = effects.of_kernel({other, other + 1});
        const Numbers reference = effects.of_reference({other, other + 1});
        if (kernel.empty() || reference.empty()) continue;
        const double used = is_missing ? reference[at] : kernel[at];
        const double unused = is_missing ? kernel[at] : reference[at];
        if (used != 0 && unused == 0) return other;
    }
    return -1;
}

/// The wrong effect of a single element of an input on an element of the output.
struct WrongEffect {
    enum class Kind {
        none,
        missing,  ///< the element has no effect
        extra,    ///< the element has an effect, but should not
        weight    ///< the effect is a whole multiple of the right one, or has the wrong sign
    };
    Kind kind = Kind::none;
    std::int64_t element = 0, output = 0;
    double weight = 0;  ///< the effect, divided by the right effect
};

/// Returns the kind of an effect on one element of the output.
WrongEffect classify(Effects& effects, double kernel, double reference, std::int64_t output) {
    WrongEffect found{.output = output};
    if (effects.are_equal(kernel, reference, output)) return found;
    if (kernel == 0) found.kind = WrongEffect::Kind::missing;
    if (reference == 0) found.kind = WrongEffect::Kind::extra;
    if (kernel == 0 || reference == 0) return found;
    found.weight = kernel / reference;
    const double whole = std::round(found.weight);
    const bool is_whole = whole >= 2 || whole == -1;
    if (is_whole && std::abs(found.weight - whole) < 1e-2) {
        found.kind = WrongEffect::Kind::weight;
        found.weight = whole;
    }
    return found;
}

/// Returns the wrong effect of an element of the input. Another change of the element must have the
/// same effect.
WrongEffect find_effect(Effects& effects, Effects& others, std::int64_t element) {
    const Range range{element, element + 1};
    const Numbers kernel = effects.of_kernel(range), reference = effects.of_reference(range);
    const Numbers kernel_too = others.of_kernel(range), reference_too = others.of_reference(range);
    WrongEffect best;
    if (kernel.empty() || kernel_too.empty() || reference.empty() || reference_too.empty()) {
        return best;
    }
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        const auto output = static_cast<std::int64_t>(i);
        const WrongEffect one = classify(effects, kernel[i], reference[i], output);
        const WrongEffect too = classify(others, kernel_too[i], reference_too[i], output);
        const bool is_better = best.kind == WrongEffect::Kind::none || one.kind < best.kind;
        if (one.kind == too.kind && one.weight == too.weight && is_better &&
            one.kind != WrongEffect::Kind::none) {
            best = one;
        }
    }
    best.element = element;
    return best;
}

/// Finds a line in a loop that replaces a variable from before the loop, without reading it.
Declared find_replaced_variable(const std::string& text) {
    static const TextPattern assignment(R"(^\s*(\w+)\s*=[^=])");
    for (const Loop& loop : find_loops(text)) {
        for (int line = loop.first_line + 1; line <= loop.last_line; ++line) {
            const std::string code = code_on_line(text, line);
            TextMatch found;
            if (!search(code, found, assignment) || found.str(1) == loop.counter) continue;
            const std::string name = found.str(1);
            const int before = find_assignment_line(text, name, line);
            bool is_read = contains_word(code.substr(code.find('=')), name);
            for (int other = loop.first_line; other <= loop.last_line; ++other) {
                is_read |= other != line && contains_word(code_on_line(text, other), name);
            }
            if (before > 0 && before < loop.first_line && !is_read) return {name, line};
        }
    }
    return {};
}

Failure explain_effect(const WrongOutput& seen, Effects& effects, const WrongEffect& effect) {
    const std::string name = seen.output().name_of(effect.output);
    const std::string one = name_of_element(effects, seen, effect.element);
    const std::string which = "Which thread computes " + name + ", and which elements of `" +
                              effects.input().name + "` does it, or do its helpers, read?";
    if (effect.kind == WrongEffect::Kind::missing) {
        const Range unused = find_unused_range(effects, effect.element, effect.output);
        const std::int64_t other = find_counterpart(effects, unused, effect.output, false);
        const std::string instead =
            other < 0
                ? "."
                : ". It depends on " + name_of_element(effects, seen, other) + ", but should not.";
        Failure failure =
            seen.make(FailureKind::inputs_left_out,
                      name + " does not depend on " + name_of_range(effects, seen, unused) +
                          ", but should" + instead,
                      which);
        if (const Declared replaced = find_replaced_variable(seen.source()); replaced.line > 0) {
            failure.place.line = replaced.line;
            failure.next = "Each iteration of the loop replaces `" + replaced.name +
                           "`. Should it add to it, or combine the two values?";
        }
        return failure;
    }
    if (effect.kind == WrongEffect::Kind::extra) {
        const Range range{effect.element, effect.element + 1};
        const std::int64_t other = find_counterpart(effects, range, effect.output, true);
        const std::string instead = other < 0 ? "."
                                              : ". It does not depend on " +
                                                    name_of_element(effects, seen, other) +
                                                    ", but should.";
        return seen.make(FailureKind::wrong_elements,
                         name + " depends on " + one + ", but should not" + instead, which);
    }
    return seen.make(
        FailureKind::wrong_elements,
        effect.weight < 0 ? one + " counts in " + name + " with the wrong sign."
                          : one + format(" counts %.0f times in ", effect.weight) + name +
                                " where it should count once.",
        "How does " + one + " get into " + name + ": how often, and with which sign and factor?");
}

}  // namespace

std::optional<Failure> find_wrong_effect(const WrongOutput& seen) {
    const Evidence& evidence = seen.evidence();
    if (!evidence.relaunch_with || seen.output().type.components > 1) return std::nullopt;
    const ElementTask& task = evidence.elements->task();
    std::optional<WrongEffect> best;
    std::optional<Failure> failure;
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& input = task.parameters[i];
        if (!input.is_array || !input.is_const || input.type.components > 1 ||
            count_elements(task.extents(input, seen.trial().shape)) > kMaxElements) {
            continue;
        }
        Effects effects(seen, i, kFirstSeed), others(seen, i, kSecondSeed);
        if (!effects.is_usable() || !others.is_usable() || !effects.is_additive()) continue;
        WrongEffect effect;
        for (const SearchFrom from : {SearchFrom::begin, SearchFrom::end}) {
            const std::int64_t element =
                find_wrong_element(effects, {0, effects.count()}, -1, from);
            if (element < 0 || effects.launches_left() < 8) break;
            effect = find_effect(effects, others, element);
            if (effect.kind != WrongEffect::Kind::none) break;
        }
        if (effect.kind == WrongEffect::Kind::none || (best && best->kind <= effect.kind)) {
            continue;
        }
        best = effect;
        failure = explain_effect(seen, effects, effect);
        failure->details += wrap("Found by changing the elements of `" + input.name +
                                 "` and launching the kernel again.");
    }
    return failure;
}

}  // namespace coalesce
