/// \file
/// PTX by source line: what a compiler made of each line of a kernel.
///
/// By the text alone, and the same for nvcc, NVRTC, clang and the project's translator: a `.loc` says
/// which line the instructions behind it come from. A compiler mixes the instructions of several lines,
/// so each is listed with its place in the kernel's PTX.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coalesce::learn {

/// An instruction, or a label that one jumps to.
struct PtxInstruction {
    int place = 0;     ///< in the kernel's PTX, from 1; 0: a label
    std::string text;  ///< "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6];", "$L__BB0_2:"
};

/// The PTX of one kernel.
struct PtxListing {
    int instructions = 0;                              ///< how many there are
    std::map<int, std::vector<PtxInstruction>> lines;  ///< by line of the source, from 1
};

/// Of the kernel `entry`, whose head stands in line `kernel_line` of the source: what no line is known
/// of belongs there. `source`: how the path of the source ends ("steps/02_naive/main.cu"). What was
/// inlined from another file belongs to the line that calls it.
PtxListing listing_of(const std::string& ptx, const std::string& entry, const std::string& source,
                      int kernel_line);

/// Each line of the source in turn, with its PTX below it, in that many columns.
std::string text_of(const PtxListing& listing, const std::string& source_text, int columns);

}  // namespace coalesce::learn
