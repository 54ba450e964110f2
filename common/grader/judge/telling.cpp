#include "grader/judge/telling.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce::grader {
namespace {

/// Line `number` of a text, without what a terminal obeys; "" when there is none.
std::string line_of(const std::string& text, int number) {
    std::size_t begin = 0;
    for (int line = 1; line < number; ++line) {
        begin = text.find('\n', begin);
        if (begin == text.npos) return "";
        ++begin;
    }
    constexpr std::size_t most = 200;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, std::min(end - begin, most));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return (byte < 0x20 && c != '\t') || byte == 0x7f;
        },
        '?');
    return line;
}

std::string words_of(std::string id) {
    std::replace(id.begin(), id.end(), '-', ' ');
    return id;
}

const char* sentence_of(VerdictKind kind) {
    switch (kind) {
        case VerdictKind::ok: return "right and clean";
        case VerdictKind::compile_error: return "it does not compile";
        case VerdictKind::compile_limit: return "it is too much for the compiler";
        case VerdictKind::rejected: return "it does what the assignment does not allow";
        case VerdictKind::wrong_answer: return "the result is wrong";
        case VerdictKind::memory: return "it uses memory that it may not use";
        case VerdictKind::race: return "threads get in each other's way";
        case VerdictKind::uninitialised: return "it reads what nothing wrote";
        case VerdictKind::synchronisation: return "threads wait for each other in a wrong way";
        case VerdictKind::time_limit: return "it does not end";
        case VerdictKind::cheat: return "it tries to get round the grader";
        case VerdictKind::system: return "not graded yet, through no fault of yours";
    }
    return "";
}

std::string points_text(double points) {
    std::string text = format("%.2f", points);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
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

void tell(const Failure& failure, bool is_hidden, Result& result) {
    result.failure_id = failure.id();
    result.next = failure.next;
    result.line = failure.place.line;
    result.column = failure.place.column;
    result.is_hidden = is_hidden;
    if (is_hidden) {
        result.headline = words_of(failure.id()) +
                          ", on a shape that is not shown: " + kind_of_shape(failure.shape) + ".";
        return;
    }
    result.headline = failure.headline;
    result.details = failure.details;
    result.map = failure.map;
    result.shape = failure.shape;
}

void write_text(const Submission& submission, const Exercise& exercise, Result& result) {
    result.source_line = line_of(submission.source, result.line);
    const std::string name = harmless(submission.name);
    std::string text = std::string(code_of(result.verdict)) + ": " + exercise.name + ", " +
                       sentence_of(result.verdict) + "; " + points_text(result.points.total()) +
                       " of " + points_text(exercise.points.total()) + " points.\n";
    if (!result.failure_id.empty()) {
        const Failure failure{.headline = result.headline,
                              .place = {name, result.line, 0},
                              .shape = result.shape,
                              .details = result.details,
                              .next = result.next,
                              .map = result.map};
        text += "\n" + failure.text();
    }
    for (const std::string& other : result.other_headlines) text += "\n" + wrap(other);
    if (!result.picture.empty()) text += "\n" + result.picture;
    result.text = text;
}

}  // namespace coalesce::grader
