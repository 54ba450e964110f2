#include "simulator/checks/read_marks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {
namespace {

constexpr u64 kWordsPerMarkGroup = 8;

u64 load_mark_group(const u8* marks) {
    u64 mark_group;
    std::memcpy(&mark_group, marks, sizeof mark_group);
    return mark_group;
}

}  // namespace

AllocationReadMarks::AllocationReadMarks(u64 begin, u64 end)
    : begin_(begin),
      end_(end),
      word_marks_(static_cast<u8*>(std::calloc((end - begin) / 4 + 2 * kWordsPerMarkGroup, 1))),
      line_marks_(static_cast<u8*>(std::calloc((end - begin) / kLineBytes + 1, 1))),
      has_word_marks_(new std::atomic<bool>[((end - begin) >> kPageShift) + 1]()),
      first_sites_(new std::atomic<u32>[((end - begin) >> kPageShift) + 1]()) {
    if (!word_marks_ || !line_marks_) throw std::bad_alloc();
}

void AllocationReadMarks::record_first_site(u64 address, u32 site) {
    std::atomic<u32>& first_site = first_sites_[page_index(address)];
    u32 recorded_site = first_site.load(std::memory_order_relaxed);
    while (recorded_site == kNoSite || site + 1 < recorded_site) {
        if (first_site.compare_exchange_weak(recorded_site, site + 1, std::memory_order_relaxed))
            return;
    }
}

void AllocationReadMarks::mark_unmarked(u64 address, u64 bytes, u32 site) {
    const u64 last_address = address + bytes - 1;
    // The stores below need no lock, because other threads can only add the same marks.
    if (covers_whole_lines(address, bytes)) {
        std::memset(line_mark(address), kFullMark, bytes / kLineBytes);
    } else {
        if (address % 4 == 0 && bytes % 4 == 0) {
            std::memset(word_mark(address), kFullMark, bytes / 4);
        } else {
            for (u64 at = address; at <= last_address; ++at)
                __atomic_fetch_or(word_mark(at), static_cast<u8>(1u << (at & 3)), __ATOMIC_RELAXED);
        }
        for (const u64 at : {address, last_address})
            has_word_marks_[page_index(at)].store(true, std::memory_order_relaxed);
    }
    record_first_site(address, site);
    if (page_index(last_address) != page_index(address)) record_first_site(last_address, site);
}

void AllocationReadMarks::clear() {
    for (u64 begin = begin_; begin < end_; begin += u64{1} << kPageShift) {
        const u64 page = page_index(begin);
        if (first_sites_[page].load(std::memory_order_relaxed) == kNoSite) continue;
        first_sites_[page].store(kNoSite, std::memory_order_relaxed);
        const u64 last_address = std::min(end_, begin + (u64{1} << kPageShift)) - 1;
        std::memset(line_mark(begin), 0,
                    static_cast<std::size_t>(line_mark(last_address) - line_mark(begin) + 1));
        if (has_word_marks_[page].exchange(false, std::memory_order_relaxed))
            std::memset(word_mark(begin), 0,
                        static_cast<std::size_t>(word_mark(last_address) - word_mark(begin) + 1));
    }
}

/// Calls begin_run(address) at each marked byte of [begin, end), and end_run(address) at each byte
/// without a mark. A group of words that are all marked, or all unmarked, gets a single call.
template <class BeginRun, class EndRun>
void AllocationReadMarks::visit_words(u64 begin, u64 end, const BeginRun& begin_run,
                                      const EndRun& end_run) const {
    for (u64 at = begin; at < end;) {
        const bool is_aligned = at % 4 == 0 && at + 4 * kWordsPerMarkGroup <= end;
        const u64 mark_group = is_aligned ? load_mark_group(word_mark(at)) : ~u64{0};
        if (mark_group == kEightFullMarks || mark_group == 0) {
            mark_group == 0 ? end_run(at) : begin_run(at);
            at += 4 * kWordsPerMarkGroup;
            continue;
        }
        *word_mark(at) >> (at & 3) & 1 ? begin_run(at) : end_run(at);
        ++at;
    }
}

/// Calls use_run(begin, end) for each run of marked bytes within a page.
template <class UseRun>
void AllocationReadMarks::for_each_run(const UseRun& use_run) const {
    u64 run_begin = end_;  // the start of the current run, or end_ if no run is open
    const auto begin_run = [&](u64 at) {
        if (run_begin == end_) run_begin = at;
    };
    const auto end_run = [&](u64 at) {
        if (run_begin < at) use_run(run_begin, at);
        run_begin = end_;
    };
    for (u64 page_begin = begin_; page_begin < end_; page_begin += u64{1} << kPageShift) {
        end_run(page_begin);
        if (first_sites_[page_index(page_begin)] == kNoSite) continue;
        const bool has_word_marks = has_word_marks_[page_index(page_begin)];
        const u64 page_end = std::min(end_, page_begin + (u64{1} << kPageShift));
        for (u64 at = page_begin; at < page_end; at += kLineBytes) {
            if (*line_mark(at) == kFullMark)
                begin_run(at);
            else if (has_word_marks)
                visit_words(at, std::min(page_end, at + kLineBytes), begin_run, end_run);
            else
                end_run(at);
        }
    }
    end_run(end_);
}

void AllocationReadMarks::add_to_ranges(AccessedRanges& ranges, const Kernel& kernel) const {
    std::map<u32, u32> place_of_site;  // maps a site to its index in the result
    for_each_run([&](u64 begin, u64 end) {
        const u32 site = first_sites_[page_index(begin)] - 1;
        const auto [found, is_new] = place_of_site.try_emplace(site, 0);
        if (is_new && site < kernel.sites.size())
            found->second = ranges.add_place(kernel.place(kernel.sites[site].where));
        ranges.add(AccessedRanges::kReads, begin, end, found->second);
    });
}

AllocationReadMarks& ReadMarks::find_marks(const Allocation& allocation) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entry_of_begin_[allocation.begin];
    // An earlier launch may have used an allocation of a different size at this address.
    if (!entry.marks || entry.marks->end() != allocation.end)
        entry.marks = std::make_unique<AllocationReadMarks>(allocation.begin, allocation.end);
    entry.is_used = true;
    return *entry.marks;
}

void ReadMarks::add_to_ranges(AccessedRanges& ranges, const Kernel& kernel) const {
    for (const auto& [begin, entry] : entry_of_begin_)
        if (entry.is_used) entry.marks->add_to_ranges(ranges, kernel);
}

void ReadMarks::clear() {
    std::erase_if(entry_of_begin_, [](const auto& item) { return !item.second.is_used; });
    for (auto& [begin, entry] : entry_of_begin_) {
        entry.marks->clear();
        entry.is_used = false;
    }
}

}  // namespace coalesce::simulator
