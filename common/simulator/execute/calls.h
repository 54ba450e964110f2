// Executes calls of device functions, including the passing of their parameters and results.
//
// Idea   A call gives the function a Frame with its own register file, and its own parameter memory
//        for each lane. Lanes that make the call together share the frame, and a recursive call
//        gets a new frame. Each thread has a stack, on which the local variables of nested calls
//        are stored one after the other.
#pragma once

#include "simulator/code/function_code.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

struct Frame {
    Frame* caller = nullptr;      ///< the caller's frame; null for the kernel itself
    const Op* call_op = nullptr;  ///< the call instruction, after which the caller continues
    const CallSite* site = nullptr;
    const FunctionCode* code = nullptr;
    u8* registers = nullptr;
    u8* parameters = nullptr;  ///< parameter memory: code->parameter_bytes bytes per lane
    u32 local_base = 0;        ///< the offset of the frame's local variables on each thread's stack
    Mask lanes_in_call = 0;    ///< the lanes that have not returned from the call
    std::vector<u64> storage;  ///< the memory that `registers` and `parameters` point to
};

/// The frames of the calls in a block. A frame is reused after its call has returned.
class FramePool {
public:
    Frame* take_frame(const FunctionCode& code);
    void return_frame(Frame* frame) { free_frames_.push_back(frame); }

private:
    std::vector<std::unique_ptr<Frame>> all_frames_;
    std::vector<Frame*> free_frames_;
};

/// Copies all registers of a lane between two register files of the same function, whose code is
/// `code`.
void copy_registers(const FunctionCode& code, u8* to, const u8* from, int lane);

const Op* op_nothing(Warp& w, const Op* op);
const Op* op_call(Warp& w, const Op* op);
const Op* op_call_indirect(Warp& w, const Op* op);
const Op* op_return(Warp& w, const Op* op);
/// Copies a parameter of the current frame to a local variable: Op::d.offset bytes, from offset
/// first_offset(op) in the frame's parameter memory to offset second_offset(op) in its local
/// variables.
const Op* op_move_parameter(Warp& w, const Op* op);
/// Sets Op::d to the address of a local variable: the base of the current frame's local variables,
/// plus Op::immediate.
const Op* op_frame_address(Warp& w, const Op* op);

/// Returns the handler of an ld.param or st.param that accesses a parameter or result of a device
/// function, or an argument of a call. Op::v[0] is the register, and Op::immediate is the byte
/// offset.
Handler parameter_handler(bool store, u32 bytes);
/// Bits of Op::detail for an ld.param that loads a parameter of a kernel: Op::count bytes at Op::a
/// + Op::immediate. kSignedParameter means that the value is sign-extended, and kWideRegister that
/// the destination register has 64 bits.
constexpr u8 kSignedParameter = 1, kWideRegister = 2;
const Op* op_load_kernel_parameter(Warp& w, const Op* op);

}  // namespace coalesce::simulator
