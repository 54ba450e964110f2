// What was slow to make, kept in a folder by what it was made of.
//
// An entry holds the whole key, so that two keys never share one, and a checksum of itself: what
// was cut short or damaged counts as not there and is written again. Files are written whole, under
// another name first. No failure here is an error: without a cache everything is merely slower.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace coalesce {

/// A hash of some text (FNV-1a, 64 bits) as 16 hexadecimal digits: for names and checks, not against forgery.
std::string hash_text(const std::string& text);

/// Path, size and time of a file: another version has another. Where there is none, the path alone.
std::string identity_of(const std::string& path);

/// A folder of entries.
class Cache {
public:
    /// Of each kind; beyond that the older half goes.
    static constexpr std::size_t kMostEntries = 256;

    /// "": nothing is kept.
    explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// What was kept under that key.
    std::optional<std::string> find(const std::string& kind, const std::string& key) const;
    /// Keeps it.
    void keep(const std::string& kind, const std::string& key, const std::string& value) const;

private:
    std::filesystem::path file_of(const std::string& kind, const std::string& key) const;

    std::filesystem::path folder_;
};

}  // namespace coalesce
