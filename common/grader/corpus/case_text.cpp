#include "grader/corpus/case_text.h"

#include <charconv>
#include <stdexcept>

#include "base/files.h"

namespace coalesce::grader {
namespace {

const std::string kRepeatMark = "@repeat ";
/// The maximum size of an expanded submission, in bytes.
constexpr std::size_t kMaxExpandedBytes = 1 << 20;

/// A string, and the position up to which it has been read.
struct CaseTextReader {
    const std::string& text;
    std::size_t position;

    char next_character() {
        if (position == text.size()) throw std::runtime_error("a mark in a corpus file has no end");
        return text[position++];
    }
    void expect(const std::string& expected_text) {
        if (text.compare(position, expected_text.size(), expected_text) != 0) {
            throw std::runtime_error("a mark in a corpus file lacks " + expected_text);
        }
        position += expected_text.size();
    }
};

int read_count(CaseTextReader& reader) {
    int count = 0;
    const char* const begin = reader.text.data() + reader.position;
    const auto parsed = std::from_chars(begin, reader.text.data() + reader.text.size(), count);
    if (parsed.ec != std::errc() || count < 1) {
        throw std::runtime_error("a mark in a corpus file has no count");
    }
    reader.position += static_cast<std::size_t>(parsed.ptr - begin);
    return count;
}

std::string read_quoted(CaseTextReader& reader) {
    reader.expect("\"");
    std::string unquoted_text;
    for (char c = reader.next_character(); c != '"'; c = reader.next_character()) {
        if (c == '\\') {
            c = reader.next_character();
            if (c != 'n' && c != '\\' && c != '"') {
                throw std::runtime_error("a mark in a corpus file has an unknown escape");
            }
            if (c == 'n') c = '\n';
        }
        unquoted_text += c;
    }
    return unquoted_text;
}

}  // namespace

std::string expand_repeats(const std::string& text) {
    std::string expanded_text;
    std::size_t copied_end = 0;
    for (std::size_t position; (position = text.find(kRepeatMark, copied_end)) != text.npos;) {
        expanded_text += text.substr(copied_end, position - copied_end);
        CaseTextReader reader{text, position + kRepeatMark.size()};
        const int count = read_count(reader);
        reader.expect(" ");
        const std::string repeated_text = read_quoted(reader);
        reader.expect("@");
        if (repeated_text.size() * static_cast<std::size_t>(count) > kMaxExpandedBytes) {
            throw std::runtime_error("a mark in a corpus file expands to too much text");
        }
        for (int i = 0; i < count; ++i) expanded_text += repeated_text;
        copied_end = reader.position;
    }
    return expanded_text + text.substr(copied_end);
}

std::string read_case_file(const std::filesystem::path& file) {
    return expand_repeats(read_file(file));
}

}  // namespace coalesce::grader
