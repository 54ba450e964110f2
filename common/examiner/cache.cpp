#include "examiner/cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "harness/text.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormatVersion = "coalesce cache 1\n";

/// Returns the contents of a cache entry: the format, a checksum, the length of the key, the key
/// and the value.
std::string serialize_entry(const std::string& key, const std::string& value) {
    const std::string content = std::to_string(key.size()) + "\n" + key + value;
    return std::string(kFormatVersion) + hash_text(content) + "\n" + content;
}

/// Returns the value in a cache entry, or nothing if the entry is damaged or belongs to another
/// key.
std::optional<std::string> parse_entry(const std::string& entry, const std::string& key) {
    constexpr std::size_t checksum = 17;  // 16 digits and a line break
    if (!entry.starts_with(kFormatVersion) || entry.size() < kFormatVersion.size() + checksum)
        return std::nullopt;
    const std::string content = entry.substr(kFormatVersion.size() + checksum);
    if (entry.compare(kFormatVersion.size(), checksum, hash_text(content) + "\n") != 0)
        return std::nullopt;
    const std::string head = std::to_string(key.size()) + "\n" + key;
    if (!content.starts_with(head)) return std::nullopt;
    return content.substr(head.size());
}

/// Removes the oldest entries of one kind if there are too many. An entry is added each time a
/// learner saves a file.
void evict_oldest_entries(const fs::path& folder, const std::string& kind) {
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (!entry.path().filename().string().starts_with(kind + "-")) continue;
        entries.emplace_back(entry.last_write_time(error), entry.path());
    }
    if (entries.size() <= Cache::kMaxEntries) return;
    std::sort(entries.begin(), entries.end());
    const std::size_t excess_entries = entries.size() - Cache::kMaxEntries / 2;
    for (std::size_t i = 0; i < excess_entries; ++i) fs::remove(entries[i].second, error);
}

}  // namespace

std::string hash_text(const std::string& text) {
    unsigned long long hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return format("%016llx", hash);
}

std::string file_fingerprint(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return path;
    return path + " " + std::to_string(status.st_size) + " " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

fs::path Cache::entry_path(const std::string& kind, const std::string& key) const {
    return folder_ / (kind + "-" + hash_text(key));
}

std::optional<std::string> Cache::find(const std::string& kind, const std::string& key) const {
    if (folder_.empty()) return std::nullopt;
    const auto entry = read_if_exists(entry_path(kind, key));
    return entry ? parse_entry(*entry, key) : std::nullopt;
}

void Cache::save_cached(const std::string& kind, const std::string& key,
                        const std::string& value) const {
    if (folder_.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    write_atomically(entry_path(kind, key), serialize_entry(key, value));
    evict_oldest_entries(folder_, kind);
}

}  // namespace coalesce
