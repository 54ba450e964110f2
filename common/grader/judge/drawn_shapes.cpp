#include "grader/judge/drawn_shapes.h"

namespace coalesce::grader {
namespace {

/// Generates pseudorandom numbers from a secret.
class SecretShapeDraw {
public:
    SecretShapeDraw(const Secret& secret, const std::string& exercise)
        : secret_(secret), exercise_(exercise) {}

    /// Returns a number between `least` and `most`, both inclusive.
    int between(int least, int most) {
        const std::uint64_t drawn =
            derive_number(secret_, "shape " + std::to_string(number_++) + " of " + exercise_);
        return least + static_cast<int>(drawn % static_cast<std::uint64_t>(most - least + 1));
    }

private:
    const Secret& secret_;
    const std::string& exercise_;
    int number_ = 0;
};

/// Draws the shape for which costs are counted. Its sides are not multiples of a tile size, unless
/// the exercise requires such multiples. The shape is large enough that the edges have little
/// effect on the cost.
Shape draw_counted(const Assigned& exercise, SecretShapeDraw& draw) {
    constexpr int least = 257, most = 447, tile = 32;
    const auto side = [&] {
        const int drawn = draw.between(least, most);
        return drawn % tile == 0 ? drawn + 1 : drawn;
    };
    const int rows = side(), cols = side();
    return exercise.round_up_shape(rows, exercise.requires_square() ? rows : cols);
}

/// Draws a side length between 4256 and 8096, an odd multiple of 32, so that every row begins at
/// the start of a cache line. Other lengths would slow down every kernel.
int draw_long_side(SecretShapeDraw& draw) {
    constexpr int line = 32;
    return line * (2 * draw.between(66, 126) + 1);
}

/// Draws three shapes with more elements than a float can count (2^24). One is nearly square, one
/// has very long rows, and one has more rows than the maximum grid size in y (65,535). If the
/// exercise accepts only square matrices, draws only one shape.
std::vector<Shape> draw_large(const Assigned& exercise, SecretShapeDraw& draw) {
    const int side = draw_long_side(draw), other = draw_long_side(draw);
    if (exercise.requires_square()) return {exercise.round_up_shape(side, side)};
    const int wide = draw.between(66000, 80000), low = draw.between(260, 340);
    const int tall = draw.between(66000, 80000), narrow = draw.between(260, 340);
    return {exercise.round_up_shape(side, other), exercise.round_up_shape(low, wide),
            exercise.round_up_shape(tall, narrow)};
}

}  // namespace

Assigned with_drawn_shapes(const Assigned& exercise, const Secret& secret) {
    SecretShapeDraw draw(secret, exercise.name);
    Assigned drawn = exercise;
    if (exercise.elements) return drawn;
    drawn.drawn_counted_shape = draw_counted(exercise, draw);
    drawn.drawn_large_shapes = draw_large(exercise, draw);
    return drawn;
}

}  // namespace coalesce::grader
