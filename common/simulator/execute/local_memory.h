// Checks accesses to local memory, which contains the arrays and structs of each thread.
//
// Shadow    As for global memory, the shadow has one byte for each 4-byte word. Each of four bits
//           in that byte is set once the thread has written the corresponding byte of the word. The
//           shadow is null if initcheck is disabled.
// Pointers  On hardware, the generic address of a local variable has the same value in all threads.
//           A thread that uses the address of another thread's variable therefore accesses its own
//           variable. In the simulator, the address also contains the index of the thread in its
//           block, so that such an access is detected.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

inline u8* local_shadow(const Warp& w, int lane, u64 offset) {
    return w.local_shadow + (u64{w.local_bytes} * static_cast<u32>(lane) + offset) / 4;
}

/// mark_local_written marks bytes of a lane's local memory as initialized, and mark_local_unwritten
/// marks them as uninitialized.
void mark_local_written(const Warp& w, int lane, u64 offset, u64 bytes);
void mark_local_unwritten(const Warp& w, int lane, u64 offset, u64 bytes);

/// Checks a load by one lane from local memory. Reports an error if the load reads uninitialized
/// bytes in a way that affects the program. Must be called only if w.local_shadow is set.
void check_local_load(Warp& w, const Op* op, int lane, u64 offset, u32 bytes);
/// Marks as uninitialized the undefined bytes that the lane has just stored to local memory. Must
/// be called only if w.local_shadow and w.undefined_bytes are set.
void mark_undefined_stored_in_local(const Warp& w, const Op* op, int lane, u64 offset);

/// Returns the generic address at which the local memory of `lane` begins.
u64 local_window_address(const Warp& w, int lane);
/// Checks that an address in local memory belongs to the lane that accesses the address. Reports an
/// access to a variable of another thread. If the access is out of bounds, ends the launch and
/// returns false.
bool check_local_owner(Warp& w, const Op* op, u64 generic_address, int lane, u32 bytes,
                       bool is_store);

}  // namespace coalesce::simulator
