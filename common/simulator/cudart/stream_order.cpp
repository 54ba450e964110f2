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

void join_clock(VectorClock& to, const VectorClock& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t s = 0; s < from.size(); ++s) to[s] = std::max(to[s], from[s]);
}
u64 entry_of(const VectorClock& clock, std::size_t stream) {
    return stream < clock.size() ? clock[stream] : 0;
}

/// A piece of work in a stream.
struct QueuedWork {
    std::size_t stream = 0;
    u64 number = 0;  ///< the position of this work in its stream, starting at 1
    std::string name;
    bool frees = false;
    bool host_waits = false;
    AccessedRanges ranges;
    VectorClock before;  ///< the point in time at which this work begins
    /// the ranges of host-accessible memory that the work accesses
    std::vector<GuardedRange> guarded;
    u64 id = 0;  ///< the id of this work in GuardedRange::work
};

/// Returns the ranges of host-accessible memory that the work accesses. Returns no ranges if the
/// work performs atomics on such memory, because the host may be waiting for a flag that an atomic
/// sets.
std::vector<GuardedRange> find_guarded_ranges(const AccessedRanges& ranges, u64 id) {
    std::vector<GuardedRange> guarded;
    for (const auto kind :
         {AccessedRanges::kReads, AccessedRanges::kWrites, AccessedRanges::kAtomics}) {
        for (const AccessedRanges::Range& range : ranges.of_kind(kind)) {
            const auto allocation = memory().find(range.begin);
            if (!allocation || (allocation->kind != AllocationKind::managed &&
                                allocation->kind != AllocationKind::pinned))
                continue;
            if (kind == AccessedRanges::kAtomics) return {};
            guarded.push_back({range.begin, std::min(range.end, allocation->end),
                               kind == AccessedRanges::kWrites, id});
        }
    }
    return guarded;
}

/// New work is compared with at most this many earlier pieces of work.
constexpr std::size_t kMaxOutstandingWork = 256;

class StreamOrder {
public:
    static StreamOrder& instance() {
        static StreamOrder& order = *new StreamOrder;
        return order;
    }

    void add_stream(cudaStream_t handle, bool waits_for_default) {
        const std::lock_guard lock(mutex_);
        find(handle).is_blocking = waits_for_default;
    }

    /// Reports whether the program has streams whose work can run at the same time.
    bool has_concurrent_streams() {
        const std::lock_guard lock(mutex_);
        return streams_.size() > 2 ||
               std::any_of(streams_.begin(), streams_.end(),
                           [](const auto& stream) { return !stream.is_blocking; });
    }

    void begin(cudaStream_t handle, QueuedWork& work) {
        const std::lock_guard lock(mutex_);
        host_guard::open();
        report_touches();
        work.stream = find_index(handle);
        Stream& stream = streams_[work.stream];
        join_clock(stream.clock, host_);
        meet_default_stream(handle, stream);
        work.before = stream.clock;
        if (stream.clock.size() <= work.stream) stream.clock.resize(work.stream + 1);
        work.number = ++stream.clock[work.stream];
    }

    void end(QueuedWork work) {
        const std::lock_guard lock(mutex_);
        work.ranges.sort();
        work.id = ++last_id_;
        if (!work.host_waits) work.guarded = find_guarded_ranges(work.ranges, work.id);
        for (const QueuedWork& earlier : outstanding_) {
            if (earlier.number <= entry_of(work.before, earlier.stream)) continue;
            if (const auto found = AccessedRanges::find_conflict(earlier.ranges, work.ranges))
                report(earlier, work, *found);
        }
        if (work.host_waits) join_clock(host_, streams_[work.stream].clock);
        if (!work.host_waits && !work.ranges.is_empty()) outstanding_.push_back(std::move(work));
        forget_ordered_work();
    }

