#include "grader/judge/telling.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/render.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

std::string failure_id_to_words(std::string id) {
    std::replace(id.begin(), id.end(), '-', ' ');
    return id;
}

}  // namespace

bool is_shape_hidden(const Assigned& exercise, const std::vector<TriedShape>& tried,
                     std::size_t place) {
    const std::size_t first = exercise.shapes.size();
    const std::size_t last = first + exercise.hidden_shapes.size();
    if (place >= first && place < last) return true;
    if (place < last || tried[place].shape == exercise.counted) return false;
    const Shape shape = tried[place].shape;
    return shape == exercise.hidden_counted || shape == exercise.drawn_counted_shape ||
           std::ranges::count(exercise.drawn_large_shapes, shape) > 0;
}

void hide_secrets(const Assigned& exercise, Result& result) {
    Verdict& verdict = result.verdict;
    std::vector<TriedShape> shown;
    for (std::size_t i = 0; i < verdict.shapes.size(); ++i) {
        if (!is_shape_hidden(exercise, verdict.shapes, i)) shown.push_back(verdict.shapes[i]);
    }
    verdict.shapes = std::move(shown);
    if (!result.is_hidden) return;
    // Report only the kind of failure, because a kernel could encode the hidden shape in the line,
    // address or value at which it fails.
    for (Failure& failure : verdict.failures) {
        failure = {.kind = failure.kind,
                   .fault = failure.fault,
                   .headline = failure_id_to_words(failure.id()) + ", on a hidden shape.",
                   .place = {verdict.file, 0, 0},
                   .next =
                       "Try shapes of your own: large and small ones, wide and tall ones, and "
                       "shapes that are not multiples of a tile."};
    }
    verdict.failures.resize(1);
}

std::string format_result(const Result& result, const Assigned& exercise) {
    std::string text = std::string(code_of(result.mark)) + ": " + exercise.name + ", " +
                       mark_phrase(result.mark) + "; " + format_short(result.points.total()) +
                       " of " + format_short(exercise.possible.total()) + " points.\n\n" +
                       terminal_text(result.verdict);
    if (!result.picture.empty()) text += "\n" + result.picture;
    return text;
}

}  // namespace coalesce::grader
