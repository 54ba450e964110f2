// Defines the messages that a grader and a jail exchange through a socket. The messages are plain
// structs, because both processes come from the same build and run on the same computer.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace coalesce::grader {

/// A message from the grader that starts a job. Three file descriptors are sent with it: the
/// request, the answer, and the worker's socket.
struct JobMessage {
    std::int64_t processor_seconds = 0;
    std::int64_t memory_bytes = 0;
};

/// A message from the jail, sent after the worker has ended.
struct EndMessage {
    enum EndKind : std::int64_t { exited, signalled, not_started };
    std::int64_t end_kind = exited;
    std::int64_t code = 0;
    std::int64_t processor_milliseconds = 0;
};

/// The file descriptor of the jail's end of the socket.
constexpr int kControlDescriptor = 3;
/// The exit code of a worker that could not apply its restrictions. Such a worker has not run any
/// job.
constexpr int kNotRestrictedStatus = 120;
/// The exit code of a worker that could not allocate memory.
constexpr int kOutOfMemoryStatus = 121;

/// The environment variables that describe clang to a jail: its command line, and its name and
/// version.
constexpr const char* kClangVariable = "COALESCE_JAIL_CLANG";
constexpr char kWordSeparator = '\x1f';
constexpr const char* kClangNameVariable = "COALESCE_JAIL_CLANG_NAME";

template <class Structure>
std::string_view structure_bytes(const Structure& structure) {
    return {reinterpret_cast<const char*>(&structure), sizeof structure};
}

template <class Structure>
std::optional<Structure> parse_structure(std::string_view bytes) {
    Structure structure;
    if (bytes.size() != sizeof structure) return std::nullopt;
    std::memcpy(&structure, bytes.data(), sizeof structure);
    return structure;
}

}  // namespace coalesce::grader
