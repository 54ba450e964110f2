// A large array of 64-bit cells that are initially zero. The parts of the array that are never
// accessed take no memory.
//
// Idea       Most systems allocate a page of memory when it is first accessed, so the array is one
//            range of addresses. WebAssembly does not do this. On WebAssembly, the array is
//            therefore a table of pieces, and each piece is allocated when it is first accessed.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class Cells {
public:
    /// The base-2 logarithm of the number of cells in a piece of the array.
    static constexpr u32 kChunkShift = 12;

    Cells() = default;
    ~Cells();
    Cells(const Cells&) = delete;

    /// Reserves address space for `cell_count` cells. Must be called only once. Returns false if
    /// there is not enough address space.
    bool reserve(u64 cell_count);
    /// Sets all cells to zero.
    void clear();

#ifdef __EMSCRIPTEN__
    u64& operator[](u64 index) const {
        u64* piece = chunks_[index >> kChunkShift];
        if (piece == nullptr) piece = make(index >> kChunkShift);
        return piece[index & ((1 << kChunkShift) - 1)];
    }

private:
    u64* make(u64 number) const;
    mutable std::vector<u64*> chunks_;
#else
    u64& operator[](u64 index) const {
        return cells_[index];
    }

private:
    u64* cells_ = nullptr;
    u64 cell_count_ = 0;
#endif
};

}  // namespace coalesce::simulator
