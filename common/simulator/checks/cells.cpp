#include "simulator/checks/cells.h"

#ifdef __EMSCRIPTEN__
#    include <algorithm>
#else
#    include <sys/mman.h>
#endif

namespace coalesce::simulator {

#ifdef __EMSCRIPTEN__

namespace {
constexpr std::size_t kPiece = std::size_t{1} << Cells::kChunkShift;
}

bool Cells::reserve(u64 count) {
    chunks_.resize(static_cast<std::size_t>((count >> kChunkShift) + 1));
    return true;
}

Cells::~Cells() {
    for (u64* piece : chunks_) delete[] piece;
}

void Cells::clear() {
    for (u64* piece : chunks_) {
        if (piece != nullptr) std::fill_n(piece, kPiece, 0);
    }
}

u64* Cells::make(u64 number) const {
    return chunks_[static_cast<std::size_t>(number)] = new u64[kPiece]();
}

#else

/// Reserves memory for `cell_count` cells, without the huge pages that some systems use by default.
/// Clearing a single huge page takes longer than all the checks that most launches perform within
/// that page, and large arrays do not benefit from huge pages.
bool Cells::reserve(u64 cell_count) {
    void* pages = mmap(nullptr, cell_count * sizeof(u64), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return false;
    madvise(pages, cell_count * sizeof(u64), MADV_NOHUGEPAGE);
    cells_ = static_cast<u64*>(pages);
    cell_count_ = cell_count;
    return true;
}

Cells::~Cells() {
    if (cells_ != nullptr) munmap(cells_, cell_count_ * sizeof(u64));
}

void Cells::clear() {
    madvise(cells_, cell_count_ * sizeof(u64), MADV_DONTNEED);
}

#endif

}  // namespace coalesce::simulator
