// See stream_order.h.
#include "simulator/cudart/stream_order.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "simulator/base/options.h"
#include "simulator/checks/access_report.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/streams.h"
#include "simulator/cudart/transfers.h"
#include "simulator/memory/device_memory.h"
#include "simulator/memory/host_guard.h"
#include "simulator/report/host_place.h"

namespace coalesce::simulator::cudart {

namespace {

/// A point in time: for each stream, the number of pieces of work that come before this point.
using VectorClock = std::vector<u64>;

void merge_clock(VectorClock& to, const VectorClock& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t s = 0; s < from.size(); ++s) to[s] = std::max(to[s], from[s]);
}
u64 read_clock_entry(const VectorClock& clock, std::size_t stream) {
    return stream < clock.size() ? clock[stream] : 0;
}

/// A piece of work in a stream.
struct QueuedWork {
    std::size_t stream = 0;
    /// The position of this work in its stream, starting at 1.
    u64 position_in_stream = 0;
    std::string name;
    bool frees_memory = false;
    bool is_awaited_by_host = false;
    AccessedRanges ranges;
    VectorClock start_clock;  ///< the point in time at which this work begins
    /// The ranges of host-accessible memory that the work accesses.
    std::vector<GuardedRange> guarded_ranges;
    u64 id = 0;  ///< the id of this work in GuardedRange::work
};

/// Returns the ranges of host-accessible memory that the work accesses. Returns no ranges if the
/// work performs atomics on such memory, because the host may be waiting for a flag that an atomic
/// sets.
std::vector<GuardedRange> find_guarded_ranges(const AccessedRanges& ranges, u64 id) {
    std::vector<GuardedRange> guarded_ranges;
    for (const auto kind :
         {AccessedRanges::kReads, AccessedRanges::kWrites, AccessedRanges::kAtomics}) {
        for (const AccessedRanges::Range& range : ranges.ranges_of_kind(kind)) {
            const auto allocation = memory().find(range.begin);
            if (!allocation || (allocation->kind != AllocationKind::managed &&
                                allocation->kind != AllocationKind::pinned))
                continue;
            if (kind == AccessedRanges::kAtomics) return {};
            guarded_ranges.push_back({range.begin, std::min(range.end, allocation->end),
                                      kind == AccessedRanges::kWrites, id});
        }
    }
    return guarded_ranges;
}

/// The maximum number of earlier pieces of work with which new work is compared.
constexpr std::size_t kMaxOutstandingWork = 256;

class StreamOrder {
public:
    static StreamOrder& instance() {
        static StreamOrder& instance = *new StreamOrder;
        return instance;
    }

    void add_stream(cudaStream_t handle, bool is_blocking) {
        const std::lock_guard lock(mutex_);
        find_stream_state(handle).is_blocking = is_blocking;
    }

    /// Reports whether the program has streams whose work can run at the same time.
    bool has_concurrent_streams() {
        const std::lock_guard lock(mutex_);
        return streams_.size() > 2 ||
               std::any_of(streams_.begin(), streams_.end(),
                           [](const auto& stream) { return !stream.is_blocking; });
    }

    void begin_work(cudaStream_t handle, QueuedWork& work) {
        const std::lock_guard lock(mutex_);
        host_guard::unprotect();
        report_host_accesses();
        work.stream = find_index(handle);
        StreamState& stream = streams_[work.stream];
        merge_clock(stream.clock, host_clock_);
        order_with_default_stream(handle, stream);
        work.start_clock = stream.clock;
        if (stream.clock.size() <= work.stream) stream.clock.resize(work.stream + 1);
        work.position_in_stream = ++stream.clock[work.stream];
    }

