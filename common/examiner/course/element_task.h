/// \file
/// A task that is defined element by element. Its reference is a function that returns one element
/// of the output. The task also contains the kernel's arguments and the inputs to generate. Every
/// exercise without a lesson has such a task, and a lesson may have one too.
/// solutions/NAME/exercise.toml describes the task, and reference.cu beside it contains the
/// reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "examiner/course/element_type.h"
#include "examiner/course/size_expression.h"
#include "harness/options.h"

namespace coalesce {

/// The maximum number of sizes of an exercise. Shape has three members, one for each size.
constexpr std::size_t kMaxSizes = 3;

/// A rule that generates the initial values of an array, or the value of a scalar.
struct Generator {
    enum class Kind {
        none,      ///< no values; for sizes, and for outputs without initial values
        zero,      ///< every element is zero
        constant,  ///< every element is `low_bound`
        random,  ///< random values from `low_bound` to `high_bound`; integers may equal `high_bound`
        iota,    ///< 0, 1, 2, ...
        permutation,  ///< the integers from 0 to the number of elements - 1, in random order
        sorted,       ///< like random, in ascending order
        bytes,        ///< random bits
        sparse,       ///< like `random`, but about seven of eight elements are zero
    };
    Kind kind = Kind::none;
    std::string low_bound = "",
                high_bound = "";  ///< bounds of the values, as expressions in the sizes
};
constexpr Generator::Kind last_of(Generator::Kind) {
    return Generator::Kind::sparse;
}

/// A parameter of the kernel.
struct Parameter {
    /// the declaration in exercise.toml, without its generator ("= random(-1, 1)")
    std::string text;
    std::string name;
    ElementType type;
    bool is_array = false;
    bool is_const = false;
    /// The extents of an array, one for each pair of brackets in the declaration. Messages identify
    /// an element by one index per extent.
    std::vector<std::string> extents = {};
    Generator generator = {};

    /// Reports whether the kernel must write the array.
    bool is_output() const { return is_array && !is_const; }
    /// Reports whether the reference receives the parameter. Outputs that start as zeros, or
    /// without initial values, are not passed to the reference.
    bool is_read_by_reference() const {
        return !is_output() ||
               (generator.kind != Generator::Kind::none && generator.kind != Generator::Kind::zero);
    }
    /// Returns the declaration in C++, such as "const float* in".
    std::string declaration() const;
};

/// The largest allowed error of an element. `bits` allows no error. The other kinds limit the error
/// relative to the expected value, the absolute error, or the number of representable values (ulps)
/// between the actual and the expected value.
struct Tolerance {
    enum class Kind { bits, relative, absolute, ulps };
    Kind kind = Kind::bits;
    /// The largest allowed error, in the unit of `kind`. Unused for `bits`.
    double limit = 0;

    /// Returns the tolerance as text, such as "relative 1e-05".
    std::string text() const;
};
constexpr Tolerance::Kind last_of(Tolerance::Kind) {
    return Tolerance::Kind::ulps;
}

/// A task whose outputs are defined element by element.
struct ElementTask {
    std::vector<std::string> sizes = {};  ///< names of the sizes, at most kMaxSizes
    std::vector<Parameter> parameters = {};
    Tolerance tolerance = {};
    std::vector<int> max_sizes = {};  ///< the largest value of each size; empty for no limit
    std::string reference = "";       ///< the text of reference.cu
    std::string reference_file = "";  ///< file name of the reference, for messages

    /// Returns the names of the sizes, with their values in this shape.
    std::vector<NamedSize> named_sizes(Shape shape) const;
    /// Returns the value of the size called `name`, or nothing if there is no such size.
    std::optional<int> find_size(const std::string& name, Shape shape) const;
    /// Returns the number of elements along each axis of an array. Throws ExpressionError if an
    /// extent is not a whole number from 1 to 2^31.
    std::vector<std::int64_t> extents(const Parameter& array, Shape shape) const;
    /// Returns the parameters that the kernel must write.
    std::vector<const Parameter*> outputs() const;
    /// Returns the name of the function that computes an output, such as "row_sums_reference". If
    /// the task has several outputs, the name ends with the output's name, as in
    /// "argmax_reference_index".
    std::string reference_name(const std::string& kernel, const Parameter& output) const;
    /// Returns the declaration that the kernel must have.
    std::string kernel_declaration(const std::string& kernel) const;
};

/// Returns the number of elements of an array with these extents.
std::int64_t count_elements(const std::vector<std::int64_t>& extents);

/// Parses a declaration such as "const float* in[rows * cols] = random(-1, 1)". Throws
/// ExpressionError if the text is invalid. The error message shows a correct declaration.
Parameter parse_parameter(const std::string& text, const std::vector<std::string>& sizes);
/// Parses "bits", "relative 1e-5", "absolute 1e-6" or "ulps 4", or throws ExpressionError.
Tolerance parse_tolerance(const std::string& text);

/// Formats the sizes with their values: "rows = 77, cols = 45".
std::string describe_sizes(const std::vector<std::string>& sizes, Shape shape);
/// Returns the value of the size at `index`, counted from 0.
int size_at(Shape shape, std::size_t index);
/// Makes a shape from up to kMaxSizes values.
Shape make_shape(const std::vector<int>& values);

}  // namespace coalesce
