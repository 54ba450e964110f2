// Declares the steps before and after the body of every runtime API function, and the error state.
//
// Theory of operation
//   The runtime has two kinds of errors.
//   - The last error of a host thread. Every failing call sets it, successful calls leave it
//     unchanged, and cudaGetLastError reads and clears it.
//   - The error of the context, caused for example by an illegal access in a kernel. This error
//     applies to all threads and cannot be cleared, and every later call that needs the device
//     returns it (the error is "sticky").
//   On hardware, a kernel runs while the host continues, so the kernel's error is returned by a
//   later call and not by the launch. The simulator also returns the error from a later call,
//   although the kernel has ended when the launch returns.
//
//   A kernel that the simulator cannot run (machine code only, or an unsupported instruction) also
//   breaks the context. If it did not, a program that does not check the launch would continue
//   without the kernel's results, and might end as if it had succeeded. The launch returns the
//   error that hardware returns for code that it cannot run: cudaErrorNoKernelImageForDevice,
//   cudaErrorInvalidPtx or cudaErrorUnsupportedPtxVersion. On hardware such an error leaves the
//   context intact.
//
//   If a call fails because of a mistake in the program, the failure is also reported, for programs
//   that ignore return values: see is_mistake in errors.cpp. An error code that is a normal answer
//   to a query is not a mistake.
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

/// Sets the calling thread's last error, unless `error` is cudaSuccess. Returns `error`.
cudaError_t set_last_error(cudaError_t error);

/// Returns the context's error, or cudaSuccess if the context has none. If a kernel has failed
/// since the previous call of this function, the kernel's error becomes the context's error, unless
/// the context already has one.
cudaError_t context_error();

/// Reports whether the program has already called a function that needs the device.
bool is_runtime_used();
void record_runtime_use();

/// Sets the context's error after a kernel has ended with `error`.
void set_context_error(cudaError_t error);

/// Reports a launch that ended with `error`. Must be called only if no other report explains the
/// error, which happens if the check that would find the cause is disabled.
void report_kernel_failure(cudaError_t error, const std::string& kernel);

/// Completes a cudaDeviceReset that the program calls after a context error. The device stays
/// unusable for this process.
void reset_broken_context();

/// The last error of a thread. Callers save it before calls that must not change it, and restore it
/// afterwards.
struct LastError {
    cudaError_t error = cudaSuccess;
    bool is_from_context = false;
};
LastError& last_error_of_thread();

/// Repairs the context and clears the calling thread's last error. Only the simulator can do this:
/// on hardware, a broken context cannot be repaired.
void reset_failed_context();

/// Reports whether a kernel has failed with an error that makes all later calls fail.
bool is_context_broken();

/// Records a sentence that explains the current call. If the call fails because of a mistake in the
/// program, the sentence becomes the message of a report. Otherwise the sentence is printed once on
/// stderr, "coalesce: cudaMemcpy: ...", unless COALESCE_SIM_QUIET is set.
void explain(const std::string& sentence);

/// Explains the current call like `explain`, and ends the call with `error`.
[[noreturn]] void refuse(const std::string& reason, cudaError_t error = cudaErrorInvalidValue);

/// Reports that the program uses an unsupported feature, and that the program's later results may
/// therefore differ from a GPU's. `kernel` is the name of the kernel that cannot run, if any.
void report_unsupported(const std::string& message, const std::string& cure,
                        const std::string& kernel = {});

/// Reports that `feature` is not simulated, and ends the call with cudaErrorNotSupported.
[[noreturn]] void fail_not_simulated(const std::string& feature);

/// Ends the call with cudaErrorNotSupported and explains why. Used for calls that hardware rejects
/// in the same way.
[[noreturn]] void fail_not_supported(const std::string& reason);

/// An API call that this thread is executing. Calls that our implementation makes internally count
/// as part of the program's call (the outermost call).
class CurrentCall {
public:
    using ErrorName = const char* (*)(cudaError_t);

    /// Begins a call. `error_name` is the function that returns the name of an error for reports.
    explicit CurrentCall(const char* name, ErrorName error_name = cudaGetErrorName);
    ~CurrentCall();  ///< prints the explanations that did not become part of a report
    const char* name() const { return name_; }

    /// Ends the call with `error`, which may be cudaSuccess. Reports the error if a mistake in the
    /// program caused it.
    cudaError_t end_call(cudaError_t error);
    /// Reports whether the program made the current call. Returns false if one of our functions
    /// made the call.
    static bool is_outermost();
    /// Returns the name of the function that the program has called, or "" if there is none.
    static const char* outermost_name();
    /// Returns a single string with all explanations collected since the call began, and deletes
    /// the explanations.
    static std::string take_explanations();
    /// Stores the name of the kernel that the current call launches, for reports.
    static void set_launched_kernel(const std::string& kernel);

private:
    friend void explain(const std::string& sentence);
    friend void fail_not_supported(const std::string& reason);
    CurrentCall& find_outermost();

    const char* name_;
    ErrorName error_name_;
    CurrentCall* outer_call_;
    std::vector<std::string> explanations_;  ///< the explanations of the outermost call
    std::string launched_kernel_;
    /// True if hardware also returns cudaErrorNotSupported for this call.
    bool is_refused_by_hardware_ = false;
};

/// Runs `body`. Returns the error that `body` fails with, or cudaSuccess.
template <class Body>
cudaError_t catch_error(Body body) {
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

/// Runs an API call that does not need the device, such as a query for versions, counts or
/// attributes.
template <class Body, class... Arguments>
cudaError_t run_call(const char* name, Body body, const Arguments&... arguments) noexcept {
    CurrentCall call(name);
    return set_last_error(call.end_call(catch_error([&] { body(arguments...); })));
}

/// Runs an API call that needs the device. If the context has an error, returns this error without
/// running `body`.
template <class Body, class... Arguments>
cudaError_t run_device_call(const char* name, Body body, const Arguments&... arguments) noexcept {
    return run_call(name, [&] {
        require_success(context_error());
        body(arguments...);
    });
}

}  // namespace coalesce::simulator::cudart
