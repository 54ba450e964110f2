// A folder that stores results that take long to compute, by their inputs.
//
// An entry contains the whole key, so that two keys never share one, and a checksum, so that a truncated or damaged
// entry is ignored and replaced. New files are written under a temporary name and then renamed. Failures are never
// errors: without a cache everything is only slower.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace coalesce {

/// Returns a hash of a text (FNV-1a, 64 bits) as 16 hexadecimal digits. It detects changes, but does not protect
/// against forgery.
std::string hash_text(const std::string& text);

/// Returns the path, size and time of a file, which differ between versions of the file, or only the path if there is
/// no file.
std::string identity_of(const std::string& path);

/// A folder of cache entries.
class Cache {
public:
    /// The number of entries of one kind above which the older half is removed.
    static constexpr std::size_t kMostEntries = 256;

    /// Uses the folder. With "" the cache stores nothing.
    explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Returns the value that was stored under this key.
    std::optional<std::string> find(const std::string& kind, const std::string& key) const;
    /// Stores a value.
    void keep(const std::string& kind, const std::string& key, const std::string& value) const;

private:
    std::filesystem::path file_of(const std::string& kind, const std::string& key) const;

    std::filesystem::path folder_;
};

}  // namespace coalesce