    void end_work(QueuedWork work) {
        const std::lock_guard lock(mutex_);
        work.ranges.sort_and_join();
        work.id = ++last_work_id_;
        if (!work.is_awaited_by_host)
            work.guarded_ranges = find_guarded_ranges(work.ranges, work.id);
        for (const QueuedWork& earlier : outstanding_work_) {
            if (earlier.position_in_stream <= read_clock_entry(work.start_clock, earlier.stream))
                continue;
            if (const auto found = AccessedRanges::find_conflict(earlier.ranges, work.ranges))
                report_conflict(earlier, work, *found);
        }
        if (work.is_awaited_by_host) merge_clock(host_clock_, streams_[work.stream].clock);
        if (!work.is_awaited_by_host && !work.ranges.is_empty())
            outstanding_work_.push_back(std::move(work));
        forget_ordered_work();
    }

    void record_event(cudaEvent_t event, cudaStream_t handle) {
        const std::lock_guard lock(mutex_);
        StreamState& stream = find_stream_state(handle);
        order_with_default_stream(handle, stream);
        event_clocks_[event] = stream.clock;
    }
    void wait_for_event(cudaStream_t handle, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (const auto clock_of_event = event_clocks_.find(event);
            clock_of_event != event_clocks_.end())
            merge_clock(find_stream_state(handle).clock, clock_of_event->second);
    }
    void record_event_in_work(cudaEvent_t event, const QueuedWork& work) {
        const std::lock_guard lock(mutex_);
        event_clocks_[event] = streams_[work.stream].clock;
    }
    void wait_for_event_in_work(QueuedWork& work, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        const auto clock_of_event = event_clocks_.find(event);
        if (clock_of_event == event_clocks_.end()) return;
        merge_clock(work.start_clock, clock_of_event->second);
        merge_clock(streams_[work.stream].clock, clock_of_event->second);
    }
    void record_host_wait(cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (const auto clock_of_event = event_clocks_.find(event);
            clock_of_event != event_clocks_.end())
            merge_clock(host_clock_, clock_of_event->second);
        forget_ordered_work();
    }
    void record_host_wait(cudaStream_t handle) {
        const std::lock_guard lock(mutex_);
        StreamState& stream = find_stream_state(handle);
        order_with_default_stream(handle, stream);
        merge_clock(host_clock_, stream.clock);
        forget_ordered_work();
    }
    void report_last_host_accesses() {
        const std::lock_guard lock(mutex_);
        host_guard::unprotect();
        report_host_accesses();
    }
    void record_host_wait_for_all() {
        const std::lock_guard lock(mutex_);
        for (const StreamState& stream : streams_) merge_clock(host_clock_, stream.clock);
        forget_ordered_work();
    }

private:
    struct StreamState {
        u64 stream_key = 0;
        /// Whether this stream and the default stream wait for each other.
        bool is_blocking = true;
        VectorClock clock = {};
    };

    StreamOrder() { streams_.emplace_back(); }  // stream 0 is the default stream

    static u64 make_stream_key(cudaStream_t handle) {
        if (is_legacy_default_stream(handle)) return 0;
        // Each host thread has a default stream of its own.
        if (handle == cudaStreamPerThread)
            return std::hash<std::thread::id>()(std::this_thread::get_id()) | 1;
        return reinterpret_cast<u64>(handle);
    }
    /// Returns the index of the stream, and adds the stream if it is new.
    std::size_t find_index(cudaStream_t handle) {
        const u64 stream_key = make_stream_key(handle);
        std::size_t index = 0;
        while (index < streams_.size() && streams_[index].stream_key != stream_key) ++index;
        if (index == streams_.size()) streams_.push_back({.stream_key = stream_key});
        return index;
    }
    StreamState& find_stream_state(cudaStream_t handle) { return streams_[find_index(handle)]; }
    /// Orders the work of the stream relative to the default stream. Work in the default stream
    /// comes after all earlier work in blocking streams, and before all later work in these
    /// streams.
    void order_with_default_stream(cudaStream_t handle, StreamState& stream) {
        if (!is_legacy_default_stream(handle)) {
            if (stream.is_blocking) merge_clock(stream.clock, streams_[0].clock);
            return;
        }
        for (const StreamState& other_stream : streams_)
            if (other_stream.is_blocking) merge_clock(stream.clock, other_stream.clock);
    }
    /// Forgets work that the host has waited for, and guards the memory of the remaining work.
    void forget_ordered_work() {
        report_host_accesses();
        std::erase_if(outstanding_work_, [this](const QueuedWork& work) {
            return work.position_in_stream <= read_clock_entry(host_clock_, work.stream);
        });
        while (outstanding_work_.size() > kMaxOutstandingWork) outstanding_work_.pop_front();
        std::vector<GuardedRange> guarded_ranges;
        for (const QueuedWork& work : outstanding_work_)
            guarded_ranges.insert(guarded_ranges.end(), work.guarded_ranges.begin(),
                                  work.guarded_ranges.end());
        host_guard::protect(std::move(guarded_ranges));
    }

