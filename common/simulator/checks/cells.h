// A long row of 64-bit cells that are zero until they are written, and take no memory until they are touched.
//
// Idea       Where the system hands out pages when they are touched, the row is one range of addresses.
//            WebAssembly has no such pages: there it is a table of pieces, made when they are touched.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class Cells {
public:
    /// Cells whose numbers differ in their last bits alone lie behind each other.
    static constexpr u32 kPieceShift = 12;

    Cells() = default;
    ~Cells();
    Cells(const Cells&) = delete;

    /// To be called once. False: the address space is not to be had.
    bool reserve(u64 count);
    /// All are zero again.
    void clear();

#ifdef __EMSCRIPTEN__
    u64& operator[](u64 index) const {
        u64* piece = pieces_[index >> kPieceShift];
        if (piece == nullptr) piece = make(index >> kPieceShift);
        return piece[index & ((1 << kPieceShift) - 1)];
    }

private:
    u64* make(u64 number) const;
    mutable std::vector<u64*> pieces_;
#else
    u64& operator[](u64 index) const {
        return first_[index];
    }

private:
    u64* first_ = nullptr;
    u64 count_ = 0;
#endif
};

}  // namespace coalesce::simulator
