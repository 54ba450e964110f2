#include "examiner/wrapper.h"

#include <string_view>

#include "base/text.h"
#include "examiner/compile.h"
#include "examiner/safe_text.h"
#include "examiner/signature.h"
#include "examiner/source_lines.h"

namespace coalesce {

const char* const kConfigureEntry = "coalesce_configure";

namespace {

constexpr const char* kPrologueName = "/coalesce/front";
constexpr const char* kEpilogueName = "/coalesce/back";
/// The number of the line in `epilogue` that calls `configure`, counted from 1.
constexpr int kConfigureLine = 2;

/// The lines that precede the learner's file when clang compiles it. The command line has already
/// included the project's headers (-include). Functions without __device__ are compiled for the
/// device as well, as in NVRTC. The date macros are fixed, so that a kernel does not depend on the
/// current day.
constexpr const char* kClangPrologue = R"(#include <assert.h>
#pragma clang force_cuda_host_device begin
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"
#define __DATE__ "Jan  1 2000"
#define __TIME__ "12:00:00"
#define __TIMESTAMP__ "Sat Jan  1 12:00:00 2000"
#pragma clang diagnostic pop
)";

/// The maximum number of characters between the parentheses of an alignas that
/// move_alignas_forward() moves.
constexpr std::size_t kMaxAlignasLength = 200;

/// The name of the header that a learner's file may include. The directive has no effect, because
/// the header's text already precedes the file.
constexpr std::string_view kHeaderName = "\"exercise.h\"";

/// Returns the source of a kernel that calls `configure` with the sizes and stores its result.
std::string epilogue(const std::vector<std::string>& sizes) {
    return "extern \"C\" __global__ void coalesce_configure(long long* to, " +
           declare_sizes(sizes) + ") {\n    const ::Launch launch = ::configure(" +
           joined(sizes, ", ") + R"();
    to[0] = launch.grid.x; to[1] = launch.grid.y; to[2] = launch.grid.z;
    to[3] = launch.block.x; to[4] = launch.block.y; to[5] = launch.block.z;
    to[6] = launch.shared_bytes.value;
}
)";
}

/// Converts the text to UTF-8, which compilers require. Comments may be in any encoding, and NVRTC
/// would treat a byte with the value 255 as the end of the file.
std::string to_valid_utf8(std::string text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(std::string_view(text).substr(i));
        if (length == 0) text[i] = '?';
        i += length == 0 ? 1 : length;
    }
    return text;
}

/// Moves alignas to the front: `__shared__ alignas(...)`, with any words before it, becomes
/// `alignas(...) __shared__`. clang takes alignas only at the beginning of a declaration. The
/// length of the text does not change.
std::string move_alignas_forward(const std::string& text) {
    constexpr std::string_view whitespace = " \t\r\n", shared_keyword = "__shared__",
                               alignas_keyword = "alignas";
    std::string moved_text = text;
    for (std::size_t at = text.find(shared_keyword); at != text.npos;
         at = text.find(shared_keyword, at + 1)) {
        const std::size_t alignas_begin =
            text.find_first_not_of(whitespace, at + shared_keyword.size());
        if (alignas_begin == text.npos ||
            text.compare(alignas_begin, alignas_keyword.size(), alignas_keyword) != 0)
            continue;
        const std::size_t opening_position =
            text.find_first_not_of(whitespace, alignas_begin + alignas_keyword.size());
        if (opening_position == text.npos || text[opening_position] != '(') continue;
        const std::string text_after_word = text.substr(opening_position, kMaxAlignasLength);
        const std::size_t length = find_closing_bracket(text_after_word, 0) + 1;
        if (length > text_after_word.size()) continue;
        const std::size_t end = opening_position + length;
        std::size_t begin = at;
        for (const std::string_view specifier : {"extern", "static"}) {
            const std::size_t specifier_end =
                text.find_last_not_of(whitespace, begin - (begin > 0));
            const bool precedes =
                specifier_end != text.npos && specifier_end + 1 >= specifier.size() &&
                text.compare(specifier_end + 1 - specifier.size(), specifier.size(), specifier) ==
                    0;
            if (precedes) begin = specifier_end + 1 - specifier.size();
        }
        moved_text.replace(begin, end - begin,
                           text.substr(alignas_begin, end - alignas_begin) +
                               text[alignas_begin - 1] +
                               text.substr(begin, alignas_begin - 1 - begin));
    }
    return moved_text;
}

/// Returns where the directive `#include` begins whose header name is at `name_begin`, or npos if the
/// name belongs to no such directive. A directive may contain blanks, and `%:` means `#`.
std::size_t find_include_begin(std::string_view text, std::size_t name_begin) {
    const auto without_blanks = [](std::string_view line) {
        return line.substr(0, line.find_last_not_of(" \t") + 1);
    };
    constexpr std::string_view kInclude = "include";
    std::string_view before = without_blanks(text.substr(0, name_begin));
    if (!before.ends_with(kInclude)) return text.npos;
    before.remove_suffix(kInclude.size());
    before = without_blanks(before);
    const std::size_t mark_length = before.ends_with("#") ? 1 : before.ends_with("%:") ? 2 : 0;
    if (mark_length == 0) return text.npos;
    before.remove_suffix(mark_length);
    const std::string_view line_begin = without_blanks(before);
    const bool is_first_in_line = line_begin.empty() || line_begin.ends_with("\n");
    return is_first_in_line ? before.size() : text.npos;
}

/// Replaces each `#include "exercise.h"` with spaces, so that no compiler searches for that file.
std::string blank_out_header_include(std::string text) {
    for (std::size_t at = 0; (at = text.find(kHeaderName, at)) != text.npos;) {
        const std::size_t end = at + kHeaderName.size();
        const std::size_t begin = find_include_begin(text, at);
        if (begin != text.npos) text.replace(begin, end - begin, end - begin, ' ');
        at = end;
    }
    return text;
}

std::string line_directive(const char* file) {
    return std::string("#line 1 \"") + file + "\"\n";
}

}  // namespace

std::string learner_text(const std::string& text) {
    // Remove a byte order mark, because only editors use it.
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    return to_valid_utf8(blank_out_header_include(
        text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text));
}

std::string wrap_source(const std::string& text, Dialect dialect,
                        const std::vector<std::string>& sizes) {
    std::string wrapped_source = line_directive(kPrologueName);
    if (dialect == Dialect::bare_clang) wrapped_source += kClangPrologue;
    wrapped_source += exercise_header();
    wrapped_source += line_directive(kLearnerFile);
    const std::string file = learner_text(text);
    wrapped_source += dialect == Dialect::bare_clang ? move_alignas_forward(file) : file;
    // Add two line breaks, so that a backslash at the end of the file does not join the next line
    // to it.
    wrapped_source += "\n\n";
    if (dialect == Dialect::bare_clang)
        wrapped_source += "#pragma clang force_cuda_host_device end\n";
    return wrapped_source + line_directive(kEpilogueName) + epilogue(sizes);
}

PlaceKind classify_place(const std::string& file, int line) {
    if (file == kEpilogueName) {
        return line == kConfigureLine ? PlaceKind::configure : PlaceKind::ours;
    }
    return file == kLearnerFile ? PlaceKind::learner_file : PlaceKind::ours;
}

}  // namespace coalesce
