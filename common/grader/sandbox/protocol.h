// The messages between the two sides of a jail's socket. They are plain structures, because both sides are built
// together and run on one computer.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace coalesce::grader {

/// A message of the grader. It carries four descriptors: the request, the answer, the worker's socket.
struct JobMessage {
    std::int64_t processor_seconds = 0;
    std::int64_t memory_bytes = 0;
};

/// A message of the jail after the worker has ended.
struct EndMessage {
    enum How : std::int64_t { exited, signalled, not_started };
    std::int64_t how = exited;
    std::int64_t code = 0;
    std::int64_t processor_milliseconds = 0;
};

/// The descriptor of the socket in the jail's program.
constexpr int kControlDescriptor = 3;
/// The exit code of a worker that could not be restricted, so that nothing ran.
constexpr int kNotRestricted = 120;
/// The exit code of a worker that noticed that its memory ran out.
constexpr int kNoMemoryLeft = 121;

/// The environment variable of a jail whose compiler is clang: the command line of clang and its name.
constexpr const char* kClangVariable = "COALESCE_JAIL_CLANG";
constexpr char kBetweenWords = '\x1f';
constexpr const char* kClangNameVariable = "COALESCE_JAIL_CLANG_NAME";

template <class Structure>
std::string_view bytes_of(const Structure& structure) {
    return {reinterpret_cast<const char*>(&structure), sizeof structure};
}

template <class Structure>
std::optional<Structure> structure_in(std::string_view bytes) {
    Structure structure;
    if (bytes.size() != sizeof structure) return std::nullopt;
    std::memcpy(&structure, bytes.data(), sizeof structure);
    return structure;
}

}  // namespace coalesce::grader