    void record(cudaEvent_t event, cudaStream_t handle) {
        const std::lock_guard lock(mutex_);
        Stream& stream = find(handle);
        meet_default_stream(handle, stream);
        events_[event] = stream.clock;
    }
    void wait(cudaStream_t handle, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (const auto found = events_.find(event); found != events_.end())
            join_clock(find(handle).clock, found->second);
    }
    void record_within(cudaEvent_t event, const QueuedWork& work) {
        const std::lock_guard lock(mutex_);
        events_[event] = streams_[work.stream].clock;
    }
    void wait_within(QueuedWork& work, cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        const auto found = events_.find(event);
        if (found == events_.end()) return;
        join_clock(work.before, found->second);
        join_clock(streams_[work.stream].clock, found->second);
    }
    void host_waits_for(cudaEvent_t event) {
        const std::lock_guard lock(mutex_);
        if (const auto found = events_.find(event); found != events_.end())
            join_clock(host_, found->second);
        forget_ordered_work();
    }
    void host_waits_for(cudaStream_t handle) {
        const std::lock_guard lock(mutex_);
        Stream& stream = find(handle);
        meet_default_stream(handle, stream);
        join_clock(host_, stream.clock);
        forget_ordered_work();
    }
    void report_last_touches() {
        const std::lock_guard lock(mutex_);
        host_guard::open();
        report_touches();
    }
    void host_waits_for_all() {
        const std::lock_guard lock(mutex_);
        for (const Stream& stream : streams_) join_clock(host_, stream.clock);
        forget_ordered_work();
    }

private:
    struct Stream {
        u64 key = 0;
        /// Whether this stream and the default stream wait for each other.
        bool is_blocking = true;
        VectorClock clock = {};
    };

    StreamOrder() { streams_.emplace_back(); }  // stream 0 is the default stream

    static u64 key_of(cudaStream_t handle) {
        if (is_legacy(handle)) return 0;
        // Each host thread has a default stream of its own.
        if (handle == cudaStreamPerThread)
            return std::hash<std::thread::id>()(std::this_thread::get_id()) | 1;
        return reinterpret_cast<u64>(handle);
    }
    /// Returns the index of the stream, and adds the stream if it is new.
    std::size_t find_index(cudaStream_t handle) {
        const u64 key = key_of(handle);
        std::size_t index = 0;
        while (index < streams_.size() && streams_[index].key != key) ++index;
        if (index == streams_.size()) streams_.push_back({.key = key});
        return index;
    }
    Stream& find(cudaStream_t handle) { return streams_[find_index(handle)]; }
    /// Orders the work of the stream relative to the default stream. Work in the default stream
    /// comes after all earlier work in blocking streams, and before all later work in these
    /// streams.
    void meet_default_stream(cudaStream_t handle, Stream& stream) {
        if (!is_legacy(handle)) {
            if (stream.is_blocking) join_clock(stream.clock, streams_[0].clock);
            return;
        }
        for (const Stream& other : streams_)
            if (other.is_blocking) join_clock(stream.clock, other.clock);
    }
    /// Forgets work that the host has waited for, and guards the memory of the remaining work.
    void forget_ordered_work() {
        report_touches();
        std::erase_if(outstanding_, [this](const QueuedWork& work) {
            return work.number <= entry_of(host_, work.stream);
        });
        while (outstanding_.size() > kMaxOutstandingWork) outstanding_.pop_front();
        std::vector<GuardedRange> guarded;
        for (const QueuedWork& work : outstanding_)
            guarded.insert(guarded.end(), work.guarded.begin(), work.guarded.end());
        host_guard::protect(std::move(guarded));
    }

    void report_touches() {
        for (const HostTouch& touch : host_guard::take_touches()) {
            const auto work =
                std::find_if(outstanding_.begin(), outstanding_.end(),
                             [&](const QueuedWork& queued) { return queued.id == touch.work; });
            if (work != outstanding_.end()) report(touch, *work);
        }
    }
    static void report(const HostTouch& touch, const QueuedWork& work) {
        const auto is_touched = [&](const AccessedRanges::Range& range) {
            return touch.address >= range.begin && touch.address < range.end;
        };
        Report report;
        report.check = "streamcheck";
        report.kind = "host does not wait";
        report.where = host_place(touch.instruction);
        bool writes = false;
        for (const auto kind : {AccessedRanges::kReads, AccessedRanges::kWrites}) {
            const auto& ranges = work.ranges.of_kind(kind);
            const auto found = std::find_if(ranges.begin(), ranges.end(), is_touched);
            if (found == ranges.end()) continue;
            report.other = work.ranges.place_of(*found);
            writes = kind == AccessedRanges::kWrites;
        }
        report.message = std::string("The host ") + (touch.is_write ? "writes" : "reads") + " " +
                         describe_address(touch.address, *memory().table()) + ", which " +
                         work.name + " may still " + (writes ? "write" : "read") +
                         ": the host has not waited for it.";
        report.cure =
            "Call cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize before the "
            "host accesses this memory.";
        reports().add(report);
    }

