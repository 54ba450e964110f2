// Runs the reference on inputs in which some elements take the place of others. If the reference
// then returns all of the kernel's values, the kernel read those elements.
#include <algorithm>
#include <functional>

#include "examiner/elements/element_rules.h"
#include "examiner/elements/input_axes.h"
#include "examiner/elements/value_rules.h"
#include "examiner/expressions.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using Arguments = std::vector<CallArgument>;

/// An input with other elements, and what that means.
struct OtherInput {
    std::size_t argument = 0;
    std::string bytes;
    std::string sentence;  ///< a clause that begins with "if"
    std::string next;
    std::string blamed = "";  ///< a pattern for the line of the mistake
    bool is_negated = false;  ///< whether all elements have the opposite sign
};

/// Collects the ways in which a kernel may read other elements than it should.
class OtherInputs {
public:
    explicit OtherInputs(const WrongOutput& seen)
        : seen_(seen), task_(seen.evidence().elements->task()) {
        for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
            const Parameter& one = task_.parameters[i];
            if (!one.is_array || !one.is_const) continue;
            argument_ = i;
            name_ = one.name;
            element_ = one.type.bytes();
            axes_ = axes_of(one, task_, seen.trial().shape);
            if (axes_.lengths.size() == 2) add_of_matrix();
            add_replaced();
            if (axes_.lengths.size() == 1 && seen.wrong().size() >= 3) add_neighbours();
        }
    }
    const std::vector<OtherInput>& all() const { return all_; }

private:
    const std::string& bytes() const { return seen_.arguments()[argument_].bytes; }

    /// Adds an input whose element at each place is the element at `source_of(place)`, or 0 if there
    /// is none.
    void add(const std::string& sentence, const std::string& next,
             const std::function<std::int64_t(std::int64_t)>& source_of,
             const std::string& blamed = "") {
        const auto count = static_cast<std::int64_t>(bytes().size() / element_);
        std::string other;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t from = source_of(i);
            if (from < 0 || from >= count) {
                other.append(element_, '\0');
            } else {
                other.append(bytes(), static_cast<std::size_t>(from) * element_, element_);
            }
        }
        if (other == bytes()) return;
        all_.push_back({argument_, other, sentence, next, blamed});
    }

    void add_of_matrix() {
        const std::int64_t rows = axes_.lengths[0], cols = axes_.lengths[1];
        const std::string row_name = axes_.names[0], col_name = axes_.names[1];
        for (const NamedSize& size : task_.named_sizes(seen_.trial().shape)) {
            if (size.value == cols || size.name == col_name) continue;
            add(
                "if the rows of `" + name_ + "` began `" + size.name + "` (" +
                    std::to_string(size.value) + ") elements apart. They are `" + col_name + "` (" +
                    std::to_string(cols) + ") apart",
                "A row of `" + name_ + "` has `" + col_name + "` elements: multiply the row by `" +
                    col_name + "`.",
                [=](std::int64_t i) { return i / cols * size.value + i % cols; },
                R"((\*\s*)" + size.name + R"(\b|\b)" + size.name + R"(\s*\*))");
        }
        const std::string swapped = "if the row and the column of `" + name_ + "` were exchanged";
        const std::string which =
            has_right_index(col_name)
                ? "The index of `" + name_ +
                      "` is right. Are the two indices of the shared array exchanged where it is "
                      "stored or read?"
                : "Which index of `" + name_ + "` counts rows? Multiply this one by `" + col_name +
                      "`.";
        add(swapped, which, [=](std::int64_t i) { return i % cols * rows + i / cols; });
        if (cols <= rows) {
            add(swapped, which, [=](std::int64_t i) { return i % cols * cols + i / cols; });
        }
        add("if all rows of `" + name_ + "` were its first row",
            "Which row of `" + name_ + "` belongs to this thread or block?",
            [=](std::int64_t i) { return i % cols; });
        add("if all columns of `" + name_ + "` were its first column",
            "Which column of `" + name_ + "` belongs to this thread or block?",
            [=](std::int64_t i) { return i / cols * cols; });
        const std::string begin = name_ + "[0]";
        const std::string literal = name_ + R"(\s*\[\s*0\s*\]|\*\s*)" + name_ + R"(\s*[;,)])";
        add(
            "if " + begin + " were the first element of every column",
            "Begin with the first element of the thread's own column.",
            [=](std::int64_t i) { return i < cols ? 0 : i; }, literal);
        add(
            "if " + begin + " were the first element of every row",
            "Begin with the first element of the thread's own row.",
            [=](std::int64_t i) { return i % cols == 0 ? 0 : i; }, literal);
    }

    /// Reports whether every access to the input multiplies by the right row length, and the kernel
    /// has a shared array through which the elements go.
    bool has_right_index(const std::string& row_length) const {
        const std::string& text = seen_.source();
        const TextPattern access("\\b" + name_ + R"(\s*\[)");
        const std::string code = code_for_search(text);
        bool is_right = !list_shared_arrays(text).empty();
        int count = 0;
        for (const TextMatch& one : find_matches(code, access)) {
            const int line = line_number_at(code, one.position());
            is_right &= find_matrix_index(text, line, name_).pitch == row_length;
            ++count;
        }
        return is_right && count > 0;
    }

    void add_neighbours() {
        for (const std::int64_t by : {1, -1}) {
            add("if the kernel read the element of `" + name_ + "` that is one place " +
                    (by > 0 ? "later" : "earlier"),
                "Compare the index of `" + name_ + "` with the index of the output.",
                [=](std::int64_t i) { return i + by; });
        }
    }

    /// Adds another input of the same type, zeros, and the numbers with the other sign.
    void add_replaced() {
        const auto& parameters = task_.parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (i == argument_ || !parameters[i].is_array || !parameters[i].is_const ||
                parameters[i].type.name != parameters[argument_].type.name ||
                seen_.arguments()[i].bytes.size() != bytes().size()) {
                continue;
            }
            all_.push_back({argument_, seen_.arguments()[i].bytes,
                            "if `" + parameters[i].name + "` took the place of `" + name_ + "`",
                            "Which line should read `" + name_ + "`?"});
        }
        all_.push_back({argument_, std::string(bytes().size(), '\0'),
                        "if all elements of `" + name_ + "` were 0",
                        "Where do the elements of `" + name_ + "` enter the result?"});
        const ElementType& type = parameters[argument_].type;
        if (type.scalar == Scalar::unsigned_integer) return;
        std::string negative = bytes();
        for (std::size_t at = 0; at < negative.size(); at += type.scalar_bytes) {
            type.write(-type.read(negative.data() + at), negative.data() + at);
        }
        all_.push_back({argument_, negative,
                        "if the elements of `" + name_ + "` had the opposite sign",
                        "Are they subtracted, or should they be?", "", true});
    }

    const WrongOutput& seen_;
    const ElementTask& task_;
    std::size_t argument_ = 0;
    std::string name_;
    std::size_t element_ = 1;
    Axes axes_;
    std::vector<OtherInput> all_;
};

