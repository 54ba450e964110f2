#include "grader/judge/drawn_shapes.h"

#include <cstring>
#include <string_view>

#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

/// Draws numbers from a secret.
class Draw {
public:
    Draw(const Secret& secret, const std::string& exercise)
        : key_(reinterpret_cast<const char*>(secret.data()), secret.size()), exercise_(exercise) {}

    /// Returns a number between `least` and `most`.
    int between(int least, int most) {
        const Digest digest =
            hmac_sha256(key_, "shape " + std::to_string(number_++) + " of " + exercise_);
        std::uint64_t drawn = 0;
        std::memcpy(&drawn, digest.data(), sizeof drawn);
        return least + static_cast<int>(drawn % static_cast<std::uint64_t>(most - least + 1));
    }

private:
    std::string_view key_;
    std::string exercise_;
    int number_ = 0;
};

/// Draws a shape for costs. Its sides are no multiples of a tile, unless the exercise takes only
/// such. It is large enough for the edges to cost little.
Shape draw_counted(const Assigned& exercise, Draw& draw) {
    constexpr int least = 257, most = 447, tile = 32;
    const auto side = [&] {
        const int drawn = draw.between(least, most);
        return drawn % tile == 0 ? drawn + 1 : drawn;
    };
    const int rows = side(), cols = side();
    return exercise.round_up_shape(rows, exercise.requires_square() ? rows : cols);
}

/// Draws a side between 4256 and 8096. It is a multiple of a sector's and a line's elements, because
/// rows that begin elsewhere slow every kernel down.
int draw_long_side(Draw& draw) {
    constexpr int line = 32;
    return line * (2 * draw.between(66, 126) + 1);
}

/// Draws shapes that have more elements than a float can count (2^24): one that is about as wide as
/// tall, one with a very long row, and one with more rows than a grid has in y (65,535).
std::vector<Shape> draw_large(const Assigned& exercise, Draw& draw) {
    const int side = draw_long_side(draw), other = draw_long_side(draw);
    if (exercise.requires_square()) return {exercise.round_up_shape(side, side)};
    const int wide = draw.between(66000, 80000), low = draw.between(260, 340);
    const int tall = draw.between(66000, 80000), narrow = draw.between(260, 340);
    return {exercise.round_up_shape(side, other), exercise.round_up_shape(low, wide),
            exercise.round_up_shape(tall, narrow)};
}

}  // namespace

Assigned with_drawn_shapes(const Assigned& exercise, const Secret& secret) {
    Draw draw(secret, exercise.name);
    Assigned drawn = exercise;
    if (exercise.elements) return drawn;
    drawn.drawn_counted = draw_counted(exercise, draw);
    drawn.drawn_large = draw_large(exercise, draw);
    return drawn;
}

}  // namespace coalesce::grader
