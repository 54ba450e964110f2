// See host_fault.h.
//
// How   Device addresses are reserved without access rights, so the processor raises SIGSEGV with
//       the address. The handler prints a message, restores the previous action and returns. The
//       instruction runs again and faults again, and the program ends as it would have without a
//       handler.
#include "simulator/memory/host_fault.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "simulator/memory/device_memory.h"
#include "simulator/memory/host_guard.h"
#include "simulator/report/last_words.h"

namespace coalesce::simulator {
namespace {

std::atomic<const DeviceMemory*> watched_memory{nullptr};
struct sigaction previous_action {};

/// Prints a message that describes `address`. The program may be crashing while a thread holds a
/// lock, so this function must not wait for locks. It calls try_describe_address, which returns
/// false instead of waiting.
void print_explanation(const DeviceMemory& memory, u64 address) {
    char description[200];
    if (!memory.try_describe_address(address, description, sizeof description)) {
        std::snprintf(description, sizeof description, "an address in device memory");
    }
    char text[512];
    const int length = std::snprintf(
        text, sizeof text,
        "coalesce: host code read or wrote device memory at 0x%llx,\n"
        "  %s.\n  The host cannot use a device pointer: copy the data with cudaMemcpy first, or\n  "
        "allocate it with cudaMallocManaged, including all bytes that the host uses.\n",
        static_cast<unsigned long long>(address), description);
    if (length > 0 && write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) return;
}

bool is_write_fault([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    constexpr long long kWriteBit = 2;  // the write bit of a page fault's error code
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
#else
    return false;
#endif
}

/// Returns the address of the instruction that faulted, or 0 if the address is unknown.
u64 instruction_address([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    return static_cast<u64>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

void on_fault(int signal_number, siginfo_t* info, void* context) {
    const u64 address = reinterpret_cast<u64>(info->si_addr);
    if (host_guard::handle_fault(address, is_write_fault(context), instruction_address(context)))
        return;
    const DeviceMemory* memory = watched_memory.load();
    if (memory && memory->is_device_range(address)) print_explanation(*memory, address);
    sigaction(signal_number, &previous_action, nullptr);
}

}  // namespace

void explain_host_faults(const DeviceMemory* memory) {
    struct sigaction current {};
    if (sigaction(SIGSEGV, nullptr, &current) != 0) return;
    const bool is_unhandled =
        is_watched(current) || (!(current.sa_flags & SA_SIGINFO) && current.sa_handler == SIG_DFL);
    const bool is_our_handler = (current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_fault;
    if (!is_unhandled && !is_our_handler) return;
    if (is_unhandled) previous_action = current;

    watched_memory = memory;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, nullptr);
}

bool explains_host_faults() {
    struct sigaction current {};
    return sigaction(SIGSEGV, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) &&
           current.sa_sigaction == on_fault;
}

void stop_explaining_host_faults(const DeviceMemory* memory) {
    const DeviceMemory* expected = memory;
    watched_memory.compare_exchange_strong(expected, nullptr);
}

}  // namespace coalesce::simulator
