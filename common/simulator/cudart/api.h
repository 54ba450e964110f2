// Surrounds the body of every function of the runtime API, and keeps the state of errors.
//
// Theory of operation
//   The runtime has two kinds of errors.
//   - The last error of a host thread. Every failing call sets it, successful calls leave it unchanged, and
//     cudaGetLastError reads and clears it.
//   - The error of the context, which a kernel causes by an illegal access, for example. It applies to all threads,
//     cannot be cleared, and every later call that needs the device returns it ("sticky").
//   On hardware, a kernel runs while the host continues, so the launch does not return its error; a later call does.
//   Here the kernel has ended when the launch returns, but its error still waits for the next call, so that programs
//   take the same path as on hardware.
//
//   A kernel that the simulator cannot run (machine code only, or an unsupported instruction) is such an error as
//   well. On hardware it would have run, and its results are missing from everything that follows. A program that
//   does not check the launch must not end as if all were well. For code that it cannot run, hardware returns
//   cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx or cudaErrorUnsupportedPtxVersion at the launch, and so do
//   we. But there the context stays intact, and here it breaks.
//
//   If a call fails by mistake, and the error is not just an answer, it is also reported, for programs that ignore
//   return values: see is_mistake in errors.cpp.
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

/// Sets the calling thread's last error, unless `error` is a success. Returns `error`.
cudaError_t remember(cudaError_t error);

/// Returns the context's error or cudaSuccess. A kernel's waiting error becomes visible now.
cudaError_t context_error();

/// Reports whether the program itself has called a function that needs the device.
bool runtime_is_used();
void note_runtime_use();

/// A kernel that was just launched has ended with `error`.
void break_context(cudaError_t error);

/// Reports a launch that ended with `error`, if no other check has reported why. (The checks may be
/// off.)
void report_broken(cudaError_t error, const std::string& kernel);

/// cudaDeviceReset after a context error: the device stays unusable for this process.
void leave_broken_context();

/// Saves the calling thread's last error, and restores it after calls that must not change it.
struct LastError {
    cudaError_t error = cudaSuccess;
    bool from_context = false;
};
LastError& last_error_of_thread();

/// Repairs the context and clears the calling thread's last error. Hardware cannot do this.
void mend_context();

/// Reports whether a kernel's error has broken the context, even if no call has returned it yet.
bool context_is_broken();

/// Explains the current call in one sentence. If the call fails by mistake, the sentence becomes
/// the message of a report. Otherwise it is printed once on stderr, "coalesce: cudaMemcpy: ...",
/// unless COALESCE_SIM_QUIET is set.
void explain(const std::string& sentence);

/// Does the same, and ends the call with `error`.
[[noreturn]] void refuse(const std::string& why, cudaError_t error = cudaErrorInvalidValue);

/// Reports that the program requests something that is not simulated, so that its results differ
/// from those of a GPU from now on. `kernel` is the kernel that does not run, if there is one.
void report_unsupported(const std::string& message, const std::string& cure,
                        const std::string& kernel = {});

/// Reports that the call is not simulated, and ends it with cudaErrorNotSupported.
[[noreturn]] void not_simulated(const std::string& what);

/// Explains why the call is not supported, for calls that hardware rejects too, with
/// cudaErrorNotSupported.
[[noreturn]] void not_supported(const std::string& why);

/// The current call of this thread. Calls that it makes internally are parts of it.
class CurrentCall {
public:
    using ErrorName = const char* (*)(cudaError_t);

    /// `error_name` returns the names of its errors for reports.
    explicit CurrentCall(const char* name, ErrorName error_name = cudaGetErrorName);
    ~CurrentCall();  ///< prints explanations that were not reported
    const char* name() const { return name_; }

    /// Ends the call with this result. A failure that is a mistake of the program becomes a report.
    cudaError_t end(cudaError_t error);
    /// Reports whether the program made the current call, and not another function of ours.
    static bool is_outermost();
    /// Returns all explanations since the last call of this function, as one text.
    static std::string take_explanations();
    /// Stores the kernel that the current call launches, for the report.
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
    /// Whether cudaErrorNotSupported is also what hardware returns.
    bool hardware_refuses_ = false;
};

/// Returns the error with which `body` ends.
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

/// A call that does not need the device: versions, counts, attributes.
template <class Body, class... Arguments>
cudaError_t answer(const char* name, Body body, const Arguments&... arguments) noexcept {
    CurrentCall call(name);
    return remember(call.end(error_of([&] { body(arguments...); })));
}

/// A call that needs the device. Returns the context's error if there is one.
template <class Body, class... Arguments>
cudaError_t api(const char* name, Body body, const Arguments&... arguments) noexcept {
    return answer(name, [&] {
        must(context_error());
        body(arguments...);
    });
}

}  // namespace coalesce::simulator::cudart
