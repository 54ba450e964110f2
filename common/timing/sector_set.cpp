#include "timing/sector_set.h"

#include <algorithm>
#include <bit>

namespace coalesce::timing {

void SectorSet::add(const SectorSet& other) {
    for (const SectorPage& p : other.table_)
        if (p.number != kEmptySlot) page(p.number).sectors |= p.sectors;
}

void SectorSet::grow() {
    std::vector<SectorPage> old(std::max<std::size_t>(2 * table_.size(), 1024));
    old.swap(table_);
    used_ = 0;
    for (const SectorPage& p : old)
        if (p.number != kEmptySlot) page(p.number) = p;
}

void SectorSet::clear() {
    if (used_ > 0) std::fill(table_.begin(), table_.end(), SectorPage{});
    used_ = 0;
}

std::uint64_t SectorSet::size() const {
    std::uint64_t sum = 0;
    for (const SectorPage& p : table_) sum += static_cast<std::uint64_t>(std::popcount(p.sectors));
    return sum;
}

std::uint64_t SectorSet::lines() const {
    constexpr std::uint64_t firsts = 0x1111111111111111;  // the first of each line's four sectors
    std::uint64_t sum = 0;
    for (const SectorPage& p : table_) {
        const std::uint64_t pairs = p.sectors | p.sectors >> 1;
        sum += static_cast<std::uint64_t>(std::popcount((pairs | pairs >> 2) & firsts));
    }
    return sum;
}

SectorSet SectorSet::extend_to_pairs() const {
    constexpr std::uint64_t lower = 0x5555555555555555;  // first sector of each pair
    SectorSet pairs = *this;
    for (SectorPage& p : pairs.table_)
        p.sectors |= (p.sectors & lower) << 1 | (p.sectors >> 1 & lower);
    return pairs;
}

std::uint64_t SectorSet::count_common(const SectorSet& other) const {
    const std::vector<SectorPage> ours = sorted(), theirs = other.sorted();
    std::uint64_t sum = 0;
    auto at = theirs.begin();
    for (const SectorPage& p : ours) {
        while (at != theirs.end() && at->number < p.number) ++at;
        if (at == theirs.end()) break;
        if (at->number == p.number)
            sum += static_cast<std::uint64_t>(std::popcount(p.sectors & at->sectors));
    }
    return sum;
}

std::vector<SectorSet::SectorPage> SectorSet::sorted() const {
    std::vector<SectorPage> pages;
    for (const SectorPage& p : table_)
        if (p.number != kEmptySlot) pages.push_back(p);
    std::sort(pages.begin(), pages.end(),
              [](const SectorPage& a, const SectorPage& b) { return a.number < b.number; });
    return pages;
}

std::vector<std::uint64_t> SectorSet::runs() const {
    return runs(false);
}

std::vector<std::uint64_t> SectorSet::runs_in_dense_pages() const {
    return runs(true);
}

std::vector<std::uint64_t> SectorSet::runs(bool splits_sparse_pages) const {
    constexpr int sparse = kSectorsOfPage / 3;
    std::vector<std::uint64_t> runs;
    std::uint64_t last = kEmptySlot;
    bool open = false;  // whether the last sector of the preceding page is in the set
    for (const SectorPage& p : sorted()) {
        if (splits_sparse_pages && std::popcount(p.sectors) < sparse) {
            for (std::uint64_t left = p.sectors; left != 0;) {
                left >>= std::countr_zero(left);
                const int length = std::countr_one(left);
                runs.push_back(static_cast<std::uint64_t>(length));
                left >>= length;
            }
            open = false;
            continue;
        }
        const bool goes_on = open && p.number == last + 1 && (p.sectors & 1) != 0;
        if (!goes_on) runs.push_back(0);
        runs.back() += static_cast<std::uint64_t>(std::popcount(p.sectors));
        open = p.sectors >> 63;
        last = p.number;
    }
    return runs;
}

}  // namespace coalesce::timing