/// Reports whether `outputs` equal the kernel's outputs, at the indices for which `counts`.
template <class Counts>
bool equals_outputs(const WrongOutput& seen, const std::vector<std::string>& outputs,
                    const Counts& counts) {
    const auto& found = seen.trial().element_comparison->outputs;
    if (outputs.size() != found.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const OutputComparison& one = found[i];
        if (outputs[i].size() != one.actual.size() || one.type.components > 1) return false;
        for (std::int64_t at = 0; at < one.count(); ++at) {
            if (!counts(at)) continue;
            const char *const has = one.element(one.actual, at), *const wanted =
                                                                     one.element(outputs[i], at);
            const bool is_same =
                one.is_equal(has, wanted) ||
                (!one.type.is_integer() && seen.is_near(one.type.read(has), one.type.read(wanted)));
            if (!is_same) return false;
        }
    }
    return true;
}

/// Reports whether the wrong elements are so many or so different that an explanation of all
/// elements is not a coincidence.
bool can_be_explained(const WrongOutput& seen) {
    const bool is_single = seen.wrong().size() < 2;
    if (is_single && seen.output().type.is_integer()) return false;
    return std::ranges::any_of(seen.wrong(),
                               [&](std::int64_t index) { return seen.actual_number(index) != 0; });
}

/// Finds outputs that hold the smallest element in place of the largest, or its position. With the
/// input's opposite, the reference returns the same positions, and the values' opposite.
std::optional<Failure> find_reversed_order(const WrongOutput& seen, const OtherInput& negated) {
    const auto& found = seen.trial().element_comparison->outputs;
    if (found.size() < 2) return std::nullopt;
    Arguments arguments = seen.arguments();
    arguments[negated.argument].bytes = negated.bytes;
    const auto outputs = seen.evidence().elements->expected_for(seen.trial().shape, arguments);
    if (outputs.size() != found.size()) return std::nullopt;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const OutputComparison& one = found[i];
        if (outputs[i].size() != one.actual.size() || one.type.components > 1) return std::nullopt;
        bool is_same = true, is_opposite = true;
        for (std::int64_t at = 0; at < one.count(); ++at) {
            const double has = one.type.read(one.element(one.actual, at));
            const double wanted = one.type.read(one.element(outputs[i], at));
            is_same &= has == wanted;
            is_opposite &= has == -wanted;
        }
        if (!is_same && !is_opposite) return std::nullopt;
    }
    return seen.make(FailureKind::wrong_elements,
                     "the outputs belong to the other end of the order: to the smallest elements "
                     "in place of the largest, or the reverse.",
                     "Reverse the comparisons, and the value with which the search begins.");
}

// ---- blocks that do not see each other's elements ----

/// The part of an output that one block computes.
struct Part {
    std::int64_t first_row = 0, first_col = 0, rows = 1, cols = 1;

