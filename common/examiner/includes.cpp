// Decides which files a learner's file may include. Only toolkit headers are allowed, and only by
// their plain names.
//
// A compiler opens every file that is named in an #include, and prints lines that it cannot parse.
// If a teacher compiles a student's file, it could therefore reveal the teacher's files. Names that
// lead outside the toolkit's folders, and names that only the preprocessor can determine, are
// refused before a compiler sees the file.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "examiner/source.h"

namespace coalesce {
namespace {

constexpr std::string_view kWhitespace = " \t\r\f\v";

struct JoinedLine {
    int number = 0;
    std::string text;
};

/// Returns the lines as the preprocessor sees them, that is, with continued lines joined.
std::vector<JoinedLine> joined_lines(const std::string& text) {
    std::vector<JoinedLine> lines;
    JoinedLine line{1, ""};
    int number = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_windows_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (is_windows_end) continue;
        // Some compilers treat a lone carriage return as a line ending.
        if (text[i] != '\n' && text[i] != '\r') {
            line.text += text[i];
            continue;
        }
        number += text[i] == '\n';
        // Compilers allow whitespace between the backslash and the end of the line.
        const std::size_t last = line.text.find_last_not_of(kWhitespace);
        if (last != std::string::npos && line.text[last] == '\\') {
            line.text.resize(last);
            continue;
        }
        lines.push_back(std::move(line));
        line = {number, ""};
    }
    lines.push_back(std::move(line));
    return lines;
}

/// Reports whether all compilers agree on where the lines end. They disagree about lone carriage
/// returns, which end a line for some compilers, and about lines that end in a backslash and
/// spaces, which some compilers continue.
bool has_clear_line_ends(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) return false;
        if (text[i] != '\\') continue;
        const std::size_t next = text.find_first_not_of(kWhitespace, i + 1);
        const bool is_at_end = next == text.npos || text[next] == '\n';
        const std::size_t length = (next == text.npos ? text.size() : next) - i - 1;
        if (is_at_end && text.substr(i + 1, length).find_first_not_of('\r') != text.npos)
            return false;
    }
    return true;
}

/// Replaces a block comment with a space if every compiler is sure to recognize the comment. That
/// is the case if no string, directive or other comment can precede it on its line. Only raw
/// strings extend from one line to the next, so nothing is replaced if the text may contain a raw
/// string.
std::vector<JoinedLine> without_sure_comments(std::vector<JoinedLine> lines) {
    const auto is_unsure = [](const JoinedLine& line) {
        return line.text.find("R\"") != line.text.npos || line.text.find("\?\?/") != line.text.npos;
    };
    if (std::ranges::any_of(lines, is_unsure)) return lines;
    bool is_inside = false;
    for (JoinedLine& line : lines) {
        std::string code;
        for (std::size_t at = 0;;) {
            if (is_inside) {
                const std::size_t end = line.text.find("*/", at);
                if (end == line.text.npos) break;
                at = end + 2;
                code += ' ';
                is_inside = false;
            }
            const std::size_t begin = line.text.find("/*", at);
            const std::string before = line.text.substr(at, begin - at);
            code += before;
            if (begin == line.text.npos) break;
            if (before.find_first_of("'\"#%?") != before.npos || before.find("//") != before.npos) {
                code += line.text.substr(begin);
                break;
            }
            at = begin + 2;
            is_inside = true;
        }
        line.text = code;
    }
    return lines;
}

/// Returns, for each offset in a line, the end of the whitespace and complete comments that begin
/// there. The function scans the line backwards, so that it takes linear time.
std::vector<std::size_t> find_ends_of_whitespace(std::string_view line) {
    std::vector<std::size_t> ends(line.size() + 1, line.size());
    // The offsets just past the next two comment terminators ("*/"), or npos.
    std::size_t behind_next = line.npos, behind_next_but_one = line.npos;
    for (std::size_t at = line.size(); at-- > 0;) {
        ends[at] = at;
        if (kWhitespace.find(line[at]) != kWhitespace.npos) ends[at] = ends[at + 1];
        // In "/*/" the second slash does not end the comment.
        const std::size_t behind = behind_next == at + 3 ? behind_next_but_one : behind_next;
        if (line.substr(at, 2) == "/*" && behind != line.npos) ends[at] = ends[behind];
        if (line.substr(at, 2) != "*/") continue;
        behind_next_but_one = behind_next;
        behind_next = at + 2;
    }
    return ends;
}

/// The name of a directive, which follows a #, and the text after the name.
struct Directive {
    std::string_view name, rest;
};

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns the names and numbers in a text, in order.
std::vector<std::string_view> names_in(std::string_view text) {
    std::vector<std::string_view> names;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        while (at < text.size() && is_letter(text[at])) ++at;
        if (at > begin) names.push_back(text.substr(begin, at - begin));
        at += at == begin;
    }
    return names;
}

/// Returns everything on a line that could be a directive. A comment from an earlier line may end
/// anywhere on this line, so every # counts, even if it seems to be inside a comment.
std::vector<Directive> find_directives(std::string_view line) {
    std::vector<Directive> found;
    const std::vector<std::size_t> ends = find_ends_of_whitespace(line);
    std::size_t last = line.npos;  // several comments may precede the same #
    const auto look_behind = [&](std::size_t at) {
        if (std::exchange(last, ends[at]) == ends[at]) return;
        for (const std::string_view hash : {"#", "%:", "\?\?="}) {
            if (!line.substr(ends[at]).starts_with(hash)) continue;
            const std::size_t begin = ends[ends[at] + hash.size()];
            const auto end = static_cast<std::size_t>(
                std::find_if_not(line.begin() + begin, line.end(), is_letter) - line.begin());
            found.push_back({line.substr(begin, end - begin), line.substr(ends[end])});
            return;
        }
    };
    look_behind(0);
    for (std::size_t end = line.find("*/"); end != line.npos; end = line.find("*/", end + 2)) {
        look_behind(end + 2);
    }
    return found;
}

