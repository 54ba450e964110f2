/// \file
/// Produces a listing that shows the PTX of each source line of a kernel.
///
/// The listing is built from the text of the PTX, in the same way for nvcc, NVRTC, clang and the
/// project's translator. A `.loc` directive gives the source line of the instructions that follow
/// it. Compilers interleave the instructions of several lines, so each instruction is listed with
/// its position in the kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coalesce::learn {

/// An instruction, or a label that an instruction jumps to.
struct PtxInstruction {
    int position = 0;  ///< position in the kernel's PTX, counted from 1; 0 for a label
    /// the text, such as "ld.global.f32 %f1, [%rd6];", or "$L__BB0_2:" for a label
    std::string text;
};

/// The PTX of one kernel.
struct PtxListing {
    int instructions = 0;
    /// the PTX of each source line, by line number, counted from 1
    std::map<int, std::vector<PtxInstruction>> lines;
};

/// Lists the PTX of the kernel `entry`, which begins on line `kernel_line` of the source. `source`
/// is the end of the source's path, such as "steps/02_naive/main.cu". Code that was inlined from
/// another file belongs to the line that calls it.
PtxListing make_listing(const std::string& ptx, const std::string& entry, const std::string& source,
                        int kernel_line);

/// Formats a listing as text that is at most `columns` columns wide. Each source line is followed
/// by its PTX.
std::string text_of(const PtxListing& listing, const std::string& source_text, int columns);

}  // namespace coalesce::learn
