// Implements the errors of each thread and of the context, error names, and messages about errors.
// See api.h.
#include <atomic>
#include <cctype>
#include <cstdio>
#include <mutex>
#include <set>
#include <string_view>

#include "simulator/base/options.h"
#include "simulator/cudart/api.h"
#include "simulator/report/host_place.h"
#include "simulator/report/reports.h"
#include "simulator/report/text.h"

namespace coalesce::simulator::cudart {
namespace {

/// The state of the error that broke the context. `unreported_error` is an error of a kernel that
/// no call has returned yet. Once `current_error` is set, every call returns it.
struct ContextErrors {
    std::atomic<cudaError_t> unreported_error{cudaSuccess};
    std::atomic<cudaError_t> current_error{cudaSuccess};
};
ContextErrors context_errors;

std::atomic<bool> is_runtime_in_use{false};

thread_local LastError last_thread_error;
thread_local CurrentCall* current_call = nullptr;

}  // namespace

cudaError_t set_last_error(cudaError_t error) {
    if (error != cudaSuccess)
        last_thread_error = {error, error == context_errors.current_error.load()};
    return error;
}

bool is_runtime_used() {
    return is_runtime_in_use;
}

void record_runtime_use() {
    if (CurrentCall::is_outermost()) is_runtime_in_use = true;
}

cudaError_t context_error() {
    record_runtime_use();
    const cudaError_t new_error = context_errors.unreported_error.exchange(cudaSuccess);
    // Keep the first error: store the new error only if none is stored yet.
    cudaError_t no_error = cudaSuccess;
    if (new_error != cudaSuccess)
        context_errors.current_error.compare_exchange_strong(no_error, new_error);
    return context_errors.current_error.load();
}

void set_context_error(cudaError_t error) {
    context_errors.unreported_error = error;
}

void reset_broken_context() {
    context_errors.current_error = cudaErrorDevicesUnavailable;
    last_thread_error = {};
}

LastError& last_error_of_thread() {
    return last_thread_error;
}

void reset_failed_context() {
    context_errors.unreported_error = cudaSuccess;
    context_errors.current_error = cudaSuccess;
    last_thread_error = {};
}

bool is_context_broken() {
    return context_errors.unreported_error.load() != cudaSuccess ||
           context_errors.current_error.load() != cudaSuccess;
}

// ---- messages about a call ----

namespace {

/// The maximum number of different messages to print. A program may repeat a failing call forever,
/// and its later messages are unlikely to say anything new.
constexpr std::size_t kMaxPrintedSentences = 1000;

void print_sentence_once(const std::string& sentence) {
    static std::mutex mutex;
    static auto& printed_texts = *new std::set<std::string>;
    if (options().is_quiet) return;
    const std::string text = wrap("coalesce: " + sentence, kColumns, "", "  ") + "\n";
    std::lock_guard lock(mutex);
    if (printed_texts.size() < kMaxPrintedSentences && printed_texts.insert(text).second)
        std::fputs(text.c_str(), stderr);
}

/// Reports whether `error`, returned by `call`, indicates a mistake in the program. Many errors are
/// normal answers: programs check whether memory, a peer, an attribute or another device is
/// available, or whether something is already registered. An error indicates a mistake only if the
/// call does work, such as a copy or a launch, and if programs do not normally expect the error.
bool is_mistake(std::string_view call, cudaError_t error) {
    switch (error) {
        case cudaSuccess:
        case cudaErrorMemoryAllocation:
        case cudaErrorNotReady:
        case cudaErrorNotSupported:              // already reported at its origin
        case cudaErrorStreamCaptureInvalidated:  // the invalidating call was reported
        case cudaErrorGraphExecUpdateFailure:    // tells programs to instantiate again
            return false;
        default: break;
    }
    for (const char* query_word : {"Get", "Query", "IsCapturing"}) {
        if (call.find(query_word) != call.npos) return false;
    }
    if (call.empty()) return true;  // a launch with <<<...>>> has no name
    for (const char* work_prefix :
         {"cudaLaunch",    "cudaMemcpy", "cudaMemset",  "cudaMemPrefetch",
          "cudaMemAdvise", "cudaMalloc", "cudaFree",    "cudaHostAlloc",
          "cudaEvent",     "cudaStream", "cudaGraph",   "cudaDeviceSynchronize",
          "cuLaunch",      "cuMemcpy",   "cuMemset",    "cuMemAlloc",
          "cuMemFree",     "cuEvent",    "cuStream",    "cuGraph",
          "cuTensorMap",   "cudaCreate", "cudaDestroy", "cuTexObject",
          "cuSurfObject",  "cuArray",    "cuMipmapped", "cublas"}) {
        if (call.starts_with(work_prefix)) return true;
    }
    return false;
}

/// Reports a failed call. `error` is the name of the error.
void report_failure(const std::string& call, const std::string& error, const std::string& kernel,
                    const std::string& message) {
    if (!options().checks.runs_apicheck) return;
    Report report;
    report.check = "apicheck";
    report.kind = error + " from " + call;
    report.kernel = kernel;
    report.message = message;
    report.message[0] = static_cast<char>(std::toupper(report.message[0]));
    report.where = find_calling_place();
    reports().add(report);
}

}  // namespace

void report_kernel_failure(cudaError_t error, const std::string& kernel) {
    report_failure("a kernel", cudaGetErrorName(error), kernel,
                   std::string(cudaGetErrorString(error)) +
                       "; the check that would report the location is switched off.");
}

CurrentCall::CurrentCall(const char* name, ErrorName error_name)
    : name_(name), error_name_(error_name), outer_call_(current_call) {
    current_call = this;
}

CurrentCall::~CurrentCall() {
    current_call = outer_call_;
    if (outer_call_) return;
    for (const std::string& sentence : explanations_) {
        print_sentence_once(*name_ ? std::string(name_) + ": " + sentence : sentence);
    }
}

CurrentCall& CurrentCall::find_outermost() {
    return outer_call_ ? outer_call_->find_outermost() : *this;
}

cudaError_t CurrentCall::end_call(cudaError_t error) {
    // An error that broke the context was already reported when it occurred.
    const bool is_new = error != context_errors.current_error.load() &&
                        error != context_errors.unreported_error.load();
    const bool is_refused = error == cudaErrorNotSupported && is_refused_by_hardware_;
    if (!outer_call_ && is_new && (is_refused || is_mistake(name_, error))) {
        const std::string explanation_text = take_explanations();
        report_failure(*name_ ? name_ : "a launch", error_name_(error), launched_kernel_,
                       explanation_text.empty() ? std::string(cudaGetErrorString(error)) + "."
                                                : explanation_text);
    }
    return error;
}

const char* CurrentCall::outermost_name() {
    return current_call ? current_call->find_outermost().name_ : "";
}

bool CurrentCall::is_outermost() {
    return current_call && !current_call->outer_call_;
}

std::string CurrentCall::take_explanations() {
    std::string text;
    if (!current_call) return text;
    std::vector<std::string>& explanations = current_call->find_outermost().explanations_;
    for (const std::string& sentence : explanations) text += (text.empty() ? "" : " ") + sentence;
    explanations.clear();
    return text;
}

void CurrentCall::set_launched_kernel(const std::string& kernel) {
    if (current_call) current_call->find_outermost().launched_kernel_ = kernel;
}

void explain(const std::string& sentence) {
    if (current_call) return current_call->find_outermost().explanations_.push_back(sentence);
    print_sentence_once(sentence);
}

void report_unsupported(const std::string& message, const std::string& cure,
                        const std::string& kernel) {
    Report report;
    report.check = "execution";
    report.kind = "unsupported";
    report.kernel = kernel;
    report.message = message;
    report.cure = cure;
    reports().add(report);
}

void fail_not_simulated(const std::string& feature) {
    const std::string call = current_call ? current_call->name() : "";
    report_unsupported(call + (call.empty() ? "" : ": ") + feature + " is not simulated.", "");
    fail(cudaErrorNotSupported);
}

void fail_not_supported(const std::string& reason) {
    if (current_call) current_call->find_outermost().is_refused_by_hardware_ = true;
    refuse(reason, cudaErrorNotSupported);
}

void refuse(const std::string& reason, cudaError_t error) {
    explain(reason);
    fail(error);
}

namespace {

cudaError_t current_last_error() {
    // A thread cannot clear the context's error, but the context may have been reset since.
    if (last_thread_error.is_from_context && context_errors.current_error.load() == cudaSuccess)
        last_thread_error = {};
    return last_thread_error.error;
}

}  // namespace
}  // namespace coalesce::simulator::cudart

using namespace coalesce::simulator::cudart;

cudaError_t cudaGetLastError() {
    const cudaError_t error = current_last_error();
    if (!last_thread_error.is_from_context) last_thread_error = {};
    return error;
}

cudaError_t cudaPeekAtLastError() {
    return current_last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define COALESCE_ERROR(number, name, sentence) \
    case number:                               \
        return #name;
#include "cuda_headers/include/coalesce_cuda/error_list.inc"
#undef COALESCE_ERROR
        default: return "unrecognized error code";
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define COALESCE_ERROR(number, name, sentence) \
    case number:                               \
        return sentence;
#include "cuda_headers/include/coalesce_cuda/error_list.inc"
#undef COALESCE_ERROR
        default: return "unrecognized error code";
    }
}
