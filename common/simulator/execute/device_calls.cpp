// See device_calls.h.
#include "simulator/execute/device_calls.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "simulator/base/options.h"
#include "simulator/execute/graph_conditions.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/printf_format.h"

namespace coalesce::simulator {

namespace {

// ---- vprintf(format, arguments) ----

const Op* report_unprintable(Warp& w, const Op* op, int lane, u64 address,
                             const std::string& reason) {
    return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                         "printf: " + reason, lane, address);
}

/// The number of instructions that a lane is charged for each line that it prints. Formatting takes
/// a long time on a GPU too, and a program that prints in an endless loop must soon reach the
/// instruction limit. Long lines cost more.
constexpr i64 kInstructionsPerLine = 50;
constexpr u64 kCharactersPerInstruction = 16;

const Op* run_vprintf(Warp& w, const Op* op) {
    const bool is_silent = !options().has_printf;
    const i64 line_count = is_silent ? 0 : std::popcount(w.active);
    ++printf_call_count();
    w.uncounted_instructions += static_cast<u64>(line_count * kInstructionsPerLine);
    w.branches_left -= line_count;
    const u64* formats = w.lanes<u64>(op->a);
    const u64* buffers = w.lanes<u64>(op->b);
    u32 argument_counts[kLanes] = {};
    std::string text;  // the text of the whole warp, which is printed in one step
    std::string format;
    u64 format_address = 0;
    for (const int lane : LaneRange{w.active}) {
        if (formats[lane] != format_address || !format_address) {
            const std::optional<std::string> format_text = read_string(w, formats[lane], lane);
            if (!format_text)
                return report_unprintable(
                    w, op, lane, formats[lane],
                    "the format string cannot be read; pass pointers that are "
                    "valid on the device");
            format = *format_text;
            format_address = formats[lane];
        }
        FormatSource source;
        source.read_argument = [&](u32 offset, u32 bytes, void* destination) {
            return read_bytes(w, buffers[lane] + offset, lane, bytes, destination);
        };
        source.read_string = [&](u64 address) { return read_string(w, address, lane); };
        const Formatted formatted = format_printf(format, source);
        if (!formatted.problem.empty())
            return report_unprintable(w, op, lane, buffers[lane], formatted.problem);
        argument_counts[lane] = static_cast<u32>(formatted.argument_count);
        if (is_silent) continue;
        text += formatted.text;
        w.uncounted_instructions += formatted.text.size() / kCharactersPerInstruction;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    w.block->watch->note_memory_change();
    if (op->has_destination) w.write<u32>(op->d, [&](int l) { return argument_counts[l]; });
    return op + 1;
}

// ---- __assertfail(message, file, line, function, character size) ----

/// The maximum length of a condition, a function name or a file name in a message. Longer texts are
/// truncated.
constexpr u64 kMaxNameLength = 1000;

const Op* run_assertfail(Warp& w, const Op* op) {
    const Dim3 block = w.block->index;
    const auto read_name = [&](Slot slot, int lane) {
        return read_string(w, w.lanes<u64>(slot)[lane], lane, kMaxNameLength).value_or("?");
    };
    std::fflush(stdout);
    for (const int lane : LaneRange{w.active}) {
        const Dim3 thread = w.thread_index(lane);
        std::fprintf(stderr,
                     "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     read_name(op->b, lane).c_str(), w.lanes<u32>(op->c)[lane],
                     read_name(op->v[0], lane).c_str(), block.x, block.y, block.z, thread.x,
                     thread.y, thread.z, read_name(op->a, lane).c_str());
    }
    const int first_lane = w.first_active();
    return w.fail_launch(op, Status::assert_failed, "execution", "assertion failed",
                         "the assertion `" + read_name(op->a, first_lane) + "` failed", first_lane);
}

// ---- malloc, free ----

const Op* run_malloc(Warp& w, const Op* op) {
    const u64* sizes = w.lanes<u64>(op->a);
    u64 pointers[kLanes] = {};
    DeviceMemory& memory = *w.block->launch->memory;
    for (const int l : LaneRange{w.active}) {
        pointers[l] = DeviceHeap::instance().allocate(sizes[l]);
        if (pointers[l]) memory.mark_unwritten(pointers[l], sizes[l]);
    }
    if (op->has_destination) w.write<u64>(op->d, [&](int l) { return pointers[l]; });
    w.block->watch->note_memory_change();
    return op + 1;
}

const Op* run_free(Warp& w, const Op* op) {
    const u64* pointers = w.lanes<u64>(op->a);
    for (const int l : LaneRange{w.active}) {
        if (!pointers[l]) continue;
        const u64 bytes = DeviceHeap::instance().free_block(
            pointers[l], {w.block->index, w.thread_index(l), w.block->launch->kernel->place(op)});
        if (bytes == 0)
            return w.fail_launch(
                op, Status::illegal_address, "memcheck", "invalid free",
                "free() was called with a pointer that malloc() in a kernel did not "
                "return, or that was already freed; free each pointer once, and free "
                "memory from cudaMalloc with cudaFree",
                l, pointers[l]);
        w.block->launch->memory->mark_unwritten(pointers[l], bytes);
    }
    // Clear the caches of the sites, because these caches may still refer to freed heap memory.
    std::fill_n(w.site_caches, w.block->launch->kernel->sites.size(), SiteCache{});
    w.block->watch->note_memory_change();
    return op + 1;
}

// ---- cudaGraphSetConditional(handle, value) ----

const Op* run_set_conditional(Warp& w, const Op* op) {
    const u64* handles = w.lanes<u64>(op->a);
    const u32* values = w.lanes<u32>(op->b);
    for (const int l : LaneRange{w.active}) {
        if (!GraphConditions::instance().set_value(handles[l], values[l]))
            return w.fail_launch(op, Status::launch_failure, "execution", "invalid handle",
                                 "cudaGraphSetConditional was called with a handle that "
                                 "cudaGraphConditionalHandleCreate did not return",
                                 l);
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

constexpr Width w32 = Width::w32, w64 = Width::w64;
constexpr DeviceCall kDeviceCalls[] = {
    {"vprintf", run_vprintf, w32, {w64, w64}, true, false},
    {"__assertfail", run_assertfail, Width::none, {w64, w64, w32, w64, w64}, false, false},
    {"malloc", run_malloc, w64, {w64}, true, true},
    {"free", run_free, Width::none, {w64}, true, true},
    {"cudaGraphSetConditional", run_set_conditional, Width::none, {w64, w32}, true, false},
};

}  // namespace

std::atomic<u64>& printf_call_count() {
    static std::atomic<u64> call_count = 0;
    return call_count;
}

const DeviceCall* find_device_call(const std::string& name) {
    for (const DeviceCall& call : kDeviceCalls)
        if (name == call.name) return &call;
    return nullptr;
}

// ---- the heap ----

DeviceHeap& DeviceHeap::instance() {
    static DeviceHeap heap;
    return heap;
}

bool DeviceHeap::prepare_for_launch(DeviceMemory& memory) {
    const std::lock_guard lock(mutex_);
    zone_.empty_quarantine();
    ++launches_;
    if (is_reserved()) return true;
    const u64 base = memory.allocate(heap_bytes_, AllocationKind::variable, "device heap");
    if (base) zone_ = AddressZone({base, base + heap_bytes_}, AddressZone::kIntervalsUntilEndReuse);
    return base != 0;
}

bool DeviceHeap::set_size(u64 bytes) {
    const std::lock_guard lock(mutex_);
    if (is_reserved()) return false;
    heap_bytes_ = bytes;
    return true;
}

u64 DeviceHeap::allocate(u64 bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0 || bytes > heap_bytes_) return 0;
    const Interval piece = zone_.take_interval(rounded_bytes(bytes), 16);
    if (piece.size() == 0) return 0;
    live_pieces_[piece.begin] = bytes;
    freed_pieces_.erase(freed_pieces_.lower_bound(piece.begin),
                        freed_pieces_.lower_bound(piece.end));
    free_calls_.erase(free_calls_.lower_bound(piece.begin), free_calls_.lower_bound(piece.end));
    return piece.begin;
}

u64 DeviceHeap::free_block(u64 address, FreeCall free_call) {
    const std::lock_guard lock(mutex_);
    const auto piece = live_pieces_.find(address);
    if (piece == live_pieces_.end()) return 0;
    const u64 bytes = piece->second;
    zone_.return_interval({address, address + rounded_bytes(bytes)});
    live_pieces_.erase(piece);
    freed_pieces_[address] = bytes;
    free_call.launch = launches_;
    free_calls_[address] = std::move(free_call);
    return bytes;
}

Interval DeviceHeap::find_piece_below(const Pieces& pieces, u64 address) {
    const auto next_piece = pieces.upper_bound(address);
    if (next_piece == pieces.begin()) return {};
    const auto& [begin, bytes] = *std::prev(next_piece);
    return {begin, begin + bytes};
}

Interval DeviceHeap::find_piece_in(const Pieces& pieces, u64 address) {
    const Interval previous_piece = find_piece_below(pieces, address);
    return address < previous_piece.end ? previous_piece : Interval{};
}

Interval DeviceHeap::find_allocation(u64 address) const {
    return find_piece_in(live_pieces_, address);
}

Interval DeviceHeap::find_freed_piece(u64 address) const {
    return find_piece_in(freed_pieces_, address);
}

Interval DeviceHeap::find_piece_below(u64 address) const {
    return find_piece_below(live_pieces_, address);
}

}  // namespace coalesce::simulator
