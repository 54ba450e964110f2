// What docs/recorder wrote down of a step.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::diagrams {

/// One load or store of a warp.
struct Access {
    int line = 0;        ///< of the step's main.cu
    std::string memory;  ///< "in", "out", "shared"
    bool is_store = false;
    unsigned bytes_per_lane = 4;
    unsigned cost = 0, ideal = 0;
    std::uint32_t active = 0;                   ///< one bit per lane
    std::array<std::uint64_t, 32> addresses{};  ///< of active lanes, from the memory's beginning

    bool is_shared() const { return memory == "shared"; }
};

struct RecordedVariant {
    std::string name;
    unsigned warp = 0;
    std::vector<Access> accesses;
    /// Of 16 x 16 blocks, row and column of the first element that each reads; empty where it was not
    /// asked for.
    std::vector<std::array<int, 2>> order;
};

struct Recording {
    std::string step;  ///< "03_tiled"
    std::vector<RecordedVariant> variants;
    const RecordedVariant& variant(const std::string& name) const;  ///< throws when there is none
};

/// Reads FOLDER/STEP.json.
Recording read_recording(const std::filesystem::path& folder, const std::string& step);

}  // namespace coalesce::diagrams
