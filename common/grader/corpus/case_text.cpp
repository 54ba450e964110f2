#include "grader/corpus/case_text.h"

#include <charconv>
#include <stdexcept>

#include "base/files.h"

namespace coalesce::grader {
namespace {

const std::string kMark = "@repeat ";
/// The maximum size of an expanded submission, in bytes.
constexpr std::size_t kMostBytes = 1 << 20;

/// A string, and the position up to which it has been read.
struct Reader {
    const std::string& text;
    std::size_t at;

    char next() {
        if (at == text.size()) throw std::runtime_error("a mark in a corpus file has no end");
        return text[at++];
    }
    void expect(const std::string& wanted) {
        if (text.compare(at, wanted.size(), wanted) != 0) {
            throw std::runtime_error("a mark in a corpus file lacks " + wanted);
        }
        at += wanted.size();
    }
};

int read_count(Reader& reader) {
    int count = 0;
    const char* const begin = reader.text.data() + reader.at;
    const auto read = std::from_chars(begin, reader.text.data() + reader.text.size(), count);
    if (read.ec != std::errc() || count < 1) {
        throw std::runtime_error("a mark in a corpus file has no count");
    }
    reader.at += static_cast<std::size_t>(read.ptr - begin);
    return count;
}

std::string read_quoted(Reader& reader) {
    reader.expect("\"");
    std::string unit;
    for (char c = reader.next(); c != '"'; c = reader.next()) {
        if (c == '\\') {
            c = reader.next();
            if (c != 'n' && c != '\\' && c != '"') {
                throw std::runtime_error("a mark in a corpus file has an unknown escape");
            }
            if (c == 'n') c = '\n';
        }
        unit += c;
    }
    return unit;
}

}  // namespace

std::string with_repeats(const std::string& text) {
    std::string whole;
    std::size_t done = 0;
    for (std::size_t at; (at = text.find(kMark, done)) != text.npos;) {
        whole += text.substr(done, at - done);
        Reader reader{text, at + kMark.size()};
        const int count = read_count(reader);
        reader.expect(" ");
        const std::string unit = read_quoted(reader);
        reader.expect("@");
        if (unit.size() * static_cast<std::size_t>(count) > kMostBytes) {
            throw std::runtime_error("a mark in a corpus file expands to too much text");
        }
        for (int i = 0; i < count; ++i) whole += unit;
        done = reader.at;
    }
    return whole + text.substr(done);
}

std::string case_text(const std::filesystem::path& file) {
    return with_repeats(read_file(file));
}

}  // namespace coalesce::grader
