/// \file
/// A kernel of any signature that a reader wants to launch: its arguments, in the form of an
/// exercise's record, and its launch.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "examiner/course/exercise.h"
#include "examiner/launch_shape.h"
#include "examiner/source.h"

namespace coalesce::page {

/// The kernel of a question. README.md describes the question's "kernel".
struct AnyKernel {
    /// The arguments as an exercise without a reference. Its only shape contains the sizes.
    Exercise exercise;
    Source source;  ///< the reader's text
    /// The grid and the block, as expressions in the sizes; null if the text has a `configure`.
    nlohmann::json launch;

    Shape shape() const { return exercise.shapes.front(); }
    const ElementTask& task() const { return *exercise.elements; }
    /// Returns the launch for a shape, or nothing if the text has a `configure`. Throws
    /// ExpressionError.
    std::optional<LaunchShape> launch_for(Shape shape) const;
    /// Returns the text to compile: the reader's, followed by a `configure` if the text has none.
    Source source_to_compile() const;
};

/// Parses the kernel in a question. Throws ExpressionError, whose message names the argument or the
/// field that is wrong.
AnyKernel parse_any_kernel(const nlohmann::json& question);

/// Returns the bytes of all arrays for a shape.
double bytes_of_arrays(const ElementTask& task, Shape shape);

}  // namespace coalesce::page
