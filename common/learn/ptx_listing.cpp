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

std::string remove_comments(const std::string& text) {
    std::string code;
    for (const std::string& line : lines_of(text)) code += line.substr(0, line.find("//")) + "\n";
    return code;
}

// Replaces each run of whitespace and line breaks with a single space.
std::string join_lines(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

// Returns the text between the braces of a kernel, without comments. Returns "" if there is no such
// kernel.
std::string find_body(const std::string& ptx, const std::string& entry) {
    const std::regex entry_pattern(
        R"(\.entry\s+)" + std::regex_replace(entry, std::regex(R"(\$)"), R"(\$)") + R"(\s*\()");
    std::smatch match;
    const std::string text = remove_comments(ptx);
    if (!std::regex_search(text, match, entry_pattern)) return "";
    const size_t parameters_end = text.find(')', static_cast<size_t>(match.position()));
    const size_t begin = text.find('{', parameters_end);
    int depth = 0;
    for (size_t position = begin; position < text.size(); ++position) {
        depth += text[position] == '{';
        depth -= text[position] == '}';
        if (depth == 0) return text.substr(begin + 1, position - begin - 1);
    }
    return "";
}

// Returns the numbers that `.file` directives assign to the source file.
std::set<int> find_file_numbers(const std::string& ptx, const std::string& source) {
    static const std::regex line(R"(\.file\s+(\d+)\s+"([^"]*)\"(?:\s+"([^"]*)\")?)");
    std::set<int> files;
    for (std::sregex_iterator file_match(ptx.begin(), ptx.end(), line), no_match;
         file_match != no_match; ++file_match) {
        // Newer PTX stores the folder and the file name in separate strings.
        const std::string path = (*file_match)[3].matched
                                     ? file_match->str(2) + "/" + file_match->str(3)
                                     : file_match->str(2);
        if (path.ends_with(source)) files.insert(std::stoi(file_match->str(1)));
    }
    return files;
}

// Replaces names that the compiler generated with the names in the source.
std::string simplify_names(std::string text, const std::string& entry) {
    const std::string parameter = entry + "_param_";
    for (size_t position; (position = text.find(parameter)) != text.npos;) {
        text.replace(position, parameter.size(), "param_");
    }
    static const std::regex local_name_pattern(R"(_ZZ\w+)");
    std::smatch match;
    while (std::regex_search(text, match, local_name_pattern)) {
        const std::string name = demangled(match.str());
        const size_t last_separator = name.rfind("::");
        if (last_separator == name.npos) break;
        text.replace(static_cast<size_t>(match.position()), match.str().size(),
                     name.substr(last_separator + 2));
    }
    return text;
}

// Parses the body of a kernel, one statement at a time.
class ListingReader {
public:
    ListingReader(const std::string& entry, std::set<int> files, int kernel_line)
        : entry_(entry), files_(std::move(files)), line_(kernel_line) {}

    PtxListing read(const std::string& body) {
        for (size_t position = 0; position < body.size(); ++position) {
            const char character = body[position];
            if (character == '\n' && statement().starts_with(".loc")) {
                record_position(statement());
                pending_.clear();
            } else if (character == ';') {
                add(statement() + ";");
            } else if ((character == '{' || character == '}') && statement().empty()) {
                pending_.clear();  // a scope begins or ends
            } else if (character == ':' && is_label(body, position)) {
                labels_.push_back(statement() + ":");
                pending_.clear();
            } else {
                pending_ += character;
            }
        }
        keep_labels_in_use();
        return std::move(listing_);
    }

private:
    std::string statement() const { return join_lines(pending_); }

    // Reports whether the colon at `colon_position` ends a label. The colons in "shared::cta" do
    // not.
    bool is_label(const std::string& body, size_t colon_position) const {
        const auto is_colon = [&](size_t index) {
            return index < body.size() && body[index] == ':';
        };
        const std::string name = statement();
        return !is_colon(colon_position - 1) && !is_colon(colon_position + 1) && !name.empty() &&
               name.find_first_of(" .%@") == name.npos;
    }

    void add(const std::string& text) {
        pending_.clear();
        if (text.starts_with('.')) return;  // skip declarations
        std::vector<PtxInstruction>& line_instructions = listing_.lines[line_];
        for (std::string& label : labels_) line_instructions.push_back({0, std::move(label)});
        labels_.clear();
        line_instructions.push_back({++listing_.instructions, simplify_names(text, entry_)});
    }

    // Parses ".loc 1 24 5" or ".loc 2 107 3, function_name X, inlined_at 1 12 5".
    void record_position(const std::string& loc) {
        static const std::regex loc_pattern(
            R"(\.loc (\d+) (\d+) (\d+)(?:.*inlined_at (\d+) (\d+) (\d+))?.*)");
        std::smatch match;
        if (!std::regex_match(loc, match, loc_pattern)) return;
        const auto number_in_group = [&](size_t group) { return std::stoi(match.str(group)); };
        const Position position{number_in_group(1), number_in_group(2), number_in_group(3)};
        if (match[4].matched)
            call_sites_[position] = {number_in_group(4), number_in_group(5), number_in_group(6)};
        if (const int known_line = line_of(position); known_line > 0) line_ = known_line;
    }

    // Returns the line of the learner's file that corresponds to a position in any file, or 0 if
    // the line is unknown. Code that was inlined from another file belongs to the line that calls
    // it.
    int line_of(Position position) const {
        constexpr int max_calls = 16;
        for (int call = 0; call < max_calls; ++call) {
            if (files_.contains(std::get<0>(position))) return std::get<1>(position);
            const auto caller = call_sites_.find(position);
            if (caller == call_sites_.end()) break;
            position = caller->second;
        }
        return 0;
    }

    // Removes labels that are not the target of any jump. Compilers emit such labels.
    void keep_labels_in_use() {
        std::string used_text;
        for (auto& [number, instructions] : listing_.lines) {
            for (auto& instruction : instructions)
                used_text += instruction.position > 0 ? instruction.text + " " : "";
        }
        for (auto& [number, instructions] : listing_.lines) {
            std::erase_if(instructions, [&](const PtxInstruction& instruction) {
                const std::string name = instruction.text.substr(0, instruction.text.size() - 1);
                return instruction.position == 0 && used_text.find(name + ";") == used_text.npos &&
                       used_text.find(name + ",") == used_text.npos;
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
std::string shorten_line(const std::string& text, int columns) {
    const auto max_length = static_cast<size_t>(columns);
    if (text.size() <= max_length) return text;
    size_t end = max_length - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

std::string format_instruction(const PtxInstruction& instruction, int columns) {
    if (instruction.position == 0)
        return shorten_line(std::string(11, ' ') + instruction.text, columns) + "\n";
    const bool is_guarded = instruction.text.starts_with('@');
    const size_t opcode_begin = is_guarded ? instruction.text.find(' ') + 1 : 0;
    const size_t opcode_end =
        std::min(instruction.text.find(' ', opcode_begin), instruction.text.size());
    const std::string operands =
        opcode_end < instruction.text.size() ? instruction.text.substr(opcode_end + 1) : "";
    const std::string line =
        format("%13d  %-18s %s", instruction.position,
               instruction.text.substr(0, opcode_end).c_str(), operands.c_str());
    return shorten_line(line.substr(0, line.find_last_not_of(' ') + 1), columns) + "\n";
}

}  // namespace

PtxListing make_listing(const std::string& ptx, const std::string& entry, const std::string& source,
                        int kernel_line) {
    return ListingReader(entry, find_file_numbers(ptx, source), kernel_line)
        .read(find_body(ptx, entry));
}

std::string text_of(const PtxListing& listing, const std::string& source_text, int columns) {
    constexpr int max_gap_lines = 3;
    const std::vector<std::string> source = lines_of(source_text);
    const auto line_of_source = [&](int number) {
        const bool is_in_source = number >= 1 && static_cast<size_t>(number) <= source.size();
        const std::string& text = is_in_source ? source[static_cast<size_t>(number - 1)] : "";
        const std::string line_text = format("%5d | ", number) + text;
        return shorten_line(line_text.substr(0, line_text.find_last_not_of(" \r") + 1), columns) +
               "\n";
    };
    std::string text;
    int last_line = 0;
    for (const auto& [number, instructions] : listing.lines) {
        if (last_line > 0 && number - last_line - 1 > max_gap_lines) {
            text += "  ...\n";
        } else if (last_line > 0) {
            for (int gap_line = last_line + 1; gap_line < number; ++gap_line)
                text += line_of_source(gap_line);
        }
        text += line_of_source(number);
        for (const PtxInstruction& instruction : instructions)
            text += format_instruction(instruction, columns);
        last_line = number;
    }
    return text;
}

}  // namespace coalesce::learn
