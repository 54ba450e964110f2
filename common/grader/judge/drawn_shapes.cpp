#include "grader/judge/drawn_shapes.h"

namespace coalesce::grader {
namespace {

/// Generates pseudorandom numbers from a secret.
class SecretShapeDraw {
public:
    SecretShapeDraw(const Secret& secret, const std::string& exercise)
        : secret_(secret), exercise_(exercise) {}

    /// Returns a number from `min_value` to `max_value`, both inclusive.
    int draw_between(int min_value, int max_value) {
        const std::uint64_t random_number =
            derive_number(secret_, "shape " + std::to_string(draw_number_++) + " of " + exercise_);
        return min_value + static_cast<int>(random_number %
                                            static_cast<std::uint64_t>(max_value - min_value + 1));
    }

private:
    const Secret& secret_;
    const std::string& exercise_;
    int draw_number_ = 0;
};

/// Draws the shape for which costs are counted. Its sides are not multiples of a tile size, unless
/// the exercise requires such multiples. The shape is large enough that the edges have little
/// effect on the cost.
Shape draw_counted_shape(const AssignedExercise& exercise, SecretShapeDraw& shape_draw) {
    constexpr int min_side = 257, max_side = 447, tile = 32;
    const auto draw_side = [&] {
        const int side_length = shape_draw.draw_between(min_side, max_side);
        return side_length % tile == 0 ? side_length + 1 : side_length;
    };
    const int rows = draw_side(), cols = draw_side();
    return exercise.round_up_shape(rows, exercise.requires_square() ? rows : cols);
}

/// Draws a side length between 4256 and 8096, an odd multiple of 32, so that every row begins at
/// the start of a cache line. Other lengths would slow down every kernel.
int draw_long_side(SecretShapeDraw& shape_draw) {
    constexpr int line_elements = 32;
    return line_elements * (2 * shape_draw.draw_between(66, 126) + 1);
}

/// Draws three shapes with more elements than a float can count (2^24). One is nearly square, one
/// has very long rows, and one has more rows than the maximum grid size in y (65,535). If the
/// exercise accepts only square matrices, draws only one shape.
std::vector<Shape> draw_large_shapes(const AssignedExercise& exercise,
                                     SecretShapeDraw& shape_draw) {
    const int side = draw_long_side(shape_draw), other_side = draw_long_side(shape_draw);
    if (exercise.requires_square()) return {exercise.round_up_shape(side, side)};
    const int wide_cols = shape_draw.draw_between(66000, 80000),
              wide_rows = shape_draw.draw_between(260, 340);
    const int tall_rows = shape_draw.draw_between(66000, 80000),
              tall_cols = shape_draw.draw_between(260, 340);
    return {exercise.round_up_shape(side, other_side),
            exercise.round_up_shape(wide_rows, wide_cols),
            exercise.round_up_shape(tall_rows, tall_cols)};
}

}  // namespace

AssignedExercise with_drawn_shapes(const AssignedExercise& exercise, const Secret& secret) {
    SecretShapeDraw shape_draw(secret, exercise.name);
    AssignedExercise drawn_exercise = exercise;
    if (exercise.elements) return drawn_exercise;
    drawn_exercise.drawn_counted_shape = draw_counted_shape(exercise, shape_draw);
    drawn_exercise.drawn_large_shapes = draw_large_shapes(exercise, shape_draw);
    return drawn_exercise;
}

}  // namespace coalesce::grader
