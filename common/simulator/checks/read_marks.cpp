#include "simulator/checks/read_marks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {
namespace {

constexpr u64 kWordsAtOnce = 8;

u64 eight_marks(const u8* marks) {
    u64 eight;
    std::memcpy(&eight, marks, sizeof eight);
    return eight;
}

}  // namespace

MarkedReads::MarkedReads(u64 begin, u64 end)
    : begin_(begin),
      end_(end),
      words_(static_cast<u8*>(std::calloc((end - begin) / 4 + 2 * kWordsAtOnce, 1))),
      sites_(new std::atomic<u32>[((end - begin) >> kPageShift) + 1]()) {
    if (!words_) throw std::bad_alloc();
}

void MarkedReads::note_site(u64 address, u32 site) {
    std::atomic<u32>& noted = sites_[(address - begin_) >> kPageShift];
    u32 before = noted.load(std::memory_order_relaxed);
    while (before == kNoSite || site + 1 < before) {
        if (noted.compare_exchange_weak(before, site + 1, std::memory_order_relaxed)) return;
    }
}

void MarkedReads::mark_new(u64 address, u64 bytes, u32 site) {
    if (address % 4 == 0 && bytes % 4 == 0) {
        // Other threads can only add bits that this store sets, too.
        std::memset(word(address), kWholeWord, bytes / 4);
    } else {
        for (u64 at = address; at < address + bytes; ++at) {
            const auto bit = static_cast<u8>(1u << (at & 3));
            u8* mark = word(at);
            if (!(*mark & bit)) __atomic_fetch_or(mark, bit, __ATOMIC_RELAXED);
        }
    }
    note_site(address, site);
    const u64 last = address + bytes - 1;
    if ((last - begin_) >> kPageShift != (address - begin_) >> kPageShift) note_site(last, site);
}

void MarkedReads::clear() {
    const u64 pages = ((end_ - begin_) >> kPageShift) + 1;
    for (u64 page = 0; page < pages; ++page) {
        if (sites_[page].load(std::memory_order_relaxed) == kNoSite) continue;
        sites_[page].store(kNoSite, std::memory_order_relaxed);
        const u64 begin = begin_ + (page << kPageShift);
        const u64 end = std::min(end_, begin + (u64{1} << kPageShift));
        std::memset(word(begin), 0, ((end - 1) >> 2) - (begin >> 2) + 1);
    }
}

/// Calls use(begin, end) for each run of marked bytes within a page.
template <class Use>
void MarkedReads::for_each_run(const Use& use) const {
    u64 run = end_;  // the start of the current run, or end_ if no run is open
    const auto page_of = [&](u64 at) { return (at - begin_) >> kPageShift; };
    const auto close = [&](u64 at) {
        if (run < at) use(run, at);
        run = end_;
    };
    for (u64 at = begin_; at < end_;) {
        const u64 page = page_of(at);
        const u64 next_page = std::min(end_, begin_ + ((page + 1) << kPageShift));
        const bool is_page_start = at == begin_ + (page << kPageShift);
        if (is_page_start) close(at);
        if (is_page_start && sites_[page] == kNoSite) {
            at = next_page;
            continue;
        }
        const bool is_aligned = at % 4 == 0 && at + 4 * kWordsAtOnce <= next_page;
        const u64 eight = is_aligned ? eight_marks(word(at)) : ~u64{0};
        if (eight == kWholeWords || eight == 0) {
            if (eight == 0) close(at);
            if (eight != 0 && run == end_) run = at;
            at += 4 * kWordsAtOnce;
            continue;
        }
        const bool is_marked = *word(at) >> (at & 3) & 1;
        if (!is_marked) close(at);
        if (is_marked && run == end_) run = at;
        ++at;
    }
    close(end_);
}

void MarkedReads::add_to(AccessedRanges& ranges, const Kernel& kernel) const {
    std::map<u32, u32> places;  // maps a site to its place in the result
    for_each_run([&](u64 begin, u64 end) {
        const u32 site = sites_[(begin - begin_) >> kPageShift] - 1;
        const auto [found, is_new] = places.try_emplace(site, 0);
        if (is_new && site < kernel.sites.size())
            found->second = ranges.add_place(kernel.place(kernel.sites[site].where));
        ranges.add(AccessedRanges::kReads, begin, end, found->second);
    });
}

MarkedReads& ReadMarks::of(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    Entry& entry = by_begin_[allocation.begin];
    // The allocation of an earlier launch may have had another size.
    if (!entry.marks || entry.marks->end() != allocation.end)
        entry.marks = std::make_unique<MarkedReads>(allocation.begin, allocation.end);
    entry.is_used = true;
    return *entry.marks;
}

void ReadMarks::add_to(AccessedRanges& ranges, const Kernel& kernel) const {
    for (const auto& [begin, entry] : by_begin_)
        if (entry.is_used) entry.marks->add_to(ranges, kernel);
}

void ReadMarks::clear() {
    std::erase_if(by_begin_, [](const auto& item) { return !item.second.is_used; });
    for (auto& [begin, entry] : by_begin_) {
        entry.marks->clear();
        entry.is_used = false;
    }
}

}  // namespace coalesce::simulator
