// The exercise of these tests, and its examination.
#pragma once

#include <filesystem>
#include <optional>

#include "examiner/examine.h"
#include "examiner/render.h"

namespace coalesce::tests {

/// A transpose on squares, both rectangular shapes, partial tiles, one row and one column.
inline Exercise transpose_within(const Limits& limits) {
    Exercise exercise;
    exercise.name = "a transpose";
    exercise.shapes = {{64, 64}, {64, 192}, {130, 37}, {37, 130}, {1, 257}, {257, 1}};
    exercise.limits = limits;
    return exercise;
}

/// Examines a kernel in this process.
inline Verdict examined(const Source& source, const Exercise& exercise = transpose_within({}),
                        const std::filesystem::path& solution = {},
                        const LocalRunner::Options& options = {}) {
    LocalRunner runner(options);
    ExamineOptions beside;
    if (!solution.empty()) beside.solution = read_source(solution);
    return examine(source, exercise, runner, beside);
}

}  // namespace coalesce::tests
