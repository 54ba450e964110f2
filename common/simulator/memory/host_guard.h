// Detects accesses by the host to memory that a kernel or a copy may still be using.
//
// Idea       In the simulator, a kernel is complete when its launch returns, so an access by the
//            host that comes too early does no harm. To detect the access, the pages of pinned and
//            managed memory that the device has used stay protected until the host has waited. If
//            the host accesses a protected page before it has waited, the access causes a fault.
//            The fault handler (host_fault.cpp) records the access and makes the page accessible.
// Watch      A system call that receives a pointer into a protected page fails with EFAULT.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// A range of bytes that a kernel or a copy on the device (an operation) has accessed.
struct GuardedRange {
    u64 begin = 0, end = 0;
    /// True if the device writes to these bytes. If false, the host may read them, but not write
    /// them.
    bool device_writes = false;
    u64 operation_number = 0;  ///< the index of the operation
};

/// An access by the host to a guarded range, before the host has waited for the operation.
struct HostTouch {
    u64 address = 0;
    bool is_write = false;
    u64 operation_number = 0;
    u64 instruction = 0;  ///< the address of the host's instruction, or 0 if unknown
};

namespace host_guard {

/// Protects these ranges against accesses by the host, and removes the protection of all other
/// memory. The ranges must be in memory that host and device share.
void protect(std::vector<GuardedRange> ranges);
/// Makes all memory accessible, because the simulator itself is about to access it.
void unprotect();
/// Returns the accesses by the host since the last call, at most one for each operation.
std::vector<HostTouch> take_touches();
/// Handles a fault that host code has caused by an access to `address`. Must be called by the
/// signal handler. Returns true if the instruction must be repeated, because the memory may be
/// accessible now.
bool handle_fault(u64 address, bool is_write, u64 instruction);

}  // namespace host_guard
}  // namespace coalesce::simulator