    void report_host_accesses() {
        for (const HostTouch& host_access : host_guard::take_touches()) {
            const auto work =
                std::find_if(outstanding_work_.begin(), outstanding_work_.end(),
                             [&](const QueuedWork& queued_work) {
                                 return queued_work.id == host_access.operation_number;
                             });
            if (work != outstanding_work_.end()) report_host_conflict(host_access, *work);
        }
    }
    static void report_host_conflict(const HostTouch& host_access, const QueuedWork& work) {
        const auto is_touched = [&](const AccessedRanges::Range& range) {
            return host_access.address >= range.begin && host_access.address < range.end;
        };
        Report report;
        report.check = "streamcheck";
        report.kind = "host does not wait";
        report.where = find_host_place(host_access.instruction);
        bool work_writes = false;
        for (const auto kind : {AccessedRanges::kReads, AccessedRanges::kWrites}) {
            const auto& ranges = work.ranges.ranges_of_kind(kind);
            const auto found = std::find_if(ranges.begin(), ranges.end(), is_touched);
            if (found == ranges.end()) continue;
            report.other = work.ranges.first_place(*found);
            work_writes = kind == AccessedRanges::kWrites;
        }
        report.message = std::string("The host ") + (host_access.is_write ? "writes" : "reads") +
                         " " + describe_address(host_access.address, *memory().allocation_table()) +
                         ", which " + work.name + " may still " + (work_writes ? "write" : "read") +
                         ": the host has not waited for it.";
        report.cure =
            "Call cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize before the "
            "host accesses this memory.";
        reports().add(report);
    }

    void report_conflict(const QueuedWork& earlier, const QueuedWork& later,
                         const AccessedRanges::Conflict& conflict) const {
        const auto choose_verb = [](const QueuedWork& work, AccessedRanges::Kind kind,
                                    bool is_past_tense) {
            if (work.frees_memory) return is_past_tense ? "freed" : "frees";
            if (kind == AccessedRanges::kReads) return is_past_tense ? "read" : "reads";
            return is_past_tense ? "wrote" : "writes";
        };
        Report report;
        report.check = "streamcheck";
        report.kind = later.frees_memory ? "freed while in use" : "no order between streams";
        report.where = conflict.later_place.line ? conflict.later_place : find_calling_place();
        report.other = conflict.earlier_place;
        report.address = conflict.begin;
        const u64 bytes = conflict.end - conflict.begin;
        const auto table = memory().allocation_table();
        const Allocation* freed_allocation =
            table->find(conflict.begin) == nullptr ? table->find_freed(conflict.begin) : nullptr;
        const std::string location =
            freed_allocation != nullptr
                ? "the allocation of " +
                      std::to_string(freed_allocation->end - freed_allocation->begin) +
                      " bytes (no. " + std::to_string(freed_allocation->serial) + ")"
                : describe_address(conflict.begin, *table);
        report.message = later.name + " " + choose_verb(later, conflict.later_kind, false) + " " +
                         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
                         " starting at " + location + ", which " + earlier.name + " " +
                         choose_verb(earlier, conflict.earlier_kind, true) +
                         " in another stream; nothing orders the two operations.";
        const bool involves_default_stream = earlier.stream == 0 || later.stream == 0;
        if (involves_default_stream)
            report.message +=
                " A stream made with cudaStreamNonBlocking does not wait for the default stream.";
        report.cure =
            "Record an event after the first operation (cudaEventRecord) and make the second "
            "stream wait for this event (cudaStreamWaitEvent), or synchronize the first stream "
            "before the second operation.";
        reports().add(report);
    }

