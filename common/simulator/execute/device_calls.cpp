// See device_calls.h.
#include "execute/device_calls.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>

#include "execute/graph_conditions.h"
#include "execute/memory_access.h"
#include "execute/printf_format.h"

namespace coalesce::sim {

namespace {

// ---- vprintf(format, arguments) ----

const Op* not_printable(Warp& w, const Op* op, int lane, u64 address, const std::string& why) {
    return w.fail(op, Status::illegal_address, "memcheck", "out of bounds", "printf: " + why, lane,
                  address);
}

/// What a line of one lane takes out of the instruction budget: formatting is long work on a GPU as
/// well, and a flood of lines must not outlast an endless loop. Long lines take more.
constexpr i64 kInstructionsALine = 50;
constexpr u64 kCharactersAnInstruction = 16;

const Op* run_vprintf(Warp& w, const Op* op) {
    const i64 lines = std::popcount(w.active);
    w.unseen += static_cast<u64>(lines * kInstructionsALine);
    w.fuel -= lines;
    const u64* formats = w.lanes<u64>(op->a);
    const u64* buffers = w.lanes<u64>(op->b);
    u32 used[kLanes] = {};
    std::string text;  // of the whole warp, so that it reaches the host in one piece
    std::string format;
    u64 format_read = 0;
    for (const int lane : LanesIn{w.active}) {
        if (formats[lane] != format_read || !format_read) {
            const std::optional<std::string> read = read_string(w, formats[lane], lane);
            if (!read)
                return not_printable(w, op, lane, formats[lane],
                                     "the format string cannot be read; pass pointers that are "
                                     "valid on the device");
            format = *read;
            format_read = formats[lane];
        }
        FormatSource source;
        source.argument = [&](u32 offset, u32 bytes, void* to) {
            return read_bytes(w, buffers[lane] + offset, lane, bytes, to);
        };
        source.string = [&](u64 address) { return read_string(w, address, lane); };
        const Formatted formatted = format_printf(format, source);
        if (!formatted.problem.empty())
            return not_printable(w, op, lane, buffers[lane], formatted.problem);
        text += formatted.text;
        w.unseen += formatted.text.size() / kCharactersAnInstruction;
        used[lane] = static_cast<u32>(formatted.arguments);
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    w.block->watch->memory_changed();
    if (op->has_destination) w.write<u32>(op->d, [&](int l) { return used[l]; });
    return op + 1;
}

// ---- __assertfail(message, file, line, function, size of a character) ----

/// No condition, function or file has a longer name in a message.
constexpr u64 kLongestName = 1000;

const Op* run_assertfail(Warp& w, const Op* op) {
    const Dim3 block = w.block->index;
    const auto text_of = [&](Slot slot, int lane) {
        return read_string(w, w.lanes<u64>(slot)[lane], lane, kLongestName).value_or("?");
    };
    std::fflush(stdout);
    for (const int lane : LanesIn{w.active}) {
        const Dim3 thread = w.thread_of(lane);
        std::fprintf(stderr,
                     "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     text_of(op->b, lane).c_str(), w.lanes<u32>(op->c)[lane],
                     text_of(op->v[0], lane).c_str(), block.x, block.y, block.z, thread.x, thread.y,
                     thread.z, text_of(op->a, lane).c_str());
    }
    const int first = w.first_active();
    return w.fail(op, Status::assert_failed, "execution", "assertion failed",
                  "the assertion `" + text_of(op->a, first) + "` failed", first);
}

// ---- malloc, free ----

const Op* run_malloc(Warp& w, const Op* op) {
    const u64* sizes = w.lanes<u64>(op->a);
    u64 pointers[kLanes] = {};
    DeviceMemory& memory = *w.block->launch->memory;
    for (const int l : LanesIn{w.active}) {
        pointers[l] = DeviceHeap::instance().allocate(sizes[l]);
        if (pointers[l]) memory.mark_unwritten(pointers[l], sizes[l]);
    }
    if (op->has_destination) w.write<u64>(op->d, [&](int l) { return pointers[l]; });
    w.block->watch->memory_changed();
    return op + 1;
}

const Op* run_free(Warp& w, const Op* op) {
    const u64* pointers = w.lanes<u64>(op->a);
    for (const int l : LanesIn{w.active}) {
        if (!pointers[l]) continue;
        const u64 bytes = DeviceHeap::instance().free(pointers[l]);
        if (bytes == 0)
            return w.fail(
                op, Status::illegal_address, "memcheck", "invalid free",
                "free() of a pointer that malloc() in a kernel did not return, or that was "
                "freed before; free it once, and memory of cudaMalloc with cudaFree",
                l, pointers[l]);
        w.block->launch->memory->mark_unwritten(pointers[l], bytes);
    }
    w.block->watch->memory_changed();
    return op + 1;
}

// ---- cudaGraphSetConditional(handle, value) ----

const Op* run_set_conditional(Warp& w, const Op* op) {
    const u64* handles = w.lanes<u64>(op->a);
    const u32* values = w.lanes<u32>(op->b);
    for (const int l : LanesIn{w.active}) {
        if (!GraphConditions::instance().set(handles[l], values[l]))
            return w.fail(op, Status::launch_failure, "execution", "invalid handle",
                          "cudaGraphSetConditional with a handle that "
                          "cudaGraphConditionalHandleCreate did not return",
                          l);
    }
    w.block->watch->memory_changed();
    return op + 1;
}

struct NamedCall {
    const char* name;
    DeviceCall call;
};

constexpr Width w32 = Width::w32, w64 = Width::w64;
constexpr NamedCall kCalls[] = {
    {"vprintf", {run_vprintf, w32, {w64, w64}, true, false}},
    {"__assertfail", {run_assertfail, Width::none, {w64, w64, w32, w64, w64}, false, false}},
    {"malloc", {run_malloc, w64, {w64}, true, true}},
    {"free", {run_free, Width::none, {w64}, true, true}},
    {"cudaGraphSetConditional", {run_set_conditional, Width::none, {w64, w32}, true, false}},
};

}  // namespace

const DeviceCall* find_device_call(const std::string& name) {
    for (const NamedCall& c : kCalls)
        if (name == c.name) return &c.call;
    return nullptr;
}

// ---- the heap ----

struct DeviceHeap::State {
    std::mutex mutex;
    std::map<u64, u64> free;  ///< begin -> bytes; neighbours are merged
    std::map<u64, u64> live;
    /// Freed since the launch began. Given out again only when nothing else is left, so that one
    /// thread's old memory and another's new memory are not the same bytes for the race checks, and
    /// a use after free meets bytes that nobody has written.
    std::map<u64, u64> resting;

