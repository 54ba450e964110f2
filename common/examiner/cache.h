// A folder that caches the results of slow computations. The key of a result contains all inputs of
// the computation.
//
// Each entry contains its whole key, so two keys never share an entry. A checksum detects truncated
// and damaged entries, which are ignored and replaced. New files are written under a temporary name
// and then renamed. If the cache cannot be read or written, the results are computed again, and no
// error is reported.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace coalesce {

/// Returns the 64-bit FNV-1a hash of a string as 16 hexadecimal digits. The hash detects changes,
/// but does not protect against forgery.
std::string hash_text(const std::string& text);

/// Returns a string that changes when the file changes. The string contains the path, the size and
/// the modification time of the file, or only the path if the file does not exist.
std::string file_fingerprint(const std::string& path);

/// A folder of cache entries.
class Cache {
public:
    /// The maximum number of entries of one kind. If a kind has more entries, its oldest ones are
    /// removed until half of the maximum remains.
    static constexpr std::size_t kMaxEntries = 256;

    /// Opens the cache in `folder`. If `folder` is empty, the cache stores nothing.
    explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Returns the value that is stored under `kind` and `key`, or nothing if there is none.
    std::optional<std::string> find(const std::string& kind, const std::string& key) const;
    /// Stores `value` under `kind` and `key`.
    void save_cached(const std::string& kind, const std::string& key,
                     const std::string& value) const;

private:
    std::filesystem::path entry_path(const std::string& kind, const std::string& key) const;

    std::filesystem::path folder_;
};

}  // namespace coalesce
