// The recorded accesses of a step's variants, read from a file that common/book/recorder writes.
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
    /// For each block of a grid of 16 x 16 blocks, the row and the column of the first element that
    /// the block reads.
    std::vector<std::array<int, 2>> block_order;
};

struct Recording {
    std::string step;  ///< name of the step, such as "03_tiled"
    std::vector<RecordedVariant> variants;
    /// Returns the recording of a variant. Throws std::runtime_error if there is no such variant.
    const RecordedVariant& variant(const std::string& name) const;
};

/// Reads the recording of a step from FOLDER/STEP.json.
Recording read_recording(const std::filesystem::path& folder, const std::string& step);

}  // namespace coalesce::diagrams
