#include "simulator/checks/read_marks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {
namespace {

constexpr u64 kWordsPerGroup = 8;

u64 eight_marks(const u8* marks) {
    u64 eight;
    std::memcpy(&eight, marks, sizeof eight);
    return eight;
}

}  // namespace

MarkedReads::MarkedReads(u64 begin, u64 end)
    : begin_(begin),
      end_(end),
      words_(static_cast<u8*>(std::calloc((end - begin) / 4 + 2 * kWordsPerGroup, 1))),
      lines_(static_cast<u8*>(std::calloc((end - begin) / kLineBytes + 1, 1))),
      has_words_(new std::atomic<bool>[((end - begin) >> kPageShift) + 1]()),
      sites_(new std::atomic<u32>[((end - begin) >> kPageShift) + 1]()) {
    if (!words_ || !lines_) throw std::bad_alloc();
}

void MarkedReads::note_site(u64 address, u32 site) {
    std::atomic<u32>& noted = sites_[page_of(address)];
    u32 before = noted.load(std::memory_order_relaxed);
    while (before == kNoSite || site + 1 < before) {
        if (noted.compare_exchange_weak(before, site + 1, std::memory_order_relaxed)) return;
    }
}

void MarkedReads::mark_new(u64 address, u64 bytes, u32 site) {
    const u64 last = address + bytes - 1;
    // The stores below need no lock, because other threads can only add the same marks.
    if (is_lines(address, bytes)) {
        std::memset(line(address), kWholeMark, bytes / kLineBytes);
    } else {
        if (address % 4 == 0 && bytes % 4 == 0) {
            std::memset(word(address), kWholeMark, bytes / 4);
        } else {
            for (u64 at = address; at <= last; ++at)
                __atomic_fetch_or(word(at), static_cast<u8>(1u << (at & 3)), __ATOMIC_RELAXED);
        }
        for (const u64 at : {address, last})
            has_words_[page_of(at)].store(true, std::memory_order_relaxed);
    }
    note_site(address, site);
    if (page_of(last) != page_of(address)) note_site(last, site);
}

void MarkedReads::clear() {
    for (u64 begin = begin_; begin < end_; begin += u64{1} << kPageShift) {
        const u64 page = page_of(begin);
        if (sites_[page].load(std::memory_order_relaxed) == kNoSite) continue;
        sites_[page].store(kNoSite, std::memory_order_relaxed);
        const u64 last = std::min(end_, begin + (u64{1} << kPageShift)) - 1;
        std::memset(line(begin), 0, static_cast<std::size_t>(line(last) - line(begin) + 1));
        if (has_words_[page].exchange(false, std::memory_order_relaxed))
            std::memset(word(begin), 0, static_cast<std::size_t>(word(last) - word(begin) + 1));
    }
}

/// Calls open(address) for the start of each run of marked bytes in [begin, end), and
/// close(address) for its end.
template <class Open, class Close>
void MarkedReads::visit_words(u64 begin, u64 end, const Open& open, const Close& close) const {
    for (u64 at = begin; at < end;) {
        const bool is_aligned = at % 4 == 0 && at + 4 * kWordsPerGroup <= end;
        const u64 eight = is_aligned ? eight_marks(word(at)) : ~u64{0};
        if (eight == kEightWholeMarks || eight == 0) {
            eight == 0 ? close(at) : open(at);
            at += 4 * kWordsPerGroup;
            continue;
        }
        *word(at) >> (at & 3) & 1 ? open(at) : close(at);
        ++at;
    }
}

/// Calls use(begin, end) for each run of marked bytes within a page.
template <class Use>
void MarkedReads::for_each_run(const Use& use) const {
    u64 run = end_;  // the start of the current run, or end_ if no run is open
    const auto open = [&](u64 at) {
        if (run == end_) run = at;
    };
    const auto close = [&](u64 at) {
        if (run < at) use(run, at);
        run = end_;
    };
    for (u64 page = begin_; page < end_; page += u64{1} << kPageShift) {
        close(page);
        if (sites_[page_of(page)] == kNoSite) continue;
        const bool has_words = has_words_[page_of(page)];
        const u64 page_end = std::min(end_, page + (u64{1} << kPageShift));
        for (u64 at = page; at < page_end; at += kLineBytes) {
            if (*line(at) == kWholeMark)
                open(at);
            else if (has_words)
                visit_words(at, std::min(page_end, at + kLineBytes), open, close);
            else
                close(at);
        }
    }
    close(end_);
}

void MarkedReads::add_to(AccessedRanges& ranges, const Kernel& kernel) const {
    std::map<u32, u32> places;  // maps a site to its index in the result
    for_each_run([&](u64 begin, u64 end) {
        const u32 site = sites_[page_of(begin)] - 1;
        const auto [found, is_new] = places.try_emplace(site, 0);
        if (is_new && site < kernel.sites.size())
            found->second = ranges.add_place(kernel.place(kernel.sites[site].where));
        ranges.add(AccessedRanges::kReads, begin, end, found->second);
    });
}

MarkedReads& ReadMarks::marks_of(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    Entry& entry = by_begin_[allocation.begin];
    // An earlier launch may have used an allocation of a different size at this address.
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
