#include "grader/judge/telling.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/render.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

std::string id_to_words(std::string id) {
    std::replace(id.begin(), id.end(), '-', ' ');
    return id;
}

}  // namespace

bool is_shape_hidden(const AssignedExercise& exercise, const std::vector<TriedShape>& tried_shapes,
                     std::size_t index) {
    const std::size_t first_hidden = exercise.shapes.size();
    const std::size_t end_hidden = first_hidden + exercise.hidden_shapes.size();
    if (index >= first_hidden && index < end_hidden) return true;
    if (index < end_hidden || tried_shapes[index].shape == exercise.counted_shape) return false;
    const Shape shape = tried_shapes[index].shape;
    return shape == exercise.hidden_counted_shape || shape == exercise.drawn_counted_shape ||
           std::ranges::count(exercise.drawn_large_shapes, shape) > 0;
}

void hide_secrets(const AssignedExercise& exercise, Result& result) {
    Verdict& verdict = result.verdict;
    std::vector<TriedShape> shown_shapes;
    for (std::size_t i = 0; i < verdict.shapes.size(); ++i) {
        if (!is_shape_hidden(exercise, verdict.shapes, i))
            shown_shapes.push_back(verdict.shapes[i]);
    }
    verdict.shapes = std::move(shown_shapes);
    if (!result.is_hidden) return;
    // Report only the kind of failure, because a kernel could encode the hidden shape in the line,
    // address or value at which it fails.
    for (Failure& failure : verdict.failures) {
        failure = {.kind = failure.kind,
                   .fault = failure.fault,
                   .headline = id_to_words(failure.id()) + ", on a hidden shape.",
                   .place = {verdict.file, 0, 0},
                   .advice =
                       "Try shapes of your own: large and small ones, wide and tall ones, and "
                       "shapes that are not multiples of a tile."};
    }
    verdict.failures.resize(1);
}

std::string format_result(const Result& result, const AssignedExercise& exercise) {
    std::string text = std::string(mark_code(result.mark)) + ": " + exercise.name + ", " +
                       mark_phrase(result.mark) + "; " + format_short(result.points.total()) +
                       " of " + format_short(exercise.possible_points.total()) + " points.\n\n" +
                       terminal_text(result.verdict);
    if (!result.picture.empty()) text += "\n" + result.picture;
    return text;
}

}  // namespace coalesce::grader
