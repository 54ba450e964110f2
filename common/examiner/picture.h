/// \file
/// Draws the memory that one warp of a learner's kernel accesses in a simulated run. The picture
/// shows which sectors or banks each of the 32 lanes accesses. The output is text for a terminal,
/// or SVG.
///
/// In the text, each lane is one character: 0-9, then a-v for lanes 10 to 31. For device memory, a
/// row of the picture shows 128 bytes in four sectors. For shared memory, a row shows one wavefront
/// with its 32 banks.
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
    Shape shape = {256, 256};  ///< shape of the input
    std::uint64_t block = 0;   ///< linear index of the block (x varies fastest)
    unsigned warp = 0;         ///< the warp within the block
};

/// A row of a picture: 32 words or banks, with the lanes that access them.
struct PictureRow {
    std::string label = "";       ///< name of the row, such as "out + 256" or "wavefront 1"
    std::array<int, 32> lanes{};  ///< for each word or bank, one of the lanes that access it, or -1
};

/// A load or store, together with the rows of the picture that show it.
struct WarpAccess : simulated::Access {
    Place place = {};                   ///< source line of the access
    std::string source_line = "";       ///< text of the source line
    std::string memory = "";            ///< the accessed memory: "in", "out", "shared memory"
    unsigned execution_count = 1;       ///< number of times that the warp made this access
    std::vector<PictureRow> rows = {};  ///< the part of the picture that shows this access

    /// Returns a headline such as "store to `out`: 32 sectors, where 4 are enough".
    std::string headline() const;
};

/// A picture of all accesses of the warp.
struct Picture {
    Failure problem;         ///< the reason why there is no picture; its kind is `none` on success
    std::string file;        ///< the file's name in messages
    PictureRequest request;  ///< the warp that was drawn
    /// the accesses in order of execution; repetitions of an access are combined into one element
    std::vector<WarpAccess> accesses;

    /// Reports whether there is a picture.
    bool is_ok() const { return problem.kind == FailureKind::none; }
    /// Returns the picture as text that is at most 80 columns wide.
    std::string text() const;
    std::string svg() const;
};

/// Compiles the kernel, runs it once and draws the accesses of the warp. If the kernel stops with
/// an error, draws the accesses up to that point.
Picture draw_warp_picture(const Source& source, const Exercise& exercise, Runner& runner,
                          const PictureRequest& request);

/// Returns the rows of an access to global memory. Each row covers 128 bytes. The labels show the
/// offset from `begin`, the address of the matrix `name`.
std::vector<PictureRow> draw_memory_rows(const simulated::Access& access, std::uint64_t begin,
                                         const std::string& name);
/// Returns the rows of an access to shared memory, one for each wavefront.
std::vector<PictureRow> draw_bank_rows(const simulated::Access& access);

}  // namespace coalesce
