// The exercise that these tests use, and a function that examines kernels for it.
#pragma once

#include <filesystem>
#include <optional>

#include "examiner/examine.h"
#include "examiner/render.h"

namespace coalesce::tests {

/// Returns a transpose exercise with the given limits. Its shapes include a square, wide and tall
/// matrices, partial tiles, a single row and a single column.
inline Exercise transpose_within(const Limits& limits) {
    Exercise exercise;
    exercise.name = "a transpose";
    exercise.shapes = {{64, 64}, {64, 192}, {130, 37}, {37, 130}, {1, 257}, {257, 1}};
    exercise.limits = limits;
    return exercise;
}

/// Examines a kernel in this process, with an installed compiler.
inline Verdict examined(const Source& source, const Exercise& exercise = transpose_within({}),
                        const std::filesystem::path& solution = {},
                        const LocalRunner::Options& options = {}) {
    LocalRunner runner(options);
    ExamineOptions beside;
    if (!solution.empty()) beside.solution = read_source(solution);
    return examine(source, exercise, runner, beside);
}

}  // namespace coalesce::tests
