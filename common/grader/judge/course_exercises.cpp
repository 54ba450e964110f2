// What each exercise of the course asks, for a manifest to begin with: the same figures as in
// exercises/NN_name/checks.cpp, which a test compares.
#include <algorithm>
#include <stdexcept>

#include "grader/judge/judge.h"
#include "kernel/source.h"

namespace coalesce::grader {
namespace {

const std::vector<Shape> usual = {{64, 64}, {96, 32}, {32, 96}, {77, 45}, {1, 70}, {70, 1}};

Exercise copy() {
    return {.name = "01_copy",
            .kernel = "copy",
            .produces = "copy",
            .public_shapes = {{64, 64}, {32, 96}, {96, 32}, {77, 45}, {1, 70}, {70, 1}},
            .costs = {.load = 4, .store = 4, .elements_per_thread = 4}};
}

Exercise naive() {
    return {.name = "02_naive", .public_shapes = usual, .costs = {.load = 4, .store = 32}};
}

Exercise tiled() {
    return {.name = "03_tiled",
            .public_shapes = usual,
            .costs = {.load = 4, .store = 4, .shared_load = 32, .shared_store = 1}};
}

Exercise padded() {
    return {.name = "04_padded",
            .public_shapes = usual,
            .costs = {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1}};
}

Exercise coarsened() {
    return {
        .name = "05_coarsened",
        .public_shapes = usual,
        .costs = {
            .load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4}};
}

Exercise diagonal() {
    Exercise exercise = coarsened();
    exercise.name = "06_diagonal";
    exercise.public_shapes = {{96, 96}, {64, 160}, {160, 64}, {77, 45}, {1, 70}, {70, 1}};
    exercise.block_order = "diagonal";
    return exercise;
}

Exercise vec2() {
    return {
        .name = "07_vec2",
        .rows_multiple = 2,
        .cols_multiple = 2,
        .public_shapes = {{64, 64}, {96, 32}, {32, 96}, {78, 46}, {2, 70}, {70, 2}},
        .costs = {
            .load = 8, .store = 8, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4}};
}

Exercise vec4() {
    return {.name = "08_vec4",
            .rows_multiple = 4,
            .cols_multiple = 4,
            .public_shapes = {{64, 64}, {96, 32}, {32, 96}, {84, 44}, {4, 76}, {76, 4}},
            .costs = {.load = 16,
                      .store = 16,
                      .shared_load = 1,
                      .shared_store = 1,
                      .elements_per_thread = 8}};
}

Exercise vec4_t64() {
    return {.name = "09_vec4_t64",
            .rows_multiple = 4,
            .cols_multiple = 4,
            .public_shapes = {{128, 128}, {192, 64}, {64, 192}, {84, 140}, {4, 76}, {76, 4}},
            .costs = {.load = 16,
                      .store = 16,
                      .shared_load = 2,
                      .shared_store = 2,
                      .elements_per_thread = 16,
                      .elements_per_block = 4096}};
}

Exercise any_shape() {
    return {.name = "10_any_shape",
            .public_shapes = {{64, 64}, {65, 63}, {96, 33}, {33, 96}, {31, 77}, {1, 70}, {70, 1}},
            .counted = {255, 257},
            .costs = {.elements_per_thread = 3}};
}

Exercise async() {
    return {.name = "11_async",
            .rows_multiple = 4,
            .cols_multiple = 4,
            .public_shapes = {{64, 64}, {256, 128}, {64, 320}, {84, 140}, {4, 76}, {76, 4}},
            .costs = {.load = 16,
                      .store = 16,
                      .shared_load = 4,
                      .shared_store = 4,
                      .elements_per_thread = 64,
                      .elements_per_block = 16384}};
}

Exercise in_place_pairs() {
    return {.name = "12_in_place",
            .kernel = "transpose_in_place",
            .produces = "transpose-in-place",
            .public_shapes = {{64, 64}, {32, 32}, {160, 160}, {77, 77}, {1, 1}},
            .costs = {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1}};
}

Exercise permute() {
    return {
        .name = "13_permute",
        .kernel = "transpose_stack",
        .produces = "stack-of-64",
        .rows_multiple = 64,
        .public_shapes = {{64, 64}, {64, 96}, {256, 32}, {192, 77}, {64, 1}, {320, 3}},
        .costs = {
            .load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 8}};
}

Exercise many_gpus() {
    Exercise exercise = coarsened();
    exercise.name = "14_many_gpus";
    exercise.public_shapes = {{256, 256}, {64, 384}, {384, 64}, {77, 300}, {1, 70}, {70, 1}};
    exercise.costs.elements_per_thread = 1;
    exercise.block_order = "in-turn";
    return exercise;
}

/// A solution without the marks of what its exercise leaves blank: those lines begin with //!.
std::string without_marks(const std::string& text) {
    std::string plain;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == line.npos || line.compare(first, 3, "//!") != 0) plain += line;
        begin = end;
    }
    return plain;
}

}  // namespace

std::vector<Exercise> course_exercises(const std::filesystem::path& repository) {
    std::vector<Exercise> all = {copy(),     naive(),          tiled(),   padded(),   coarsened(),
                                 diagonal(), vec2(),           vec4(),    vec4_t64(), any_shape(),
                                 async(),    in_place_pairs(), permute(), many_gpus()};
    for (Exercise& exercise : all) {
        const Source solution = read_source(repository / "solutions" / exercise.name / "kernel.cu");
        if (!solution.is_good()) throw std::runtime_error(solution.problem.text());
        exercise.solution = without_marks(solution.text);
    }
    return all;
}

}  // namespace coalesce::grader
