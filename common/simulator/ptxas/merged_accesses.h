// Determines which loads and stores of a thread ptxas merges into one instruction, and which
// elements of vectors ptxas drops.
//
// The hardware does not execute PTX directly. For example,
//     s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3]
// is four loads in PTX and one 16-byte load in the machine code, which takes 4 wavefronts instead
// of 4 times 4. The simulator executes each load and store of the PTX at its own position (values,
// bounds, races), but counts and times the accesses of the machine code, each at the first load or
// store that it replaces.
//
// The rules below were found with ptxas 13.0 for sm_90, by compiling about 600 small PTX functions
// and reading the widths from the machine code. tests/unit/merged_accesses_test.cpp contains most
// of them, and tests/merges compares all kernels of the course and its tests with ptxas. The rules
// apply to shared and to global memory.
//
// Loads   The rules apply to words at one base (see address_facts.h) if no instruction between
//         their loads may write this memory. Three or four words in one aligned range of 16 bytes
//         become a 16-byte load, and two words in one aligned range of 8 bytes become an 8-byte
//         load. It does not matter in which order the words are loaded, and whether there are other
//         loads in between. (Tested with all 255 subsets of eight words, and with all orders of
//         three.) So a load may include a word that was not requested: words 1, 2, 3 and 4 become a
//         16-byte load from word 0 and a 4-byte load.
// Stores  Stores to one aligned range of 16 bytes are merged only if there is no other access to
//         that memory in between, and only if they store every byte of the resulting access. For
//         example, stores to words 0, 16, 1 and 17, in this order, stay four stores. (Tested with
//         255 subsets and 36 orders.)
// Words   Words have 2, 4 or 8 bytes, and only words of the same size are merged. Vectors count as
//         their elements, and vectors of bytes and halves as words of 4 bytes. At most four words
//         form one access, so four halves form an access of 8 bytes, and two doubles form an access
//         of 16 bytes. Bytes are not merged. Halves that are zero-extended to 32 bits are not
//         merged either, because their loads perform the extension.
// Aligned The alignment of a base follows from the instructions that compute it, and from the
//         widest access at that base: a 16-byte load at a base allows neighbouring accesses to be
//         merged (before and after it, and across barriers, but not after a branch). Accesses to
//         global memory are merged only because of a wider access, because the alignment of a
//         pointer is not known otherwise.
// Ends    Loads are not merged across a store to the same memory, even to another array or to
//         another word at the same base. Loads are not merged across atomics on this memory either,
//         nor across writes through generic addresses, barriers (of a block or a warp), fences,
//         asynchronous copies, mbarriers, nanosleep, calls, and divisions that call a routine.
//         Loads are merged across stores to other memory, shuffles, votes, clocks, and arithmetic
//         of any length (300 instructions). `ld.global.nc` is merged across everything.
// Alone   Volatile and guarded accesses, and accesses with acquire or release, are not merged.
//         (Relaxed accesses are merged.)
// Wanted  Elements of a loaded vector that are not read are dropped. If only the second of four
//         elements is read, one word is loaded. If only the first and the last element are read,
//         two words are loaded.
// Twice   If a word is loaded twice without a store in between, only one load remains. If the same
//         bytes are stored twice in direct succession, only the second store remains.
//
// Loops   ptxas unrolls some loops by four (loop_unroller.h), and then merges loads across these
//         iterations. If the address of a load changes by a constant in each iteration, the load is
//         counted only in the iterations in which the wider load starts. The address modulo 16
//         shows which iterations these are. (One kernel in 300 needs this, because nvcc has already
//         unrolled nearly all loops. If the number of iterations is not a multiple of four, the
//         last iterations are counted like the others, although ptxas does not merge their loads.)
//
// Not modelled, as tests/merges shows:
// - loads after a short branch that ptxas executes before the branch, and merges with loads there
//   (one in 300);
// - a value that is stored and immediately loaded again, and loads and stores that are repeated in
//   another block.
#pragma once

#include <map>
#include <string>

#include "simulator/analysis/control_flow.h"
#include "simulator/code/kernel.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Maps the index of a load or store in the body to its machine accesses. A load or store that
/// stays a single access to the same bytes has no entry.
using MergedAccesses = std::map<u32, MachineAccesses>;

/// Determines the machine accesses of a function. `shared` contains the offsets of the function's
/// shared variables. `unrolled` contains one instruction of each loop that ptxas unrolls.
MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared,
                               const std::vector<u32>& unrolled = {});

}  // namespace coalesce::simulator
