// Checks accesses to local memory, which contains the arrays and structs of each thread.
//
// Shadow    As for global memory, the shadow has a byte for each word. Each bit of that byte is set
//           once the thread has written the corresponding byte of the word. The shadow is null if
//           initcheck is disabled.
// Pointers  On hardware, the generic address of a local variable has the same value in all threads.
//           A thread that uses the address of another thread's variable accesses its own memory
//           instead. In the simulator, the address also contains the index of the thread in its
//           block, so that such an access is detected.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

inline u8* local_shadow(const Warp& w, int lane, u64 offset) {
    return w.local_shadow + (u64{w.local_bytes} * static_cast<u32>(lane) + offset) / 4;
}

/// mark_local_written marks bytes of a lane's local memory as written, and mark_local_unwritten
/// marks them as unwritten.
void mark_local_written(const Warp& w, int lane, u64 offset, u64 bytes);
void mark_local_unwritten(const Warp& w, int lane, u64 offset, u64 bytes);

/// Checks a load by one lane from local memory. Reports an error if the load reads unwritten bytes
/// in a way that affects the program. Must be called only if w.local_shadow is set.
void check_local_load(Warp& w, const Op* op, int lane, u64 offset, u32 bytes);
/// Marks as uninitialized the undefined bytes that the lane has just stored to local memory. Must
/// be called only if w.local_shadow and w.undefined_bytes are set.
void mark_undefined_stored_in_local(const Warp& w, const Op* op, int lane, u64 offset);

/// Returns the generic address at which a lane's local memory begins.
u64 local_window_address(const Warp& w, int lane);
/// Checks that an address in local memory belongs to the lane that accesses it, and reports an
/// access to a variable of another thread. If the access is out of bounds, ends the launch and
/// returns false.
bool check_local_owner(Warp& w, const Op* op, u64 generic_address, int lane, u32 bytes,
                       bool is_store);

}  // namespace coalesce::simulator
