#include "learn/ptx_listing.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "base/kernel_name.h"
#include "base/text.h"
#include "harness/text.h"

namespace coalesce::learn {
namespace {

// The file, line and column in a `.loc` directive.
using Position = std::tuple<int, int, int>;

std::string without_comments(const std::string& text) {
    std::string kept;
    for (const std::string& line : lines_of(text)) kept += line.substr(0, line.find("//")) + "\n";
    return kept;
}

// Replaces each run of whitespace and line breaks with a single space.
std::string in_one_line(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

// Returns the text between the braces of a kernel, without comments. Returns "" if there is no such
// kernel.
std::string body_of(const std::string& ptx, const std::string& entry) {
    const std::regex head(R"(\.entry\s+)" +
                          std::regex_replace(entry, std::regex(R"(\$)"), R"(\$)") + R"(\s*\()");
    std::smatch found;
    const std::string text = without_comments(ptx);
    if (!std::regex_search(text, found, head)) return "";
    const size_t parameters = text.find(')', static_cast<size_t>(found.position()));
    const size_t begin = text.find('{', parameters);
    int depth = 0;
    for (size_t at = begin; at < text.size(); ++at) {
        depth += text[at] == '{';
        depth -= text[at] == '}';
        if (depth == 0) return text.substr(begin + 1, at - begin - 1);
    }
    return "";
}

// Returns the numbers that `.file` directives assign to the source file.
std::set<int> find_file_numbers(const std::string& ptx, const std::string& source) {
    static const std::regex line(R"(\.file\s+(\d+)\s+"([^"]*)\"(?:\s+"([^"]*)\")?)");
    std::set<int> files;
    for (std::sregex_iterator one(ptx.begin(), ptx.end(), line), none; one != none; ++one) {
        // Newer PTX stores the folder and the file name in separate strings.
        const std::string path = (*one)[3].matched ? one->str(2) + "/" + one->str(3) : one->str(2);
        if (path.ends_with(source)) files.insert(std::stoi(one->str(1)));
    }
    return files;
}

// Replaces names that the compiler generated with the names in the source.
std::string simplify_names(std::string text, const std::string& entry) {
    const std::string parameter = entry + "_param_";
    for (size_t at; (at = text.find(parameter)) != text.npos;) {
        text.replace(at, parameter.size(), "param_");
    }
    static const std::regex local(R"(_ZZ\w+)");
    std::smatch found;
    while (std::regex_search(text, found, local)) {
        const std::string name = demangled(found.str());
        const size_t last = name.rfind("::");
        if (last == name.npos) break;
        text.replace(static_cast<size_t>(found.position()), found.str().size(),
                     name.substr(last + 2));
    }
    return text;
}

// Parses the body of a kernel, one statement at a time.
class ListingReader {
public:
    ListingReader(const std::string& entry, std::set<int> files, int kernel_line)
        : entry_(entry), files_(std::move(files)), line_(kernel_line) {}

    PtxListing read(const std::string& body) {
        for (size_t at = 0; at < body.size(); ++at) {
            const char sign = body[at];
            if (sign == '\n' && statement().starts_with(".loc")) {
                note_place(statement());
                pending_.clear();
            } else if (sign == ';') {
                add(statement() + ";");
            } else if ((sign == '{' || sign == '}') && statement().empty()) {
                pending_.clear();  // a scope begins or ends
            } else if (sign == ':' && is_label(body, at)) {
                labels_.push_back(statement() + ":");
                pending_.clear();
            } else {
                pending_ += sign;
            }
        }
        keep_labels_in_use();
        return std::move(listing_);
    }

private:
    std::string statement() const { return in_one_line(pending_); }

    // Reports whether the colon at `at` ends a label. The colons in "shared::cta" do not.
    bool is_label(const std::string& body, size_t at) const {
        const auto is = [&](size_t place) { return place < body.size() && body[place] == ':'; };
        const std::string name = statement();
        return !is(at - 1) && !is(at + 1) && !name.empty() &&
               name.find_first_of(" .%@") == name.npos;
    }

    void add(const std::string& text) {
        pending_.clear();
        if (text.starts_with('.')) return;  // skip declarations
        std::vector<PtxInstruction>& here = listing_.lines[line_];
        for (std::string& label : labels_) here.push_back({0, std::move(label)});
        labels_.clear();
        here.push_back({++listing_.instructions, simplify_names(text, entry_)});
    }

    // Parses ".loc 1 24 5" or ".loc 2 107 3, function_name X, inlined_at 1 12 5".
    void note_place(const std::string& loc) {
        static const std::regex form(
            R"(\.loc (\d+) (\d+) (\d+)(?:.*inlined_at (\d+) (\d+) (\d+))?.*)");
        std::smatch found;
        if (!std::regex_match(loc, found, form)) return;
        const auto number = [&](size_t group) { return std::stoi(found.str(group)); };
        const Position place{number(1), number(2), number(3)};
        if (found[4].matched) call_sites_[place] = {number(4), number(5), number(6)};
        if (const int known = line_of(place); known > 0) line_ = known;
    }

    // Returns the line of the learner's file that corresponds to a position in any file, or 0 if
    // the line is unknown. Code that was inlined from another file belongs to the line that calls
    // it.
    int line_of(Position place) const {
        constexpr int most_calls = 16;
        for (int call = 0; call < most_calls; ++call) {
            if (files_.contains(std::get<0>(place))) return std::get<1>(place);
            const auto caller = call_sites_.find(place);
            if (caller == call_sites_.end()) break;
            place = caller->second;
        }
        return 0;
    }

    // Removes labels that are not the target of any jump. Compilers emit such labels.
    void keep_labels_in_use() {
        std::string all;
        for (auto& [number, instructions] : listing_.lines) {
            for (auto& one : instructions) all += one.position > 0 ? one.text + " " : "";
        }
        for (auto& [number, instructions] : listing_.lines) {
            std::erase_if(instructions, [&](const PtxInstruction& one) {
                const std::string name = one.text.substr(0, one.text.size() - 1);
                return one.position == 0 && all.find(name + ";") == all.npos &&
                       all.find(name + ",") == all.npos;
            });
        }
    }

    const std::string& entry_;
    const std::set<int> files_;
    int line_;
    std::string pending_;
    std::vector<std::string> labels_;
    std::map<Position, Position> call_sites_;
    PtxListing listing_;
};

// Shortens a line without splitting a UTF-8 character.
std::string cut(const std::string& text, int columns) {
    const auto most = static_cast<size_t>(columns);
    if (text.size() <= most) return text;
    size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

std::string format_instruction(const PtxInstruction& one, int columns) {
    if (one.position == 0) return cut(std::string(11, ' ') + one.text, columns) + "\n";
    const bool is_guarded = one.text.starts_with('@');
    const size_t guard = is_guarded ? one.text.find(' ') + 1 : 0;
    const size_t blank = std::min(one.text.find(' ', guard), one.text.size());
    const std::string operands = blank < one.text.size() ? one.text.substr(blank + 1) : "";
    const std::string line =
        format("%13d  %-18s %s", one.position, one.text.substr(0, blank).c_str(), operands.c_str());
    return cut(line.substr(0, line.find_last_not_of(' ') + 1), columns) + "\n";
}

}  // namespace

PtxListing make_listing(const std::string& ptx, const std::string& entry, const std::string& source,
                        int kernel_line) {
    return ListingReader(entry, find_file_numbers(ptx, source), kernel_line)
        .read(body_of(ptx, entry));
}

std::string text_of(const PtxListing& listing, const std::string& source_text, int columns) {
    constexpr int most_between = 3;
    const std::vector<std::string> source = lines_of(source_text);
    const auto line_of_source = [&](int number) {
        const bool is_there = number >= 1 && static_cast<size_t>(number) <= source.size();
        const std::string& text = is_there ? source[static_cast<size_t>(number - 1)] : "";
        const std::string shown = format("%5d | ", number) + text;
        return cut(shown.substr(0, shown.find_last_not_of(" \r") + 1), columns) + "\n";
    };
    std::string text;
    int last = 0;
    for (const auto& [number, instructions] : listing.lines) {
        if (last > 0 && number - last - 1 > most_between) {
            text += "  ...\n";
        } else if (last > 0) {
            for (int between = last + 1; between < number; ++between)
                text += line_of_source(between);
        }
        text += line_of_source(number);
        for (const PtxInstruction& one : instructions) text += format_instruction(one, columns);
        last = number;
    }
    return text;
}

}  // namespace coalesce::learn
