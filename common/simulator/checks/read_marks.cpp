#include "simulator/checks/read_marks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {
namespace {

constexpr u8 kWholeWord = 0x0f;
constexpr u64 kWordsAtOnce = 8, kWholeWords = 0x0f0f'0f0f'0f0f'0f0full;

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

void MarkedReads::mark(u64 address, u64 bytes, u32 site) {
    u8* marks = word(address);
    const bool whole_words = address % 4 == 0 && bytes % 4 == 0;
    if (whole_words && bytes / 4 % kWordsAtOnce == 0) {
        u64 all = kWholeWords;
        for (u64 k = 0; k < bytes / 4; k += kWordsAtOnce) all &= eight_marks(marks + k);
        if (all == kWholeWords) return;
        std::memset(marks, kWholeWord, bytes / 4);
    } else {
        for (u64 at = address; at < address + bytes; ++at) {
            const auto bit = static_cast<u8>(1u << (at & 3));
            u8* mark = word(at);
            if (!(*mark & bit)) __atomic_fetch_or(mark, bit, __ATOMIC_RELAXED);
        }
    }
    note_site(address, site);
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
    std::unique_ptr<MarkedReads>& marks = by_begin_[allocation.begin];
    if (!marks) marks = std::make_unique<MarkedReads>(allocation.begin, allocation.end);
    return *marks;
}

void ReadMarks::add_to(AccessedRanges& ranges, const Kernel& kernel) const {
    for (const auto& [begin, marks] : by_begin_) marks->add_to(ranges, kernel);
}

}  // namespace coalesce::simulator
