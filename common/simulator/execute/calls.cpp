#include "simulator/execute/calls.h"

#include "simulator/code/width.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"
#include "simulator/execute/lane_memory.h"
#include "simulator/execute/local_memory.h"
#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {
namespace {

/// The stack space in bytes that each call takes per thread, in addition to local variables. It
/// contains the return address and a register.
constexpr u32 kCallStackBytes = 16;

const FunctionCode& running_code(const Warp& w) {
    return w.frame ? *w.frame->code : w.block->launch->code->kernel_function;
}

/// Memory in which each lane owns `stride` bytes.
struct StridedLaneMemory {
    u8* begin;
    u32 stride;
    u8* lane_address(int lane, u64 offset) const {
        return begin + static_cast<u32>(lane) * stride + offset;
    }
};
StridedLaneMemory parameter_memory(const Warp& w) {
    return {w.frame ? w.frame->parameters : w.kernel_parameters, running_code(w).parameter_bytes};
}

void copy_lanes(const StridedLaneMemory& to, u32 to_offset, const StridedLaneMemory& from,
                u32 from_offset, u32 bytes, Mask lanes) {
    for (const int l : LaneRange{lanes})
        std::memcpy(to.lane_address(l, to_offset), from.lane_address(l, from_offset), bytes);
}

/// Reports whether caller and callee agree on the number of values passed, and whether both have
/// enough space for these values.
bool fits_call_site(const CallSite& site, const FunctionCode& caller, const FunctionCode& callee) {
    const auto has_space = [&](const std::vector<u32>& offsets,
                               const std::vector<ParameterSlot>& slots) {
        if (offsets.size() != slots.size()) return false;
        for (std::size_t k = 0; k < slots.size(); ++k)
            if (u64{offsets[k]} + slots[k].bytes > caller.parameter_bytes) return false;
        return true;
    };
    return has_space(site.argument_offsets, callee.parameters) &&
           has_space(site.result_offsets, callee.results);
}

const Op* enter_function(Warp& w, const Op* op, const FunctionCode& callee) {
    // Each call counts as a backward branch, so that endless recursion reaches the instruction
    // limit.
    if (--w.branches_left < 0) {
        w.branches_left = 0;
        if (w.block->launch->instruction_limit) {
            w.update_lane_instructions();
            w.other_fragments.push_back({.next_op = op, .lanes = w.active, .frame = w.frame});
            return nullptr;
        }
    }
    w.count_straight_line_run(op);
    const FunctionCode& caller = running_code(w);
    const u32 base = (w.frame ? w.frame->local_base : 0) + caller.local_bytes + kCallStackBytes;
    if (base + callee.local_bytes > w.local_bytes)
        return w.fail_launch(
            op, Status::illegal_address, "memcheck", "stack overflow",
            "the call needs more stack than the " + std::to_string(w.local_bytes) +
                " bytes that a thread has; end the recursion earlier, or raise cudaLimitStackSize",
            w.first_active());
    if (!fits_call_site(*op->call_site, caller, callee))
        return w.fail_launch(
            op, Status::illegal_instruction, "execution", "bad call",
            "the arguments or results of the call do not match those of the function " +
                callee.name,
            w.first_active());
    Frame* frame = w.block->frames.take_frame(callee);
    frame->caller = w.frame;
    frame->call_op = op;
    frame->site = op->call_site;
    frame->local_base = base;
    frame->lanes_in_call = w.active;
    for (const int l : LaneRange{w.local_shadow ? w.active : 0})
        mark_local_unwritten(w, l, base, callee.local_bytes);
    const StridedLaneMemory caller_parameters = parameter_memory(w),
                            callee_parameters{frame->parameters, callee.parameter_bytes};
    for (std::size_t k = 0; k < callee.parameters.size(); ++k)
        copy_lanes(callee_parameters, callee.parameters[k].offset, caller_parameters,
                   op->call_site->argument_offsets[k], callee.parameters[k].bytes, w.active);
    w.enter_frame(frame);
    return callee.ops.data();
}

template <class Shape, bool Store>
const Op* access_parameter(Warp& w, const Op* op) {
    const StridedLaneMemory parameters = parameter_memory(w);
    for (const int l : LaneRange{w.active})
        move_lane<Shape, Store>(w, op, l,
                                parameters.lane_address(l, static_cast<u64>(op->immediate)));
    return op + 1;
}

}  // namespace

Frame* FramePool::take_frame(const FunctionCode& code) {
    Frame* frame;
    if (free_frames_.empty()) {
        all_frames_.push_back(std::make_unique<Frame>());
        frame = all_frames_.back().get();
    } else {
        frame = free_frames_.back();
        free_frames_.pop_back();
    }
    const u64 registers = round_up(code.register_file_bytes, 64),
              parameters = u64{code.parameter_bytes} * kLanes;
    frame->storage.assign((registers + parameters + 128) / 8, 0);
    const u64 aligned_begin = round_up(reinterpret_cast<u64>(frame->storage.data()), 64);
    frame->registers = reinterpret_cast<u8*>(aligned_begin);
    frame->parameters = frame->registers + registers;
    frame->code = &code;
    return frame;
}