/// Removes the quotes or angle brackets, so that "<cuda_fp16.h>" becomes "cuda_fp16.h". Returns ""
/// if there are none.
std::string_view strip_include_quotes(std::string_view text) {
    if (text.empty() || (text.front() != '<' && text.front() != '"')) return {};
    const std::size_t end = text.find(text.front() == '<' ? '>' : '"', 1);
    return end == text.npos ? std::string_view{} : text.substr(1, end - 1);
}

/// Reports whether the include name stays inside the compiler's header search folders.
bool is_inside_include_path(std::string_view name) {
    if (name.empty() || name.front() == '/' || name.front() == '~') return false;
    if (name.find('\\') != name.npos) return false;
    return name != ".." && !name.starts_with("../") && name.find("/..") == name.npos;
}

/// The macros of a file whose expansion may contain names that are formed with `##`. Such a name
/// may be __has_include, although the text does not contain __has_include.
class PastingMacros {
public:
    explicit PastingMacros(const std::vector<JoinedLine>& lines) {
        for (const JoinedLine& line : lines) {
            for (const Directive& directive : find_directives(line.text)) {
                if (directive.name == "define") note(directive.rest);
            }
        }
        while (!to_follow_.empty()) {
            const auto users = users_.find(to_follow_.back());
            to_follow_.pop_back();
            if (users == users_.end()) continue;
            for (const std::string_view user : users->second) add(user);
        }
    }
    bool empty() const { return found_.empty(); }
    /// Reports whether the text contains the name of one of the macros.
    bool are_used_in(std::string_view text) const {
        return std::ranges::any_of(names_in(text),
                                   [&](std::string_view name) { return found_.contains(name); });
    }

private:
    void note(std::string_view definition) {
        const std::vector<std::string_view> names = names_in(definition);
        if (names.empty()) return;
        for (const std::string_view used : names) users_[used].push_back(names.front());
        for (const std::string_view paste : {"##", "%:%:", "\?\?=\?\?="}) {
            if (definition.find(paste) != definition.npos) add(names.front());
        }
    }
    void add(std::string_view macro) {
        if (found_.insert(macro).second) to_follow_.push_back(macro);
    }

    /// For each name, the macros whose definitions contain it.
    std::map<std::string_view, std::vector<std::string_view>> users_;
    std::set<std::string_view> found_;
    std::vector<std::string_view> to_follow_;
};

/// Reports whether the text contains a name that is a prefix of __has_include or __has_embed.
bool has_beginning_of_question(const std::vector<JoinedLine>& lines) {
    const auto is_beginning = [](std::string_view name) {
        return name.size() > 2 && (std::string_view("__has_include").starts_with(name) ||
                                   std::string_view("__has_embed").starts_with(name));
    };
    return std::ranges::any_of(lines, [&](const JoinedLine& line) {
        return std::ranges::any_of(names_in(line.text), is_beginning);
    });
}

Failure refuse_include(const std::string& file, int line, const std::string& headline) {
    return {.kind = FailureKind::include_refused,
            .headline = headline,
            .place = {file, line, 0},
            .next =
                "Remove the line, and write the code that you need into the file itself. An "
                "exercise needs no #include at all."};
}

}  // namespace

Failure find_refused_include(const std::string& text, const std::string& file_name) {
    constexpr std::string_view opening[] = {"include", "include_next", "import", "embed"};
    std::vector<JoinedLine> lines = joined_lines(text);
    if (has_clear_line_ends(text)) lines = without_sure_comments(std::move(lines));
    const PastingMacros pasting(lines);
    // Conditions in the toolkit's headers may expand macros that the learner's file defines.
    const bool pastes_question = !pasting.empty() && has_beginning_of_question(lines);
    for (const JoinedLine& line : lines) {
        // These directives reveal whether a file exists.
        const bool looks_for_files = line.text.find("__has_include") != line.text.npos ||
                                     line.text.find("__has_embed") != line.text.npos;
        for (const auto& [word, rest] : find_directives(line.text)) {
            // The comment after this `#` continues on the next line, and may hide a directive
            // there.
            if (word.empty() && rest.starts_with("/*")) {
                return refuse_include(file_name, line.number,
                                      "a comment hides the name of this directive.");
            }
            if (word.empty()) continue;
            const bool is_condition = word == "if" || word == "elif";
            if ((is_condition && pasting.are_used_in(rest)) ||
                (word == "define" && pastes_question)) {
                return refuse_include(
                    file_name, line.number,
                    "a preprocessor condition may not use names that are formed with ##, because "
                    "such names could test whether other files exist.");
            }
            if (looks_for_files) {
                return refuse_include(file_name, line.number,
                                      "a kernel's file may not test whether other files exist.");
            }
            if (std::find(std::begin(opening), std::end(opening), word) == std::end(opening)) {
                continue;
            }
            const std::string_view name = strip_include_quotes(rest);
            if (name.empty() || !is_inside_include_path(name)) {
                return refuse_include(file_name, line.number,
                                      "a kernel's file can include only headers of the CUDA "
                                      "toolkit, by their names in the toolkit.");
            }
        }
    }
    return {};
}

}  // namespace coalesce
