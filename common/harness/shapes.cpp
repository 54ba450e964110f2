#include "harness/shapes.h"

#include <algorithm>
#include <climits>

#include "base/text.h"

namespace coalesce {
namespace {

constexpr Shape kShapes[] = {
    {64, 64},  {96, 96},               // whole tiles
    {64, 160}, {160, 64},              // wide and tall rectangles
    {1, 1},    {1, 257},  {257, 1},    // single rows, columns and elements
    {31, 31},  {33, 33},  {100, 100},  // ragged on both edges
    {37, 130}, {130, 37},              // ragged rectangles
    {64, 70},  {70, 64},               // ragged on one edge
};

long long round_up(int count, int multiple) {
    return (static_cast<long long>(count) + multiple - 1) / multiple * multiple;
}

/// Describes which numbers of rows or columns a variant accepts. Returns "" if the variant accepts
/// every number.
std::string multiples_of(const char* dimension, int multiple) {
    return multiple == 1 ? "" : dimension + (" in multiples of " + std::to_string(multiple));
}

}  // namespace

std::vector<Shape> verification_shapes(const Variant& variant) {
    std::vector<Shape> shapes;
    const auto add = [&](Shape minimal_shape) {
        const Shape shape = round_up_shape(minimal_shape, variant);
        if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
    };
    for (const Shape shape : kShapes) add(shape);
    // Use odd multiples, because tiles that are larger than a required multiple do not divide them
    // evenly.
    add({3 * variant.rows_multiple, 5 * variant.cols_multiple});
    add({5 * variant.rows_multiple, 3 * variant.cols_multiple});
    return shapes;
}

std::vector<Permutation> verification_arrays(const Variant& variant) {
    constexpr std::array<int, 4> extents[] = {{3, 64, 96, 2}, {1, 1, 1, 1},   {2, 3, 5, 7},
                                              {1, 31, 33, 1}, {2, 33, 70, 3}, {5, 1, 67, 4},
                                              {3, 130, 3, 2}, {2, 4, 5, 130}, {7, 8, 12, 9}};
    std::vector<Permutation> arrays;
    for (const auto& example_extents : extents) {
        Permutation array = variant.produces.permutation;
        // For an array with fewer than four axes, use only the first extents of an entry.
        for (int k = 0; k < array.rank; ++k) array.extents[k] = example_extents[k];
        int& cols = array.extents[array.rank - 1];
        int& rows = array.extents[array.order[array.rank - 1]];
        cols = static_cast<int>(round_up(cols, variant.cols_multiple));
        rows = static_cast<int>(round_up(rows, variant.rows_multiple));
        arrays.push_back(array);
    }
    return arrays;
}

std::optional<Permutation> find_array(const Variant& variant, Shape shape) {
    Permutation array = variant.produces.permutation;
    array.extents[0] = 1;
    const long long batches = 1LL * shape.rows * shape.cols / array.elements();
    if (batches == 0) return std::nullopt;
    array.extents[0] = static_cast<int>(batches);
    return array;
}

Shape round_up_shape(Shape shape, const Variant& variant) {
    const int rows = static_cast<int>(round_up(shape.rows, variant.rows_multiple));
    return {rows, variant.square_only
                      ? rows
                      : static_cast<int>(round_up(shape.cols, variant.cols_multiple))};
}

int longest_side(const Variant& variant) {
    return std::min(variant.longest_side, variant.produces.computation.longest_side);
}

Shape usual_shape(const std::vector<const Variant*>& variants, bool is_simulated) {
    int side = is_simulated ? 1024 : 16384;
    for (const Variant* variant : variants) {
        const Computation& computation = variant->produces.computation;
        side = std::min(side, is_simulated ? computation.counted_side : computation.longest_side);
    }
    return {side, side};
}

Shape usual_prediction_shape(const Variant& variant) {
    const int side = std::min(32768, longest_side(variant));
    return {side, side};
}

std::string find_refusal(const Variant& variant, Shape shape) {
    if (variant.permute) {
        Permutation array_of_one = variant.produces.permutation;
        array_of_one.extents[0] = 1;
        if (find_array(variant, shape)) return "";
        return "permutes arrays of " + std::to_string(array_of_one.elements()) +
               " elements, but that shape has fewer";
    }
    if (variant.square_only && shape.rows != shape.cols) return "takes only square matrices";
    if (const int max_side = longest_side(variant); std::max(shape.rows, shape.cols) > max_side) {
        return "takes at most " + std::to_string(max_side) + " rows or columns";
    }
    const bool rows_fit = shape.rows % variant.rows_multiple == 0;
    const bool cols_fit = shape.cols % variant.cols_multiple == 0;
    if (rows_fit && cols_fit) return "";
    const std::array multiple_texts = {multiples_of("rows", variant.rows_multiple),
                                       multiples_of("columns", variant.cols_multiple)};
    const std::string text = "takes " + joined(multiple_texts, " and ");
    const long long rows = round_up(shape.rows, variant.rows_multiple);
    const long long cols = round_up(shape.cols, variant.cols_multiple);
    if (rows * cols > INT_MAX)
        return text + "; the next shape would be too large: try a smaller shape";
    return text + "; the next shape is " + round_up_shape(shape, variant).name();
}

}  // namespace coalesce
