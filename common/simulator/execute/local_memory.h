// Checks accesses to local memory, which contains the arrays and structs of each thread.
//
// Shadow    As for global memory, the shadow has a byte for each word, with a bit for each byte
//           that the thread has written. The shadow is null if initcheck is disabled.
// Pointers  On hardware, the generic address of a local variable is the same number in all threads,
//           and a thread that uses the address of another thread's variable accesses its own
//           memory. In the simulator the address also contains the thread's number in its block, so
//           that such an access is detected.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

inline u8* local_shadow(const Warp& w, int lane, u64 offset) {
    return w.local_shadow + (u64{w.local_bytes} * static_cast<u32>(lane) + offset) / 4;
}

/// Marks the bytes at an offset in a lane's local memory as written, or as not written.
void mark_local_written(const Warp& w, int lane, u64 offset, u64 bytes);
void mark_local_unwritten(const Warp& w, int lane, u64 offset, u64 bytes);

/// Checks a lane's load from local memory, and reports unwritten bytes that affect the program.
/// Must be called only if w.local_shadow is set.
void check_local_load(Warp& w, const Op* op, int lane, u64 offset, u32 bytes);
/// Marks as uninitialized all undefined bytes that the lane has just stored to local memory. Must
/// be called only if w.local_shadow and w.undefined are set.
void mark_undefined_stored_in_local(const Warp& w, const Op* op, int lane, u64 offset);

/// Returns the generic address of the first byte of a lane's local memory.
u64 local_window_of(const Warp& w, int lane);
/// Reports an access through a generic address in the local window that is not an address of the
/// lane's own variables. Returns false if the access is out of bounds, which ends the launch.
bool check_local_owner(Warp& w, const Op* op, u64 generic_address, int lane, u32 bytes,
                       bool is_store);

}  // namespace coalesce::simulator
