#include "grader/judge/telling.h"

#include <algorithm>

#include "base/text.h"
#include "harness/text.h"
#include "kernel/render.h"

namespace coalesce::grader {
namespace {

std::string words_of(std::string id) {
    std::replace(id.begin(), id.end(), '-', ' ');
    return id;
}

}  // namespace

std::string kind_of_shape(Shape shape) {
    std::string text = shape.rows == 1           ? "a single row"
                       : shape.cols == 1         ? "a single column"
                       : shape.rows < shape.cols ? "wider than tall"
                       : shape.rows > shape.cols ? "taller than wide"
                                                 : "square";
    if (shape.rows % 32 != 0 || shape.cols % 32 != 0) text += ", no multiple of 32";
    return text;
}

std::string harmless(const std::string& name) {
    constexpr std::size_t most = 80;
    std::string text = name.empty() ? "kernel.cu" : name.substr(0, most);
    std::replace_if(
        text.begin(), text.end(),
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte >= 0x7f;
        },
        '?');
    return text;
}

void hide(const Assigned& exercise, Result& result) {
    Verdict& verdict = result.verdict;
    const auto first =
        static_cast<std::ptrdiff_t>(std::min(exercise.shapes.size(), verdict.shapes.size()));
    const auto last = static_cast<std::ptrdiff_t>(
        std::min(exercise.shapes.size() + exercise.hidden_shapes.size(), verdict.shapes.size()));
    verdict.shapes.erase(verdict.shapes.begin() + first, verdict.shapes.begin() + last);
    if (!result.is_hidden) return;
    for (Failure& failure : verdict.failures) {
        failure.headline = words_of(failure.id()) +
                           ", on a shape that is not shown: " + kind_of_shape(failure.shape) + ".";
        failure.details.clear();
        failure.map.reset();
        failure.shape = {0, 0};
    }
}

std::string told(const Result& result, const Assigned& exercise) {
    std::string text = std::string(code_of(result.mark)) + ": " + exercise.name + ", " +
                       sentence_of(result.mark) + "; " + short_number(result.points.total()) +
                       " of " + short_number(exercise.possible.total()) + " points.\n\n" +
                       terminal_text(result.verdict);
    if (!result.picture.empty()) text += "\n" + result.picture;
    return text;
}

}  // namespace coalesce::grader
