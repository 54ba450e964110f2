#include "timing/sector_set.h"

#include <algorithm>
#include <bit>

namespace coalesce::timing {

void SectorSet::add(const SectorSet& other) {
    for (const SectorPage& p : other.table_)
        if (p.number != kEmptySlot) find_or_add_page(p.number).sectors |= p.sectors;
}

void SectorSet::grow_table() {
    std::vector<SectorPage> old_table(std::max<std::size_t>(2 * table_.size(), 1024));
    old_table.swap(table_);
    used_slots_ = 0;
    for (const SectorPage& p : old_table)
        if (p.number != kEmptySlot) find_or_add_page(p.number) = p;
}

void SectorSet::clear() {
    if (used_slots_ > 0) std::fill(table_.begin(), table_.end(), SectorPage{});
    used_slots_ = 0;
}

std::uint64_t SectorSet::size() const {
    std::uint64_t sum = 0;
    for (const SectorPage& p : table_) sum += static_cast<std::uint64_t>(std::popcount(p.sectors));
    return sum;
}

std::uint64_t SectorSet::count_lines() const {
    constexpr std::uint64_t first_sector_bits =
        0x1111111111111111;  // the first of each line's four sectors
    std::uint64_t sum = 0;
    for (const SectorPage& p : table_) {
        const std::uint64_t pair_bits = p.sectors | p.sectors >> 1;
        sum += static_cast<std::uint64_t>(
            std::popcount((pair_bits | pair_bits >> 2) & first_sector_bits));
    }
    return sum;
}

SectorSet SectorSet::extend_to_pairs() const {
    constexpr std::uint64_t even_sector_bits = 0x5555555555555555;  // first sector of each pair
    SectorSet extended_set = *this;
    for (SectorPage& p : extended_set.table_)
        p.sectors |= (p.sectors & even_sector_bits) << 1 | (p.sectors >> 1 & even_sector_bits);
    return extended_set;
}

std::uint64_t SectorSet::count_common(const SectorSet& other) const {
    const std::vector<SectorPage> own_pages = sorted_pages(), other_pages = other.sorted_pages();
    std::uint64_t sum = 0;
    auto other_page = other_pages.begin();
    for (const SectorPage& p : own_pages) {
        while (other_page != other_pages.end() && other_page->number < p.number) ++other_page;
        if (other_page == other_pages.end()) break;
        if (other_page->number == p.number)
            sum += static_cast<std::uint64_t>(std::popcount(p.sectors & other_page->sectors));
    }
    return sum;
}

std::vector<SectorSet::SectorPage> SectorSet::sorted_pages() const {
    std::vector<SectorPage> pages;
    for (const SectorPage& p : table_)
        if (p.number != kEmptySlot) pages.push_back(p);
    std::sort(pages.begin(), pages.end(),
              [](const SectorPage& a, const SectorPage& b) { return a.number < b.number; });
    return pages;
}

std::vector<SectorRun> SectorSet::contiguous_runs() const {
    std::vector<SectorRun> runs;
    for (const SectorPage& p : sorted_pages()) {
        std::uint64_t first = p.number * kSectorsOfPage;
        for (std::uint64_t remaining_bits = p.sectors; remaining_bits != 0;) {
            const int gap = std::countr_zero(remaining_bits);
            remaining_bits >>= gap;
            const int length = std::countr_one(remaining_bits);
            runs.push_back(
                {first + static_cast<std::uint64_t>(gap), static_cast<std::uint32_t>(length)});
            remaining_bits = length < 64 ? remaining_bits >> length : 0;
            first += static_cast<std::uint64_t>(gap + length);
        }
    }
    return runs;
}

std::vector<std::uint64_t> SectorSet::run_lengths() const {
    return collect_run_lengths(false);
}

std::vector<std::uint64_t> SectorSet::dense_page_run_lengths() const {
    return collect_run_lengths(true);
}

std::vector<std::uint64_t> SectorSet::collect_run_lengths(bool splits_sparse_pages) const {
    constexpr int min_dense_sectors = kSectorsOfPage / 3;
    std::vector<std::uint64_t> lengths;
    std::uint64_t last_number = kEmptySlot;
    bool is_run_open = false;  // whether the last sector of the preceding page is in the set
    for (const SectorPage& p : sorted_pages()) {
        if (splits_sparse_pages && std::popcount(p.sectors) < min_dense_sectors) {
            for (std::uint64_t remaining_bits = p.sectors; remaining_bits != 0;) {
                remaining_bits >>= std::countr_zero(remaining_bits);
                const int length = std::countr_one(remaining_bits);
                lengths.push_back(static_cast<std::uint64_t>(length));
                remaining_bits >>= length;
            }
            is_run_open = false;
            continue;
        }
        const bool continues_run =
            is_run_open && p.number == last_number + 1 && (p.sectors & 1) != 0;
        if (!continues_run) lengths.push_back(0);
        lengths.back() += static_cast<std::uint64_t>(std::popcount(p.sectors));
        is_run_open = p.sectors >> 63;
        last_number = p.number;
    }
    return lengths;
}

}  // namespace coalesce::timing
