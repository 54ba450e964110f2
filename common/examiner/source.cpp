#include "examiner/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

constexpr const char* kResetAdvice = "./learn reset with the exercise's number restores it.";

Failure failure(FailureKind kind, const std::string& file, int line, const std::string& headline,
                const std::string& advice) {
    return {.kind = kind, .headline = headline, .place = {file, line, 0}, .advice = advice};
}

Failure cannot_open(const std::string& name, int error) {
    if (error == ENOENT || error == ENOTDIR) {
        return failure(FailureKind::file_missing, name, 0, "there is no such file.",
                       std::string("Check the name. If the file was deleted: ") + kResetAdvice);
    }
    return failure(FailureKind::file_unreadable, name, 0,
                   std::string("the file cannot be read: ") + std::strerror(error) + ".",
                   "Look at its permissions: ls -l " + name);
}

Failure explain_too_large(const std::string& name) {
    return failure(FailureKind::file_too_large, name, 0,
                   "the file is larger than 1 MB; an exercise's file is about 2 KB.",
                   "Is this the right file? It should contain only a kernel and its configure.");
}

/// Returns the offset of the first control character that is not allowed in text files. Bytes above
/// 127 are allowed, because comments may contain them.
std::size_t first_binary_byte(const std::string& text) {
    const auto is_binary = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v';
    };
    const auto position = std::find_if(text.begin(), text.end(), is_binary);
    return position == text.end() ? std::string::npos
                                  : static_cast<std::size_t>(position - text.begin());
}

Failure check_text(const std::string& text, const std::string& name) {
    if (text.size() > kLargestSource) return explain_too_large(name);
    if (text.find_first_not_of(" \t\r\n\f\v") == std::string::npos) {
        return failure(
            FailureKind::file_empty, name, 0, "the file is empty.",
            std::string("Write the kernel and configure. If your text was lost: ") + kResetAdvice);
    }
    const std::size_t binary_position = first_binary_byte(text);
    if (binary_position != std::string::npos) {
        return failure(FailureKind::file_binary, name, line_number_at(text, binary_position),
                       "the file contains bytes that are not text, so it is not source code.",
                       std::string("Save the file as text (UTF-8). If the file was overwritten: ") +
                           kResetAdvice);
    }
    return find_refused_include(text, name);
}

}  // namespace

std::string convert_to_line_feeds(std::string text) {
    if (text.find('\n') == text.npos) std::replace(text.begin(), text.end(), '\r', '\n');
    return text;
}

Source make_source(const std::string& text, const std::string& displayed_name) {
    const std::string lines = convert_to_line_feeds(text);
    return {displayed_name, lines, check_text(lines, displayed_name)};
}

Source read_source(const std::filesystem::path& path, const std::string& displayed_name) {
    const std::string name = displayed_name.empty() ? path.string() : displayed_name;
    Source source{name, "", {}};
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) {
        source.problem = cannot_open(name, errno);
    } else if (!S_ISREG(status.st_mode)) {
        source.problem = failure(FailureKind::file_unreadable, name, 0,
                                 S_ISDIR(status.st_mode) ? "this is a folder, not a file."
                                                         : "this is not an ordinary file.",
                                 "Name the file that contains the kernel: kernel.cu");
    } else if (static_cast<std::size_t>(status.st_size) > kLargestSource) {
        source.problem = explain_too_large(name);
    } else if (!read_all(file.get(), source.text, kLargestSource)) {
        source.problem = cannot_open(name, errno);
    } else {
        source.text = convert_to_line_feeds(std::move(source.text));
        source.problem = check_text(source.text, name);
    }
    return source;
}

}  // namespace coalesce
