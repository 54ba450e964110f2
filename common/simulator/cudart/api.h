// What surrounds the body of every function of the runtime API: the state of errors.
//
// Theory of operation
//   The runtime keeps two kinds of errors.
//   - The last error of a host thread. Every failing call sets it, a call that succeeds leaves it
//     alone, cudaGetLastError reads and clears it.
//   - The error of the context, which a kernel causes by touching what it must not. It is for all
//     threads, cannot be cleared, and every later call that needs the device returns it
//     ("sticky").
//   On hardware a kernel runs on while the host goes ahead, so its error is not the launch's: it
//   comes out of a later call. Here the kernel has ended when the launch returns, but its error
//   still waits for the next call, so that programs take the course that they take on hardware.
//
//   A kernel that the simulator cannot run (machine code alone, an instruction that it does not
//   know) is such an error as well. On hardware it would have run, and what it computes is missing
//   from all that follows: a program that does not look at the launch must not end as if all were
//   well. Hardware answers cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx or
//   cudaErrorUnsupportedPtxVersion for code that it cannot run, and so do we, at the launch; but
//   there the context stays whole, here it breaks.
//
//   What a call returns is also reported, for those who read no return values, when it is a mistake
//   and not an answer: see is_mistake in errors.cpp.
#pragma once

#include <cuda_runtime_api.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "simulator/cudart/failure.h"
#include "simulator/cudart/parameters.h"
#include "simulator/cudart/per_thread.h"

namespace coalesce::simulator::cudart {

/// Sets the calling thread's last error, unless it is a success. Returns `error`.
cudaError_t remember(cudaError_t error);

/// The context's error or cudaSuccess. A kernel's error that waited comes out now.
cudaError_t context_error();

/// Whether the program has called, itself, a function that needs the device.
bool runtime_is_used();
void note_runtime_use();

/// A kernel that was just launched ended with `error`.
void break_context(cudaError_t error);

/// Reports a launch that ended with `error` and of which no other check has said why: they may be
/// off.
void report_broken(cudaError_t error, const std::string& kernel);

/// cudaDeviceReset after a context error: the device is gone for this process.
void leave_broken_context();

/// The calling thread's last error, to be put back after calls that are not to change it.
struct LastError {
    cudaError_t error = cudaSuccess;
    bool from_context = false;
};
LastError& last_error_of_thread();

/// Makes the context whole again and forgets the calling thread's last error. Hardware cannot.
void mend_context();

/// True when a kernel's error has broken the context, whether a call returned it yet or not.
bool context_is_broken();

/// One sentence about the call that is going on. When the call ends it becomes the message of a
/// report, if the call failed by mistake; else it is printed on stderr, "coalesce: cudaMemcpy: ...",
/// once, and not with COALESCE_SIM_QUIET.
void explain(const std::string& sentence);

/// The same, for a call that ends with `error`.
[[noreturn]] void refuse(const std::string& why, cudaError_t error = cudaErrorInvalidValue);

/// Reports work that the program asks for and that is not simulated: what it computes from now on
/// is not what a GPU computes. `kernel`: the one that does not run, if it is that.
void report_unsupported(const std::string& message, const std::string& cure,
                        const std::string& kernel = {});

/// Reports that the call is not simulated; it fails with cudaErrorNotSupported.
[[noreturn]] void not_simulated(const std::string& what);

/// Hardware refuses it too, with the same error, cudaErrorNotSupported: says why.
[[noreturn]] void not_supported(const std::string& why);

/// The call that this thread is in; a call that another one makes is part of that one.
class CurrentCall {
public:
    using ErrorName = const char* (*)(cudaError_t);

    /// `error_name`: what its errors are called in reports.
    explicit CurrentCall(const char* name, ErrorName error_name = cudaGetErrorName);
    ~CurrentCall();  ///< prints what was explained and not reported
    const char* name() const { return name_; }

    /// What the call returns. A failure that is a mistake of the program becomes a report.
    cudaError_t end(cudaError_t error);
    /// Whether the program made the call that goes on, and not another function of ours.
    static bool is_outermost();
    /// What was explained since the last time that somebody took it, as one text.
    static std::string take_explanations();
    /// The kernel that this thread's call launches, for the report.
    static void launches(const std::string& kernel);

private:
    friend void explain(const std::string& sentence);
    friend void not_supported(const std::string& why);
    CurrentCall& outermost();

    const char* name_;
    ErrorName error_name_;
    CurrentCall* outer_;
    std::vector<std::string> sentences_;  ///< of the outermost call
    std::string kernel_;
    bool hardware_refuses_ = false;  ///< cudaErrorNotSupported is the hardware's, not ours
};

/// The error that `body` ends with.
template <class Body>
cudaError_t error_of(Body body) {
    try {
        body();
        return cudaSuccess;
    } catch (const Failure& failure) {
        return failure.error;
    } catch (const std::bad_alloc&) {
        return cudaErrorMemoryAllocation;
    } catch (const std::exception& exception) {
        explain(exception.what());
        return cudaErrorInitializationError;
    }
}

/// A call that is answered without the device: versions, counts, attributes.
template <class Body, class... Arguments>
cudaError_t answer(const char* name, Body body, const Arguments&... arguments) noexcept {
    CurrentCall call(name);
    return remember(call.end(error_of([&] { body(arguments...); })));
}

/// A call that needs the device: returns the context's error when there is one.
template <class Body, class... Arguments>
cudaError_t api(const char* name, Body body, const Arguments&... arguments) noexcept {
    return answer(name, [&] {
        must(context_error());
        body(arguments...);
    });
}

}  // namespace coalesce::simulator::cudart
