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
std::vector<JoinedLine> join_lines(const std::string& text) {
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
        const std::size_t text_end = line.text.find_last_not_of(kWhitespace);
        if (text_end != std::string::npos && line.text[text_end] == '\\') {
            line.text.resize(text_end);
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
        const std::size_t next_position = text.find_first_not_of(kWhitespace, i + 1);
        const bool is_at_end = next_position == text.npos || text[next_position] == '\n';
        const std::size_t length =
            (next_position == text.npos ? text.size() : next_position) - i - 1;
        if (is_at_end && text.substr(i + 1, length).find_first_not_of('\r') != text.npos)
            return false;
    }
    return true;
}

/// Replaces a block comment with a space if every compiler is sure to recognize the comment. That
/// is the case if no string, directive or other comment can precede it on its line. Only raw
/// strings extend from one line to the next, so nothing is replaced if the text may contain a raw
/// string.
std::vector<JoinedLine> remove_sure_comments(std::vector<JoinedLine> lines) {
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
            const std::string code_before_comment = line.text.substr(at, begin - at);
            code += code_before_comment;
            if (begin == line.text.npos) break;
            if (code_before_comment.find_first_of("'\"#%?") != code_before_comment.npos ||
                code_before_comment.find("//") != code_before_comment.npos) {
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
    std::vector<std::size_t> whitespace_ends(line.size() + 1, line.size());
    // The offsets just past the next two comment terminators ("*/"), or npos.
    std::size_t end_of_next_comment = line.npos, end_of_second_comment = line.npos;
    for (std::size_t at = line.size(); at-- > 0;) {
        whitespace_ends[at] = at;
        if (kWhitespace.find(line[at]) != kWhitespace.npos)
            whitespace_ends[at] = whitespace_ends[at + 1];
        // In "/*/" the second slash does not end the comment.
        const std::size_t comment_end =
            end_of_next_comment == at + 3 ? end_of_second_comment : end_of_next_comment;
        if (line.substr(at, 2) == "/*" && comment_end != line.npos)
            whitespace_ends[at] = whitespace_ends[comment_end];
        if (line.substr(at, 2) != "*/") continue;
        end_of_second_comment = end_of_next_comment;
        end_of_next_comment = at + 2;
    }
    return whitespace_ends;
}

/// The name of a directive, which follows a #, and the text after the name.
struct Directive {
    std::string_view name, arguments;
};

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns the names and numbers in a text, in order.
std::vector<std::string_view> find_names(std::string_view text) {
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
    std::vector<Directive> directives;
    const std::vector<std::size_t> whitespace_ends = find_ends_of_whitespace(line);
    std::size_t last_comment = line.npos;  // several comments may precede the same #
    const auto find_character_before = [&](std::size_t at) {
        if (std::exchange(last_comment, whitespace_ends[at]) == whitespace_ends[at]) return;
        for (const std::string_view hash : {"#", "%:", "\?\?="}) {
            if (!line.substr(whitespace_ends[at]).starts_with(hash)) continue;
            const std::size_t begin = whitespace_ends[whitespace_ends[at] + hash.size()];
            const auto end = static_cast<std::size_t>(
                std::find_if_not(line.begin() + begin, line.end(), is_letter) - line.begin());
            directives.push_back(
                {line.substr(begin, end - begin), line.substr(whitespace_ends[end])});
            return;
        }
    };
    find_character_before(0);
    for (std::size_t end = line.find("*/"); end != line.npos; end = line.find("*/", end + 2)) {
        find_character_before(end + 2);
    }
    return directives;
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
                if (directive.name == "define") add_definition(directive.arguments);
            }
        }
        while (!unvisited_names_.empty()) {
            const auto user_entry = users_.find(unvisited_names_.back());
            unvisited_names_.pop_back();
            if (user_entry == users_.end()) continue;
            for (const std::string_view macro_name : user_entry->second) add(macro_name);
        }
    }
    bool empty() const { return pasting_macros_.empty(); }
    /// Reports whether the text contains the name of one of the macros.
    bool are_used_in(std::string_view text) const {
        return std::ranges::any_of(find_names(text), [&](std::string_view name) {
            return pasting_macros_.contains(name);
        });
    }

private:
    void add_definition(std::string_view definition) {
        const std::vector<std::string_view> names = find_names(definition);
        if (names.empty()) return;
        for (const std::string_view used_name : names) users_[used_name].push_back(names.front());
        for (const std::string_view paste_operator : {"##", "%:%:", "\?\?=\?\?="}) {
            if (definition.find(paste_operator) != definition.npos) add(names.front());
        }
    }
    void add(std::string_view macro) {
        if (pasting_macros_.insert(macro).second) unvisited_names_.push_back(macro);
    }

    /// For each name, the macros whose definitions contain it.
    std::map<std::string_view, std::vector<std::string_view>> users_;
    std::set<std::string_view> pasting_macros_;
    std::vector<std::string_view> unvisited_names_;
};

/// Reports whether the text contains a name that is a prefix of __has_include or __has_embed.
bool has_beginning_of_question(const std::vector<JoinedLine>& lines) {
    const auto is_beginning = [](std::string_view name) {
        return name.size() > 2 && (std::string_view("__has_include").starts_with(name) ||
                                   std::string_view("__has_embed").starts_with(name));
    };
    return std::ranges::any_of(lines, [&](const JoinedLine& line) {
        return std::ranges::any_of(find_names(line.text), is_beginning);
    });
}

Failure refuse_include(const std::string& file, int line, const std::string& headline) {
    return {.kind = FailureKind::include_refused,
            .headline = headline,
            .place = {file, line, 0},
            .advice =
                "Remove the line, and write the code that you need into the file itself. An "
                "exercise needs no #include at all."};
}

}  // namespace

Failure find_refused_include(const std::string& text, const std::string& file_name) {
    constexpr std::string_view include_directives[] = {"include", "include_next", "import",
                                                       "embed"};
    std::vector<JoinedLine> lines = join_lines(text);
    if (has_clear_line_ends(text)) lines = remove_sure_comments(std::move(lines));
    const PastingMacros pasting_macros(lines);
    // Conditions in the toolkit's headers may expand macros that the learner's file defines.
    const bool pastes_question = !pasting_macros.empty() && has_beginning_of_question(lines);
    for (const JoinedLine& line : lines) {
        // These directives reveal whether a file exists.
        const bool checks_for_files = line.text.find("__has_include") != line.text.npos ||
                                      line.text.find("__has_embed") != line.text.npos;
        for (const auto& [word, arguments] : find_directives(line.text)) {
            // The comment after this `#` continues on the next line, and may hide a directive
            // there.
            if (word.empty() && arguments.starts_with("/*")) {
                return refuse_include(file_name, line.number,
                                      "a comment hides the name of this directive.");
            }
            if (word.empty()) continue;
            const bool is_condition = word == "if" || word == "elif";
            if ((is_condition && pasting_macros.are_used_in(arguments)) ||
                (word == "define" && pastes_question)) {
                return refuse_include(
                    file_name, line.number,
                    "a preprocessor condition may not use names that are formed with ##, because "
                    "such names could test whether other files exist.");
            }
            if (checks_for_files) {
                return refuse_include(file_name, line.number,
                                      "a kernel's file may not test whether other files exist.");
            }
            if (std::find(std::begin(include_directives), std::end(include_directives), word) ==
                std::end(include_directives)) {
                continue;
            }
            const std::string_view name = strip_include_quotes(arguments);
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
