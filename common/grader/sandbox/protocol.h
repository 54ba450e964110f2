// What the two sides of a jail's socket say to each other: plain structures, for both sides are built
// together and run on one machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace coalesce::grader {

/// Of the grader, with four descriptors: the request, the answer, the worker's socket.
struct JobMessage {
    std::int64_t processor_seconds = 0;
    std::int64_t memory_bytes = 0;
};

/// Of the jail, when the worker is dead.
struct EndMessage {
    enum How : std::int64_t { exited, signalled, not_started };
    std::int64_t how = exited;
    std::int64_t code = 0;
    std::int64_t processor_milliseconds = 0;
};

/// Where the jail's program finds its socket.
constexpr int kControlDescriptor = 3;
/// A worker that could not be restricted ends with this: nothing was run.
constexpr int kNotRestricted = 120;
/// A worker whose memory ran out, and that noticed.
constexpr int kNoMemoryLeft = 121;

/// In the environment of a jail whose compiler is clang: the words that call it, and its name.
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
