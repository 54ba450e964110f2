// The checks of local memory, which holds the arrays and structs of one thread.
//
// Shadow    As for global memory, a byte for each word, with a bit for each byte that the thread has
//           written. It is null if initcheck is off.
// Pointers  On hardware, the generic address of a local variable is the same number in all threads,
//           and a thread that uses the address of another accesses its own memory. Here the address
//           also contains the thread's number in its block, so that the mistake is noticed.
#pragma once

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

inline u8* local_shadow(const Warp& w, int lane, u64 offset) {
    return w.local_shadow + (u64{w.local_bytes} * static_cast<u32>(lane) + offset) / 4;
}

/// Records that a lane has written, or not yet written, the bytes at an offset in local memory.
void mark_local_written(const Warp& w, int lane, u64 offset, u64 bytes);
void mark_local_unwritten(const Warp& w, int lane, u64 offset, u64 bytes);

/// Checks a lane's load of bytes in local memory, and reports unwritten bytes on which the program
/// depends. Call this only if w.local_shadow is set.
void check_local_load(Warp& w, const Op* op, int lane, u64 offset, u32 bytes);
/// Marks as uninitialized all undefined bytes that the lane has just stored to local memory. Call
/// this only if w.local_shadow and w.undefined are set.
void mark_undefined_stored_in_local(const Warp& w, const Op* op, int lane, u64 offset);

/// Returns the generic address of the first byte of a lane's local memory.
u64 local_window_of(const Warp& w, int lane);
/// Reports an access through a generic address in the local window that is not an address of the
/// lane's own variables. Returns false if the access is out of bounds, which ends the launch.
bool check_local_owner(Warp& w, const Op* op, u64 generic_address, int lane, u32 bytes,
                       bool is_store);

}  // namespace coalesce::simulator