    std::mutex mutex_;
    std::deque<StreamState> streams_;  ///< the first one is the default stream
    std::map<cudaEvent_t, VectorClock> event_clocks_;
    VectorClock host_clock_;
    u64 last_work_id_ = 0;
    std::deque<QueuedWork> outstanding_work_;  ///< work that the host has not waited for
};

thread_local QueuedWork* current_work = nullptr;

bool is_stream_check_enabled() {
    return options().checks.runs_streamcheck;
}

}  // namespace

StreamWork::StreamWork(cudaStream_t stream) {
    if (current_work != nullptr || !is_stream_check_enabled()) return;
    is_outermost_ = true;
    current_work = new QueuedWork;
    current_work->name = CurrentCall::outermost_name();
    StreamOrder::instance().begin_work(stream, *current_work);
}

StreamWork::~StreamWork() {
    if (!is_outermost_) return;
    StreamOrder::instance().end_work(std::move(*current_work));
    delete current_work;
    current_work = nullptr;
}

void StreamWork::record_host_wait() {
    if (current_work != nullptr) current_work->is_awaited_by_host = true;
}

void StreamWork::set_kernel_name(const std::string& name) {
    if (current_work != nullptr) current_work->name = name;
}

AccessedRanges* StreamWork::ranges() {
    return current_work != nullptr ? &current_work->ranges : nullptr;
}

void StreamWork::collect_accesses_of(LaunchConfig& config) {
    if (current_work == nullptr) return;
    config.accessed_ranges = &current_work->ranges;
    config.wants_shared_memory_only = !StreamOrder::instance().has_concurrent_streams();
}

void StreamWork::record_freed_range(u64 begin, u64 end) {
    if (current_work == nullptr) return;
    current_work->frees_memory = true;
    current_work->ranges.add(AccessedRanges::kWrites, begin, end);
}

void StreamWork::record(cudaEvent_t event) {
    if (current_work != nullptr) StreamOrder::instance().record_event_in_work(event, *current_work);
}

void StreamWork::wait_for_event(cudaEvent_t event) {
    if (current_work != nullptr)
        StreamOrder::instance().wait_for_event_in_work(*current_work, event);
}

void record_stream_creation(cudaStream_t stream, bool is_blocking) {
    if (is_stream_check_enabled()) StreamOrder::instance().add_stream(stream, is_blocking);
}
void order_event_after_stream(cudaEvent_t event, cudaStream_t stream) {
    if (is_stream_check_enabled()) StreamOrder::instance().record_event(event, stream);
}
void order_stream_after_event(cudaStream_t stream, cudaEvent_t event) {
    if (is_stream_check_enabled()) StreamOrder::instance().wait_for_event(stream, event);
}
void record_host_wait_for_event(cudaEvent_t event) {
    if (is_stream_check_enabled()) StreamOrder::instance().record_host_wait(event);
}
void record_host_wait_for_stream(cudaStream_t stream) {
    if (is_stream_check_enabled()) StreamOrder::instance().record_host_wait(stream);
}
void record_host_wait_for_device() {
    if (is_stream_check_enabled()) StreamOrder::instance().record_host_wait_for_all();
}
void report_host_accesses() {
    if (is_stream_check_enabled()) StreamOrder::instance().report_last_host_accesses();
}

}  // namespace coalesce::simulator::cudart
