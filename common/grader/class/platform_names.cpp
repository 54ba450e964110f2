#include "grader/class/platform_names.h"

namespace coalesce::grader {
namespace {

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Reads "NAME_42_assignsubmission_file_REST", where the last underscore and REST may be missing.
std::optional<PlatformName> parse_moodle_name(const std::string& name) {
    const std::string mark = "_assignsubmission_";
    const std::size_t end = name.rfind(mark);
    if (end == name.npos || end == 0) return std::nullopt;
    const std::size_t number = name.rfind('_', end - 1);
    if (number == name.npos || number == 0) return std::nullopt;
    const std::string id = name.substr(number + 1, end - number - 1);
    if (!is_number(id)) return std::nullopt;
    PlatformName parsed{.student = name.substr(0, number) + " (" + id + ")",
                        .file = {},
                        .feedback = name.substr(0, end) + "_assignsubmission_file_/feedback.md"};
    const std::size_t kind_end = name.find('_', end + mark.size());
    if (kind_end != name.npos) parsed.file = name.substr(kind_end + 1);
    return parsed;
}

// Removes the number that Canvas adds to a file that was submitted again, such as "-2" in
// "kernel-2.cu".
std::string without_version(const std::string& file) {
    const std::size_t dot = file.find('.');
    if (dot == file.npos) return file;
    const std::size_t dash = file.rfind('-', dot);
    if (dash == file.npos || dash == 0 || !is_number(file.substr(dash + 1, dot - dash - 1)))
        return file;
    return file.substr(0, dash) + file.substr(dot);
}

// Reads "lovelaceada_LATE_1815_7_REST", where LATE may be missing.
std::optional<PlatformName> parse_canvas_name(const std::string& name) {
    std::size_t begin = 0;
    const auto take = [&] {
        const std::size_t end = name.find('_', begin);
        if (end == name.npos) return std::string();
        const std::string part = name.substr(begin, end - begin);
        begin = end + 1;
        return part;
    };
    const std::string student = take();
    std::string id = take();
    const bool is_late = id == "LATE";
    if (is_late) id = take();
    const std::string submission = take();
    if (student.empty() || !is_number(id) || !is_number(submission) || begin == name.size())
        return std::nullopt;
    return PlatformName{.student = student + " (" + id + ")",
                        .file = without_version(name.substr(begin)),
                        .feedback = name.substr(0, begin) + "feedback.md",
                        .is_late = is_late};
}

}  // namespace

std::optional<PlatformName> parse_platform_name(const std::string& name) {
    const auto moodle = parse_moodle_name(name);
    return moodle ? moodle : parse_canvas_name(name);
}

}  // namespace coalesce::grader