    bool contains(std::int64_t row, std::int64_t col) const {
        return row >= first_row && row < first_row + rows && col >= first_col &&
               col < first_col + cols;
    }
};

/// The most parts for which the reference is run.
constexpr std::size_t kMaxParts = 16;

std::vector<Part> parts_of(const WrongOutput& seen) {
    const std::vector<std::int64_t>& extents = seen.output().extents;
    const std::array<long long, 3>& block = seen.trial().launch.block;
    const std::int64_t all_rows = extents.size() == 2 ? extents[0] : 1, all_cols = extents.back();
    const std::int64_t rows = extents.size() == 2 ? block[1] : 1, cols = block[0];
    std::vector<Part> parts;
    if (rows < 1 || cols < 1) return parts;
    for (std::int64_t row = 0; row < all_rows; row += rows) {
        for (std::int64_t col = 0; col < all_cols; col += cols) {
            if (parts.size() > kMaxParts) return {};
            parts.push_back({row, col, rows, cols});
        }
    }
    return parts;
}

/// Reports whether the part of the output is the reference's result if `in`, the argument, is 0
/// outside of the part; or, if `repeats`, equal to the nearest element of the part.
bool sees_only(const WrongOutput& seen, const Part& part, std::size_t in, bool repeats) {
    Arguments arguments = seen.arguments();
    const std::size_t element = seen.evidence().elements->task().parameters[in].type.bytes();
    const std::int64_t cols = seen.output().extents.back();
    const std::int64_t rows = seen.count() / cols;
    const std::string all = arguments[in].bytes;
    std::string& bytes = arguments[in].bytes;
    bytes.clear();
    for (std::int64_t i = 0; i < seen.count(); ++i) {
        const std::int64_t row =
            std::clamp(i / cols, part.first_row, std::min(part.first_row + part.rows, rows) - 1);
        const std::int64_t col =
            std::clamp(i % cols, part.first_col, std::min(part.first_col + part.cols, cols) - 1);
        if (repeats || part.contains(i / cols, i % cols)) {
            bytes.append(all, static_cast<std::size_t>(row * cols + col) * element, element);
        } else {
            bytes.append(element, '\0');
        }
    }
    return equals_outputs(seen,
                          seen.evidence().elements->expected_for(seen.trial().shape, arguments),
                          [&](std::int64_t at) { return part.contains(at / cols, at % cols); });
}

}  // namespace

std::optional<Failure> find_other_inputs(const WrongOutput& seen) {
    if (!can_be_explained(seen)) return std::nullopt;
    ElementTrials& trials = *seen.evidence().elements;
    std::int64_t tries = count_reference_runs(trials.case_for(seen.trial().shape).instructions);
    const OtherInputs others(seen);
    for (const OtherInput& other : others.all()) {
        if (other.is_negated) {
            if (auto failure = find_reversed_order(seen, other)) return failure;
        }
        if (tries-- <= 0) return std::nullopt;
        Arguments arguments = seen.arguments();
        arguments[other.argument].bytes = other.bytes;
        const auto outputs = trials.expected_for(seen.trial().shape, arguments);
        if (!equals_outputs(seen, outputs, [](std::int64_t) { return true; })) continue;
        Failure failure = seen.make(
            FailureKind::wrong_elements,
            "`" + seen.output().name + "` is the result " + other.sentence + ".", other.next);
        const int line = other.blamed.empty()
                             ? 0
                             : find_line_in_kernel(seen.source(), TextPattern(other.blamed));
        if (line > 0) failure.place.line = line;
        return failure;
    }
    return std::nullopt;
}

std::optional<Failure> find_missing_neighbours(const WrongOutput& seen) {
    static const TextPattern zero(R"(\]\s*=\s*0(\.0?)?f?\s*;)");
    const std::vector<Part> parts = parts_of(seen);
    const ElementTask& task = seen.evidence().elements->task();
    if (parts.size() < 2 || !can_be_explained(seen)) return std::nullopt;
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& in = task.parameters[i];
        if (!in.is_array || !in.is_const ||
            task.extents(in, seen.trial().shape) != seen.output().extents) {
            continue;
        }
        for (const bool repeats : {false, true}) {
            if (!std::ranges::all_of(
                    parts, [&](const Part& part) { return sees_only(seen, part, i, repeats); })) {
                continue;
            }
            Failure failure = seen.make(
                FailureKind::wrong_elements,
                "near the edge of a block, the neighbours in other blocks are missing: each block "
                "takes " +
                    std::string(repeats ? "its own outermost elements" : "0") +
                    " where the elements of other blocks belong.",
                "The halo of a block lies inside `" + in.name +
                    "`, except at the ends of the array. Load it from there.");
            const int line = find_line_in_kernel(seen.source(), zero);
            if (!repeats && line > 0) failure.place.line = line;
            return failure;
        }
    }
    return std::nullopt;
}

}  // namespace coalesce
