/// \file
/// What an exercise asks of a kernel, and the checks that every exercise shares. A file
/// exercises/NN_name/checks.cpp says the first and uses the second; it becomes the program
/// build/bin/checks/NN_name.
///
/// The program examines one file, prints what it found, and ends with 0 when all is well, 1 when the
/// kernel is not there yet, and 2 when nothing could be examined. It reads from the environment:
///
///     COALESCE_KERNEL    the file to examine; otherwise kernel.cu (or hunt.cu) of the exercise
///     COALESCE_VERDICT   a file that gets the verdict as JSON (see kernel/examine.h)
///     COALESCE_DEVICE    sim (the default), gpu, auto
///     COALESCE_CACHE     a folder for what is slow to make; none otherwise
///
/// Its test cases are "exercise" and "bug hunt" (--test-case=exercise for one of them).
/// The test case "proofs" examines no learner's file: it proves that the exercise itself is sound. It
/// is skipped unless asked for (--no-skip --test-case=proofs).
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "kernel/examine.h"

namespace coalesce::exercises {

/// What a lesson asks.
struct Lesson {
    std::string name;                            ///< of the exercise's folder: "02_naive"
    std::string kernel = "transpose";            ///< the function that the learner writes
    Produces produces = {Produces::transpose};   ///< what it leaves in `out`
    int rows_multiple = 1;                       ///< rows are multiples of this
    int cols_multiple = 1;                       ///< columns are multiples of this
    std::vector<Shape> shapes;                   ///< to try it on; the first that fails is told
    Limits limits;                               ///< beside the solution's cost
    std::optional<BlockOrder> block_order = {};  ///< which tile each block takes
    std::vector<Shape> hunt_shapes = {};         ///< for the bug hunt; {}: the same shapes
    Shape counted = {256, 256};                  ///< where costs are counted
};

/// The learner's kernel is right on every shape, clean, and moves no more than the lesson asks.
void check_kernel(const Lesson& lesson);
/// The mended kernel of the bug hunt likewise; it may cost what the mended one in solutions/ does.
void check_hunt(const Lesson& lesson);
/// The skeleton fails for the right reason, the solution passes, each mutant fails with its own name;
/// the bug hunt fails as it should, and mended it passes.
void prove(const Lesson& lesson);

}  // namespace coalesce::exercises