    void give_back(u64 begin, u64 bytes);
    void end_rest();
    u64 take(u64 bytes);
};

/// Joins a piece with its free neighbours.
void DeviceHeap::State::give_back(u64 begin, u64 bytes) {
    auto merged = free.emplace(begin, bytes).first;
    if (const auto next = std::next(merged); next != free.end() && begin + bytes == next->first) {
        merged->second += next->second;
        free.erase(next);
    }
    if (merged == free.begin()) return;
    const auto before = std::prev(merged);
    if (before->first + before->second != begin) return;
    before->second += merged->second;
    free.erase(merged);
}

void DeviceHeap::State::end_rest() {
    for (const auto& [begin, bytes] : resting) give_back(begin, bytes);
    resting.clear();
}

/// The first free piece that is large enough; 0: there is none.
u64 DeviceHeap::State::take(u64 bytes) {
    for (auto piece = free.begin(); piece != free.end(); ++piece) {
        const auto [begin, available] = *piece;
        if (available < bytes) continue;
        free.erase(piece);
        if (available > bytes) free[begin + bytes] = available - bytes;
        live[begin] = bytes;
        return begin;
    }
    return 0;
}

DeviceHeap& DeviceHeap::instance() {
    static DeviceHeap heap;
    return heap;
}

DeviceHeap::State& DeviceHeap::state() {
    static State state;
    return state;
}

bool DeviceHeap::prepare(DeviceMemory& memory) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.end_rest();
    if (base_) return true;
    base_ = memory.allocate(size_, AllocationKind::variable, "the heap of malloc in kernels");
    if (base_) s.free[base_] = size_;
    return base_ != 0;
}

bool DeviceHeap::set_size(u64 bytes) {
    if (base_) return false;
    size_ = bytes;
    return true;
}

void DeviceHeap::reset() {
    base_ = 0;
    State& s = state();
    s.free.clear();
    s.live.clear();
    s.resting.clear();
}

u64 DeviceHeap::allocate(u64 bytes) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (bytes == 0 || bytes > size_) return 0;
    const u64 wanted = round_up(bytes, 16);
    if (const u64 begin = s.take(wanted)) return begin;
    s.end_rest();
    return s.take(wanted);
}

u64 DeviceHeap::free(u64 address) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const auto piece = s.live.find(address);
    if (piece == s.live.end()) return 0;
    const u64 bytes = piece->second;
    s.resting.insert(*piece);
    s.live.erase(piece);
    return bytes;
}

}  // namespace coalesce::sim