void copy_registers(const FunctionCode& code, u8* destination, const u8* source, int lane) {
    const auto copy = [&](u32 offset, u32 bytes) {
        const u32 lane_offset = offset + static_cast<u32>(lane) * bytes;
        std::memcpy(destination + lane_offset, source + lane_offset, bytes);
    };
    for (const SlotPosition& slot : code.slots) {
        if (slot.bytes == slot_bytes(Width::predicate)) {
            Mask& destination_mask = *reinterpret_cast<Mask*>(destination + slot.offset);
            const Mask source_mask = *reinterpret_cast<const Mask*>(source + slot.offset),
                       bit = 1u << lane;
            destination_mask = (destination_mask & ~bit) | (source_mask & bit);
            // A 128-bit slot contains the low halves of all lanes, followed by the high halves, so
            // copy them separately.
        } else if (slot.bytes == slot_bytes(Width::w128)) {
            copy(slot.offset, 8);
            copy(slot.offset + 8 * kLanes, 8);
        } else {
            copy(slot.offset, slot.bytes / kLanes);
        }
    }
}

const Op* op_nothing(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    return op + 1;
}

const Op* op_call(Warp& w, const Op* op) {
    return enter_function(w, op, *op->call_site->callee);
}

const Op* op_call_indirect(Warp& w, const Op* op) {
    const u64* pointers = w.lanes<u64>(op->a);
    const u64 target = pointers[w.first_active()];
    const Mask lanes_with_same_target =
        select_lanes(w.active, [&](int l) { return pointers[l] == target; });
    const auto& functions_by_address = w.block->launch->code->function_pointers;
    const auto function_entry = functions_by_address.find(target);
    if (function_entry == functions_by_address.end())
        return w.fail_launch(op, Status::illegal_instruction, "execution", "bad function pointer",
                             "calls through a pointer that is not the address of a device function",
                             w.first_active(), target);
    if (lanes_with_same_target != w.active) {  // the remaining lanes call their functions later
        ++w.divergent_branches;
        w.update_lane_instructions();
        w.other_fragments.push_back(
            {.next_op = op, .lanes = w.active & ~lanes_with_same_target, .frame = w.frame});
        w.active = lanes_with_same_target;
    }
    return enter_function(w, op, *function_entry->second);
}

const Op* op_return(Warp& w, const Op* op) {
    Frame* frame = w.frame;
    if (!frame) return op_exit(w, op);
    w.count_straight_line_run(op);
    const FunctionCode& callee = *frame->code;
    const StridedLaneMemory caller_parameters = parameter_memory(w);
    w.enter_frame(frame->caller);
    for (std::size_t k = 0; k < callee.results.size(); ++k)
        copy_lanes(parameter_memory(w), frame->site->result_offsets[k], caller_parameters,
                   callee.results[k].offset, callee.results[k].bytes, w.active);
    const Op* return_op = frame->call_op + 1;
    frame->lanes_in_call &= ~w.active;
    if (frame->lanes_in_call == 0) w.block->frames.return_frame(frame);
    return w.other_fragments.empty() ? return_op : continue_at(w, return_op);
}

const Op* op_move_parameter(Warp& w, const Op* op) {
    const u32 to = w.frame->local_base + static_cast<u32>(second_offset(op));
    copy_lanes({w.local_memory, w.local_bytes}, to, parameter_memory(w),
               static_cast<u32>(first_offset(op)), op->d.offset, w.active);
    for (const int l : LaneRange{w.local_shadow ? w.active : 0})
        mark_local_written(w, l, to, op->d.offset);
    return op + 1;
}

const Op* op_frame_address(Warp& w, const Op* op) {
    const u64 address = (w.frame ? w.frame->local_base : 0) + static_cast<u64>(op->immediate);
    w.write<u64>(op->d, [=](int) { return address; });
    return op + 1;
}

Handler parameter_handler(bool store, u32 bytes) {
    return choose_handler_by_shape(
        bytes, 1, store, []<class Shape, bool Store>() { return access_parameter<Shape, Store>; });
}

const Op* op_load_kernel_parameter(Warp& w, const Op* op) {
    const std::vector<u8>& memory = w.block->launch->parameters;
    for (const int l : LaneRange{w.active}) {
        const u64 offset = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
        if (offset > memory.size() || op->count > memory.size() - offset)
            return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                                 "reads outside the kernel's parameters", l);
        u64 value = 0;
        std::memcpy(&value, memory.data() + offset, op->count);
        if ((op->detail & kSignedParameter) && op->count < 8) {
            const int unused_bits = 64 - 8 * op->count;
            value = static_cast<u64>(static_cast<i64>(value << unused_bits) >> unused_bits);
        }
        if (op->detail & kWideRegister)
            w.lanes<u64>(op->d)[l] = value;
        else
            w.lanes<u32>(op->d)[l] = static_cast<u32>(value);
    }
    return op + 1;
}

}  // namespace coalesce::simulator
