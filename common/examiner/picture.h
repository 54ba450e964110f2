/// \file
/// What one warp of a learner's kernel touches, from its own run: 32 lanes onto sectors of memory
/// or banks of shared memory. As text for a terminal, and as SVG. Simulated.
///
/// A lane is shown by its number, in one sign: 0-9, then a-v for 10 to 31. In device memory a row
/// of the picture is 128 bytes in four sectors, in shared memory it is one wavefront with its 32
/// banks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"

namespace coalesce {

/// Which warp.
struct PictureRequest {
    Shape shape = {256, 256};  ///< of the input
    std::uint64_t block = 0;   ///< x counts fastest
    unsigned warp = 0;         ///< within the block
};

/// A row of 32 places, each with the lanes that are there.
struct PictureRow {
    std::string label = "";       ///< "out + 256", "wavefront 1"
    std::array<int, 32> lanes{};  ///< the first lane at that place; -1: none
};

/// One load or store, and how it is drawn.
struct WarpAccess : simulated::Access {
    Place place = {};              ///< its line
    std::string source_line = "";  ///< the text of that line
    std::string memory = "";       ///< "in", "out", "shared memory"
    unsigned times = 1;            ///< how often the warp executes this line, with the same cost
    std::vector<PictureRow> rows = {};  ///< the picture of the first time

    /// "store to `out`: 32 sectors, where 4 are enough"
    std::string headline() const;
};

/// All that the warp does.
struct Picture {
    Failure problem;                   ///< why there is none; kind none when there is
    std::string file;                  ///< as messages name it
    PictureRequest of;                 ///< which warp
    std::vector<WarpAccess> accesses;  ///< one for each line and kind, in their order

    /// Whether there is a picture.
    bool ok() const { return problem.kind == FailureKind::none; }
    /// For a terminal, in lines of at most 80 columns.
    std::string text() const;
    /// The same as a drawing.
    std::string svg() const;
};

/// Compiles the kernel, runs it once and draws what the warp did. Works for kernels that are wrong too,
/// as far as they run.
Picture picture_of(const Source& source, const Exercise& exercise, Runner& runner,
                   const PictureRequest& request);

/// The rows of a global access: 128 bytes each, from address `begin` of the matrix called `name`.
std::vector<PictureRow> rows_of_memory(const simulated::Access& access, std::uint64_t begin,
                                       const std::string& name);
/// The rows of a shared access: one for each wavefront.
std::vector<PictureRow> rows_of_banks(const simulated::Access& access);

}  // namespace coalesce
