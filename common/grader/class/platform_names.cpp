#include "grader/class/platform_names.h"

namespace coalesce::grader {
namespace {

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Reads "NAME_42_assignsubmission_file_REST", where the last underscore and REST may be missing.
std::optional<PlatformName> parse_moodle_name(const std::string& name) {
    const std::string submission_mark = "_assignsubmission_";
    const std::size_t end = name.rfind(submission_mark);
    if (end == name.npos || end == 0) return std::nullopt;
    const std::size_t id_separator = name.rfind('_', end - 1);
    if (id_separator == name.npos || id_separator == 0) return std::nullopt;
    const std::string id = name.substr(id_separator + 1, end - id_separator - 1);
    if (!is_number(id)) return std::nullopt;
    PlatformName parsed{
        .student = name.substr(0, id_separator) + " (" + id + ")",
        .file = {},
        .feedback_path = name.substr(0, end) + "_assignsubmission_file_/feedback.md"};
    const std::size_t kind_end = name.find('_', end + submission_mark.size());
    if (kind_end != name.npos) parsed.file = name.substr(kind_end + 1);
    return parsed;
}

// Removes the number that Canvas adds to a file that was submitted again, such as "-2" in
// "kernel-2.cu".
std::string strip_version(const std::string& file) {
    const std::size_t dot = file.find('.');
    if (dot == file.npos) return file;
    const std::size_t version_dash = file.rfind('-', dot);
    if (version_dash == file.npos || version_dash == 0 ||
        !is_number(file.substr(version_dash + 1, dot - version_dash - 1)))
        return file;
    return file.substr(0, version_dash) + file.substr(dot);
}

// Reads "lovelaceada_LATE_1815_7_REST", where LATE may be missing.
std::optional<PlatformName> parse_canvas_name(const std::string& name) {
    std::size_t begin = 0;
    const auto take_part = [&] {
        const std::size_t end = name.find('_', begin);
        if (end == name.npos) return std::string();
        const std::string part = name.substr(begin, end - begin);
        begin = end + 1;
        return part;
    };
    const std::string student = take_part();
    std::string id = take_part();
    const bool is_late = id == "LATE";
    if (is_late) id = take_part();
    const std::string submission = take_part();
    if (student.empty() || !is_number(id) || !is_number(submission) || begin == name.size())
        return std::nullopt;
    return PlatformName{.student = student + " (" + id + ")",
                        .file = strip_version(name.substr(begin)),
                        .feedback_path = name.substr(0, begin) + "feedback.md",
                        .is_late = is_late};
}

}  // namespace

std::optional<PlatformName> parse_platform_name(const std::string& name) {
    const auto moodle = parse_moodle_name(name);
    return moodle ? moodle : parse_canvas_name(name);
}

}  // namespace coalesce::grader
