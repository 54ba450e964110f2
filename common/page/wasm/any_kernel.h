/// \file
/// A reader's kernel that is ready to be launched: its source, its grid and block, and its
/// arguments.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "examiner/course/exercise.h"
#include "examiner/launch_shape.h"
#include "examiner/source.h"

namespace coalesce::page {

/// A kernel to launch, parsed from the "kernel" field of a question (README.md).
struct AnyKernel {
    /// The arguments, in the form of an Exercise that has no reference. The exercise has one shape,
    /// which consists of the sizes of the launch.
    Exercise exercise;
    Source source;  ///< the reader's text
    /// The grid and the block, as expressions that contain the sizes. Null if the source defines
    /// `configure`.
    nlohmann::json launch;

    Shape shape() const { return exercise.shapes.front(); }
    const ElementTask& task() const { return *exercise.elements; }
    /// Returns the launch for a shape. Returns nothing if the source defines `configure`, because
    /// `configure` then chooses the launch. Throws ExpressionError if an expression is invalid.
    std::optional<LaunchShape> launch_for(Shape shape) const;
    /// Returns the source to compile: the reader's text, plus a `configure` function if the text
    /// has none.
    Source source_to_compile() const;
};

/// Parses the kernel in a question. If an argument or a field is invalid, throws an ExpressionError
/// that names it.
AnyKernel parse_any_kernel(const nlohmann::json& question);

/// Returns the total size of all arrays for a shape, in bytes.
double bytes_of_arrays(const ElementTask& task, Shape shape);

}  // namespace coalesce::page
