// Which loads and stores of a thread ptxas makes one instruction of, and which elements of vectors it leaves out.
//
// PTX is not what runs: `s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3]` is four loads there and one of 16 bytes
// in the machine's code, which takes 4 wavefronts in place of 4 times 4. The simulator carries out each load and store
// of the PTX where it stands (values, bounds, races), and counts and times the machine's accesses: each at the first
// load or store that it stands for.
//
// The rules below were found with ptxas 13.0 for sm_90, by compiling about 600 small pieces of PTX and reading the widths
// from the machine's code; tests/unit/merged_accesses_test.cpp has most of them, and tests/merges compares with ptxas
// all kernels of the course and its tests. They hold for shared and for global memory alike.
//
// Loads   Of the words at one base (see address_facts.h) that are loaded between two instructions that may write the
//         memory, those in one multiple of 16 bytes become a load of 16 bytes if they are three or four, those in one
//         multiple of 8 bytes per load of 8 if they are two. The order does not matter, nor what is loaded in between.
//         (All 255 subsets of eight words; all orders of three.) So a load may bring a word that nobody asked for:
//         words 1, 2, 3 and 4 are a load of 16 bytes from word 0 on, and one of 4 bytes.
// Stores  Only those that follow each other, with no other access to that memory in between, to one multiple of 16 bytes,
//         and only if all bytes are stored. Words 0, 16, 1 and 17 stay four stores. (255 subsets, 36 orders.)
// Words   have 2, 4 or 8 bytes, and only words of one size go together; vectors count as their elements, those of bytes
//         and halves as words of 4 bytes. At most four words make one access: four halves 8 bytes, two doubles 16.
//         Bytes are left alone, and so are halves that something extends with zeros to 32 bits: their loads do that.
// Aligned A base is as aligned as the instructions show that compute it, or as its widest access: a load of 16 bytes at a
//         base lets its neighbours merge (before and after it, and across barriers, but not from behind a branch).
//         That is how global memory comes to it, whose pointers nobody knows more of.
// Ends    Loads do not merge across a store to the same memory, even to another array or to another word of the same
//         base; nor across atomics on it, accesses through generic addresses that write, barriers (of a block or a
//         warp), fences, asynchronous copies, mbarriers, nanosleep, calls and divisions that call a routine. They do
//         across stores to the other memory, shuffles, votes, clocks, and arithmetic of any length (300 instructions).
//         `ld.global.nc` merges across everything.
// Alone   Volatile and guarded accesses, and those that acquire or release. (Relaxed ones merge.)
// Wanted  Elements of a loaded vector that nobody reads are left out: of four of which the second is read, one word is
//         loaded; of which the first and the last are, two.
// Twice   Of two loads of a word, without a store between, one is left; of two stores to the same bytes right behind each
//         other, the second.
//
// Turns   ptxas carries out some loops four turns at a time (loop_unroller.h), and then merges loads across these turns. A
//         load whose address steps by a constant is counted in those turns whose remainder modulo 16 says that the wider
//         load begins there. (One kernel in 300 needs that: nvcc has unrolled nearly all loops before. The last turns of
//         a loop whose number of turns is not a multiple of four are counted like the others, though ptxas does not merge
//         them.)
//
// Blocks  Loads of shared memory also merge with loads in front of a branch or a loop, if nothing on any way between them
//         may write that memory: the machine then loads a word that some lanes do not need, which cannot fail. Loads in
//         both ends of a branch merge with a load in front of it, not with each other. Of global memory, a load in front of
//         a branch only saves later loads of the same word. A loop of several blocks on the way ends both (a loop of one
//         block does not).
// Known   A word that the last store wrote is not loaded again, if it has the same size; nor is a word of global memory
//         behind an mbarrier operation, across which loads do not merge.
// Halves  Of a word of 64 bits whose low or high half alone is needed, a load that nothing merges with loads that half.
// Guards  Predicates that are constants, as inline assembly may have them, are no guards and no branches.
//
// tests/merges/known_differences.txt lists the kernels that ptxas treats in other ways, and why.
#pragma once

#include <map>
#include <string>

#include "simulator/analysis/control_flow.h"
#include "simulator/code/kernel.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// By index into the body: what the machine has for a load or store of the PTX, where that is not one access of the same
/// bytes.
using MergedAccesses = std::map<u32, MachineAccesses>;

/// `shared`: where the function's shared variables lie. `unrolled`: an instruction of each loop that ptxas unrolls.
MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared,
                               const std::vector<u32>& unrolled = {});

}  // namespace coalesce::simulator
