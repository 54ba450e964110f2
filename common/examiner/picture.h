/// \file
/// Draws the memory that one warp of a learner's kernel touches in a simulated run: its 32 lanes, mapped to sectors
/// of memory or to banks of shared memory. The picture is text for a terminal, or SVG.
///
/// A lane is drawn as one character: 0-9, then a-v for 10 to 31. For device memory a row of the picture is 128 bytes
/// in four sectors; for shared memory it is one wavefront with its 32 banks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"

namespace coalesce {

/// The warp to draw.
struct PictureRequest {
    Shape shape = {256, 256};  ///< of the input
    std::uint64_t block = 0;   ///< x counts fastest
    unsigned warp = 0;         ///< within the block
};

/// A row of 32 positions, with the lanes that access them.
struct PictureRow {
    std::string label = "";       ///< "out + 256", "wavefront 1"
    std::array<int, 32> lanes{};  ///< the first lane at each position; -1: none
};

/// One load or store with its picture.
struct WarpAccess : simulated::Access {
    Place place = {};                   ///< source line
    std::string source_line = "";       ///< text of the source line
    std::string memory = "";            ///< "in", "out", "shared memory"
    unsigned times = 1;                 ///< how often the warp executes this line at the same cost
    std::vector<PictureRow> rows = {};  ///< the picture of the first execution

    /// Returns "store to `out`: 32 sectors, where 4 are enough".
    std::string headline() const;
};

/// All accesses of the warp.
struct Picture {
    Failure problem;                   ///< why there is no picture; kind none if there is one
    std::string file;                  ///< as messages name it
    PictureRequest of;                 ///< the warp
    std::vector<WarpAccess> accesses;  ///< one for each line and kind of access, in order

    /// Reports whether there is a picture.
    bool ok() const { return problem.kind == FailureKind::none; }
    /// Returns the picture as text, in lines of at most 80 columns.
    std::string text() const;
    /// Returns the picture as SVG.
    std::string svg() const;
};

/// Compiles the kernel, runs it once and draws the accesses of the warp. Wrong kernels are drawn as far as they run.
Picture picture_of(const Source& source, const Exercise& exercise, Runner& runner,
                   const PictureRequest& request);

/// Returns the rows of an access to global memory, 128 bytes each, starting at the address `begin` of the matrix
/// `name`.
std::vector<PictureRow> rows_of_memory(const simulated::Access& access, std::uint64_t begin,
                                       const std::string& name);
/// Returns the rows of an access to shared memory, one for each wavefront.
std::vector<PictureRow> rows_of_banks(const simulated::Access& access);

}  // namespace coalesce
