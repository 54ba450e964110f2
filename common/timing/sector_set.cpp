#include "timing/sector_set.h"

#include <algorithm>
#include <bit>

namespace coalesce::timing {

namespace {
constexpr std::uint64_t nothing = ~std::uint64_t{0};
constexpr std::uint32_t sectors_of_page = 64;
constexpr std::uint64_t page_bytes = sectors_of_page * sector_bytes;

std::uint64_t bits(std::uint32_t from, std::uint32_t count) {
    return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from;
}
}  // namespace

std::uint64_t SectorSet::add(SectorRun run, std::uint64_t turn) {
    std::uint64_t added = 0;
    while (run.count > 0) {
        const auto from = static_cast<std::uint32_t>(run.first % sectors_of_page);
        const std::uint32_t count = std::min(run.count, sectors_of_page - from);
        const std::uint64_t sectors = bits(from, count);
        Page& p = page(run.first / sectors_of_page);
        p.sectors |= sectors;
        if (p.turn != turn) {
            p.turn = turn;
            p.of_turn = 0;
        }
        const std::uint64_t known = p.of_turn & sectors;
        // std::popcount is a call where the library is built for all processors.
        added += known == 0 ? count : count - static_cast<std::uint32_t>(std::popcount(known));
        p.of_turn |= sectors;
        run.first += count;
        run.count -= count;
    }
    return added;
}

void SectorSet::add(const SectorSet& other) {
    for (const Page& p : other.table_)
        if (p.number != nothing) page(p.number).sectors |= p.sectors;
}

SectorSet::Page& SectorSet::page(std::uint64_t number) {
    if (last_ < table_.size() && table_[last_].number == number) return table_[last_];
    if (2 * (used_ + 1) > table_.size()) grow();
    const std::size_t mask = table_.size() - 1;
    std::size_t at = number * 0x9e3779b97f4a7c15ull >> (64 - std::bit_width(mask));
    while (table_[at].number != number) {
        if (table_[at].number == nothing) {
            table_[at].number = number;
            ++used_;
            break;
        }
        at = (at + 1) & mask;
    }
    last_ = at;
    return table_[at];
}

void SectorSet::grow() {
    std::vector<Page> old(std::max<std::size_t>(2 * table_.size(), 1024));
    old.swap(table_);
    used_ = 0;
    for (const Page& p : old)
        if (p.number != nothing) page(p.number) = p;
}

void SectorSet::clear() {
    if (used_ > 0) std::fill(table_.begin(), table_.end(), Page{});
    used_ = 0;
}

std::uint64_t SectorSet::size() const {
    std::uint64_t sum = 0;
    for (const Page& p : table_) sum += static_cast<std::uint64_t>(std::popcount(p.sectors));
    return sum;
}

std::vector<SectorSet::Page> SectorSet::sorted() const {
    std::vector<Page> pages;
    for (const Page& p : table_)
        if (p.number != nothing) pages.push_back(p);
    std::sort(pages.begin(), pages.end(),
              [](const Page& a, const Page& b) { return a.number < b.number; });
    return pages;
}

std::uint64_t SectorSet::runs() const {
    std::uint64_t count = 0, last = nothing;
    bool open = false;  // the last sector of the page before belongs to the set
    for (const Page& p : sorted()) {
        const bool goes_on = open && p.number == last + 1;
        const std::uint64_t before = p.sectors << 1 | (goes_on ? 1 : 0);
        count += static_cast<std::uint64_t>(std::popcount(p.sectors & ~before));
        open = p.sectors >> 63;
        last = p.number;
    }
    return count;
}

std::uint64_t SectorSet::pages(std::uint64_t bytes) const {
    std::uint64_t count = 0, last = nothing;
    for (const Page& p : sorted()) {
        const std::uint64_t number = p.number / (bytes / page_bytes);
        count += number != last;
        last = number;
    }
    return count;
}

}  // namespace coalesce::timing
