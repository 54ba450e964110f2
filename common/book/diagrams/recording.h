// The recording of a step, as common/book/recorder writes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/simulated.h"

namespace coalesce::diagrams {

/// One load or store of a warp. Addresses are relative to the start of `memory`.
struct Access : simulated::Access {
    std::string memory;  ///< name of the memory: "in", "out", "shared"
};

struct RecordedVariant {
    std::string name;
    unsigned warp = 0;
    std::vector<Access> accesses;
    /// For each of 16 x 16 blocks, the row and column of the first element that the block reads.
    std::vector<std::array<int, 2>> block_order;
};

struct Recording {
    std::string step;  ///< name of the step, such as "03_tiled"
    std::vector<RecordedVariant> variants;
    /// Throws if there is no such variant.
    const RecordedVariant& variant(const std::string& name) const;
};

/// Reads FOLDER/STEP.json.
Recording read_recording(const std::filesystem::path& folder, const std::string& step);

}  // namespace coalesce::diagrams
