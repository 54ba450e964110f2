/// \file
/// JSON files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::learn {

/// Keeps the order in which keys were written.
using Json = nlohmann::ordered_json;

/// Reads a file; throws std::runtime_error that names it.
Json read_json(const std::filesystem::path& file);

/// A text file in the making. It lies beside its goal under another name until `finish`; without
/// it, nothing stays behind and an older file keeps its content.
class WholeFile {
public:
    /// Opens it; throws UsageError when it cannot be written there.
    explicit WholeFile(const std::filesystem::path& goal);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    /// Writes the text and puts the file in its place.
    void finish(const std::string& text);

private:
    std::filesystem::path goal, temporary;
};

}  // namespace coalesce::learn
