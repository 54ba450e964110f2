// A folder that caches results that take long to compute. The key of a result is its inputs.
//
// An entry contains the whole key, so that two keys never share an entry, and a checksum, so that a
// truncated or damaged entry is ignored and replaced. New files are written under a temporary name
// and then renamed. Failures of the cache are never errors: without a cache everything is only
// slower.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace coalesce {

/// Returns a hash of a text (FNV-1a, 64 bits) as 16 hexadecimal digits. The hash detects changes,
/// but does not protect against forgery.
std::string hash_text(const std::string& text);

/// Returns the path, size and modification time of a file as one text, which changes whenever the
/// file changes. Returns only the path if the file does not exist.
std::string identity_of(const std::string& path);

/// A folder of cache entries.
class Cache {
public:
    /// The most entries of one kind. If there are more, the oldest entries are removed until half
    /// this number remains.
    static constexpr std::size_t kMostEntries = 256;

    /// Opens the cache in `folder`. If `folder` is empty, the cache stores nothing.
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