    void report(const QueuedWork& earlier, const QueuedWork& later,
                const AccessedRanges::Conflict& conflict) const {
        const auto verb = [](const QueuedWork& work, AccessedRanges::Kind kind, bool past) {
            if (work.frees) return past ? "freed" : "frees";
            if (kind == AccessedRanges::kReads) return past ? "read" : "reads";
            return past ? "wrote" : "writes";
        };
        Report report;
        report.check = "streamcheck";
        report.kind = later.frees ? "freed while in use" : "no order between streams";
        report.where = conflict.later_place.line ? conflict.later_place : calling_place();
        report.other = conflict.earlier_place;
        report.address = conflict.begin;
        const u64 bytes = conflict.end - conflict.begin;
        const auto table = memory().table();
        const Allocation* freed =
            table->find(conflict.begin) == nullptr ? table->find_freed(conflict.begin) : nullptr;
        const std::string where =
            freed != nullptr ? "the allocation of " + std::to_string(freed->end - freed->begin) +
                                   " bytes (no. " + std::to_string(freed->serial) + ")"
                             : describe_address(conflict.begin, *table);
        report.message = later.name + " " + verb(later, conflict.later, false) + " " +
                         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
                         " starting at " + where + ", which " + earlier.name + " " +
                         verb(earlier, conflict.earlier, true) +
                         " in another stream; nothing orders the two operations.";
        const bool meets_default = earlier.stream == 0 || later.stream == 0;
        if (meets_default)
            report.message +=
                " A stream made with cudaStreamNonBlocking does not wait for the default stream.";
        report.cure =
            "Record an event after the first operation (cudaEventRecord) and make the second "
            "stream wait for this event (cudaStreamWaitEvent), or synchronize the first stream "
            "before the second operation.";
        reports().add(report);
    }

    std::mutex mutex_;
    std::deque<Stream> streams_;  ///< the first one is the default stream
    std::map<cudaEvent_t, VectorClock> events_;
    VectorClock host_;
    u64 last_id_ = 0;
    std::deque<QueuedWork> outstanding_;  ///< work that the host has not waited for
};

thread_local QueuedWork* current_work = nullptr;

bool checks_streams() {
    return options().checks.streams;
}

}  // namespace

StreamWork::StreamWork(cudaStream_t stream) {
    if (current_work != nullptr || !checks_streams()) return;
    is_outermost_ = true;
    current_work = new QueuedWork;
    current_work->name = CurrentCall::outermost_name();
    StreamOrder::instance().begin(stream, *current_work);
}

StreamWork::~StreamWork() {
    if (!is_outermost_) return;
    StreamOrder::instance().end(std::move(*current_work));
    delete current_work;
    current_work = nullptr;
}

void StreamWork::let_host_wait() {
    if (current_work != nullptr) current_work->host_waits = true;
}

void StreamWork::set_name(const std::string& name) {
    if (current_work != nullptr) current_work->name = name;
}

AccessedRanges* StreamWork::ranges() {
    return current_work != nullptr ? &current_work->ranges : nullptr;
}

void StreamWork::configure(LaunchConfig& config) {
    if (current_work == nullptr) return;
    config.accesses = &current_work->ranges;
    config.wants_shared_memory_only = !StreamOrder::instance().has_concurrent_streams();
}

void StreamWork::note_freed(u64 begin, u64 end) {
    if (current_work == nullptr) return;
    current_work->frees = true;
    current_work->ranges.add(AccessedRanges::kWrites, begin, end);
}

void StreamWork::record(cudaEvent_t event) {
    if (current_work != nullptr) StreamOrder::instance().record_within(event, *current_work);
}

void StreamWork::wait_for(cudaEvent_t event) {
    if (current_work != nullptr) StreamOrder::instance().wait_within(*current_work, event);
}

void note_stream_created(cudaStream_t stream, bool waits_for_default) {
    if (checks_streams()) StreamOrder::instance().add_stream(stream, waits_for_default);
}
void note_event_recorded(cudaEvent_t event, cudaStream_t stream) {
    if (checks_streams()) StreamOrder::instance().record(event, stream);
}
void note_stream_waits(cudaStream_t stream, cudaEvent_t event) {
    if (checks_streams()) StreamOrder::instance().wait(stream, event);
}
void note_host_waited_for_event(cudaEvent_t event) {
    if (checks_streams()) StreamOrder::instance().host_waits_for(event);
}
void note_host_waited_for_stream(cudaStream_t stream) {
    if (checks_streams()) StreamOrder::instance().host_waits_for(stream);
}
void note_host_waited_for_all() {
    if (checks_streams()) StreamOrder::instance().host_waits_for_all();
}
void report_host_touches() {
    if (checks_streams()) StreamOrder::instance().report_last_touches();
}

}  // namespace coalesce::simulator::cudart
