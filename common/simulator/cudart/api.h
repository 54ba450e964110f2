// What surrounds the body of every function of the runtime API: the state of errors.
//
// Theory of operation
//   The runtime keeps two kinds of errors.
//   - The last error of a host thread. Every failing call sets it, a call that succeeds leaves it
//     alone, cudaGetLastError reads and clears it.
//   - The error of the context, which a kernel causes by touching what it must not. It is for all
//     threads, can not be cleared, and every later call that needs the device returns it
//     ("sticky").
//   On hardware a kernel runs on while the host goes ahead, so its error is not the launch's: it
//   comes out of a later call. Here the kernel has ended when the launch returns, but its error
//   still waits for the next call, so that programs take the course that they take on hardware.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <new>
#include <string>

namespace coalesce::sim::cudart {

/// Sets the calling thread's last error, unless it is a success. Returns `error`.
cudaError_t remember(cudaError_t error);

/// The context's error or cudaSuccess. A kernel's error that waited comes out now.
cudaError_t context_error();

/// A kernel that was just launched ended with `error`.
void break_context(cudaError_t error);

/// cudaDeviceReset after a context error: the device is gone for this process.
void leave_broken_context();

/// Makes the context whole again and forgets the calling thread's last error. Hardware can not.
void mend_context();

/// True when a kernel's error has broken the context, whether a call returned it yet or not.
bool context_is_broken();

/// One sentence on stderr about the call that is going on: "coalesce: cudaMemcpy: ...". The same
/// sentence is printed once. Silent with COALESCE_SIM_QUIET.
void explain(const std::string& sentence);

/// Says that the call is not simulated; returns cudaErrorNotSupported.
cudaError_t not_simulated(const std::string& what);

/// For messages: which call this thread is in.
class CurrentCall {
public:
    explicit CurrentCall(const char* name);
    ~CurrentCall();

private:
    const char* outer_;
};

cudaError_t explain_exception(const std::exception& exception);

/// A call that is answered without the device: versions, counts, attributes.
template <class Body>
cudaError_t answer(const char* name, Body body) noexcept {
    CurrentCall call(name);
    try {
        return remember(body());
    } catch (const std::bad_alloc&) {
        return remember(cudaErrorMemoryAllocation);
    } catch (const std::exception& exception) {
        return remember(explain_exception(exception));
    }
}

/// A call that needs the device: returns the context's error when there is one.
template <class Body>
cudaError_t api(const char* name, Body body) noexcept {
    return answer(name, [&]() -> cudaError_t {
        const cudaError_t broken = context_error();
        return broken != cudaSuccess ? broken : body();
    });
}

}  // namespace coalesce::sim::cudart

/// Programs built with --default-stream per-thread call names that end in _ptsz (calls that take a
/// stream) or _ptds. All work here is done before a call returns, so they are the same functions.
#define COALESCE_PER_THREAD_STREAM(function, suffix)                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"") \
        _Pragma("GCC diagnostic ignored \"-Wmissing-attributes\"") extern "C" decltype(function)   \
            function##suffix __attribute__((alias(#function)));                                    \
    _Pragma("GCC diagnostic pop") static_assert(true)
