#include "examiner/messages.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "examiner/wrapper.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The maximum number of messages to keep. Further messages are usually consequences of the first
/// one.
constexpr std::size_t kMaxMessages = 30;
/// The maximum length of a line. Longer lines are truncated.
constexpr std::size_t kMaxLineBytes = 1000;

/// The parsed beginning of a compiler message.
struct MessageHead {
    std::string file;
    int line = 0, column = 0;
    std::string severity, text;
};

/// Parses the beginning of a message. Returns false if the line does not begin a message. Messages
/// of NVIDIA's compilers begin with "/learner/kernel.cu(3): error: ...", "...(3): warning #177-D:
/// ..." or "At end of source: error: ...". Messages of clang begin with "/learner/kernel.cu:3:7:
/// error: ...". Messages of nvcc's preprocessor have the same form as clang's, but no column.
bool read_head(const std::string& line, MessageHead& head) {
    static const TextPattern nvidia_head(
        R"(^(?:(.+)\((\d+)()\)|At end of source): (catastrophic error|error|warning|remark|note))"
        R"((?: #[\w-]+)?: (.*)$)");
    static const TextPattern clang_head(
        R"(^(.+?):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$)");
    TextMatch match;
    if (!match_whole(line, match, nvidia_head) && !match_whole(line, match, clang_head))
        return false;
    const auto number = [&](std::size_t group) {
        return match.length(group) > 0 ? std::stoi(match.str(group)) : 0;
    };
    head = {match[1].matched ? match.str(1) : kLearnerFile, number(2), number(3), match.str(4),
            match.str(5)};
    return true;
}

Severity parse_severity(const std::string& word) {
    if (word.find("error") != word.npos) return Severity::error;
    return word == "warning" ? Severity::warning : Severity::note;
}

/// Returns the column of a message. NVIDIA's compilers mark the column only with a caret below the
/// source line.
int find_caret_column(const std::string& excerpt_line, const std::string& carets,
                      const std::string& line) {
    const std::size_t caret = carets.find('^');
    const std::size_t begin = excerpt_line.find_first_not_of(" \t");
    if (begin == excerpt_line.npos || caret == carets.npos || caret < begin) return 0;
    const std::size_t line_position = line.find(excerpt_line.substr(begin));
    return line_position == line.npos ? 0 : static_cast<int>(line_position + caret - begin) + 1;
}

bool is_caret_line(const std::string& line) {
    return line.find('^') != line.npos && line.find_first_not_of(" \t^~") == line.npos;
}

/// Returns the line number of the last line that is not blank. To a reader, this line is the end of
/// the file.
int last_line_number(const std::string& source) {
    const std::size_t line_end = source.find_last_not_of(" \t\r\n\f\v");
    return line_number_at(source, line_end == source.npos ? 0 : line_end);
}

bool is_duplicate(const std::vector<Message>& messages, const Message& message) {
    return std::any_of(messages.begin(), messages.end(), [&](const Message& known_message) {
        return known_message.place == message.place && known_message.text == message.text;
    });
}

/// Replaces the internal file name in a compiler message. If the message is about a missing include
/// file, also rewrites it in plain words.
std::string simplify_message(std::string text) {
    static const TextPattern missing_include(
        R"~(^(?:could|cannot) (?:not )?open source file "([^"]*)".*$)~");
    static const TextPattern missing_clang_include(
        R"(^(?:'([^']*)' file not found|([^:]*): No such file or directory)$)");
    TextMatch match;
    if (match_whole(text, match, missing_include) ||
        match_whole(text, match, missing_clang_include)) {
        const std::string name = match.str(match[1].matched ? 1 : 2);
        return "there is no header '" + name +
               "' here; a kernel's file can include headers of the CUDA toolkit, but clang "
               "supports only some of these headers";
    }
    const std::size_t name_position = text.find(kLearnerFile);
    if (name_position != text.npos)
        text.replace(name_position, std::string(kLearnerFile).size(), "this file");
    return text;
}

}  // namespace

std::string end_sentence(const std::string& text) {
    constexpr std::string_view sentence_ends = ".?!";
    return !text.empty() && sentence_ends.find(text.back()) != sentence_ends.npos ? text
                                                                                  : text + ".";
}

std::string format_caret(const std::string& line, int column) {
    std::string padding = line.substr(0, static_cast<std::size_t>(column - 1));
    std::replace_if(
        padding.begin(), padding.end(), [](char c) { return c != '\t'; }, ' ');
    return padding + "^";
}

std::string extract_line(const std::string& text, int number) {
    const std::vector<std::string> lines = lines_of(text);
    if (number < 1 || lines.size() < static_cast<std::size_t>(number)) return "";
    std::string line = lines[static_cast<std::size_t>(number) - 1];
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

CompilerOutput read_messages(const std::string& output, const std::string& source,
                             const std::string& file_name) {
    CompilerOutput compiler_output;
    std::vector<std::string> lines = lines_of(output);
    for (std::string& line : lines) line = line.substr(0, kMaxLineBytes);
    for (std::size_t i = 0; i < lines.size() && compiler_output.messages.size() < kMaxMessages;
         ++i) {
        MessageHead head;
        if (!read_head(lines[i], head)) continue;
        const Severity severity = parse_severity(head.severity);
        const PlaceKind place_kind = classify_place(head.file, head.line);
        if (place_kind != PlaceKind::learner_file) {
            auto& list = place_kind == PlaceKind::configure ? compiler_output.configure
                                                            : compiler_output.own_messages;
            if (severity == Severity::error) list.push_back(head.text);
            continue;
        }
        if (head.line == 0) head.line = last_line_number(source);
        if (head.column == 0 && i + 2 < lines.size() && is_caret_line(lines[i + 2])) {
            head.column =
                find_caret_column(lines[i + 1], lines[i + 2], extract_line(source, head.line));
        }
        Message message{severity,
                        {file_name, head.line, head.column},
                        escape_line(simplify_message(head.text), kMaxLineBytes)};
        if (!is_duplicate(compiler_output.messages, message))
            compiler_output.messages.push_back(std::move(message));
    }
    return compiler_output;
}

std::string Message::to_string_with_caret(const std::string& source) const {
    constexpr const char* names[] = {"error", "warning", "note"};
    std::string message_text =
        wrap(place.text() + ": " + names[static_cast<int>(severity)] + ": " + text);
    const std::string line = extract_line(source, place.line);
    constexpr int available_columns = kTerminalColumns - 4;
    // Do not show a line that contains control characters.
    const bool fits_terminal =
        !line.empty() && line.size() <= available_columns && escape_text(line) == line;
    if (!fits_terminal) return message_text;
    message_text += "    " + line + "\n";
    if (place.column <= 0 || place.column > static_cast<int>(line.size()) + 1) return message_text;
    return message_text + "    " + format_caret(line, place.column) + "\n";
}

}  // namespace coalesce
