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

/// The state of the error that broke the context. `unreported` is an error of a kernel that no call
/// has returned yet. Once `current` is set, every call returns it.
struct ContextState {
    std::atomic<cudaError_t> unreported{cudaSuccess};
    std::atomic<cudaError_t> current{cudaSuccess};
};
ContextState context;

std::atomic<bool> runtime_used{false};

thread_local LastError last;
thread_local CurrentCall* current_call = nullptr;

}  // namespace

cudaError_t remember(cudaError_t error) {
    if (error != cudaSuccess) last = {error, error == context.current.load()};
    return error;
}

bool runtime_is_used() {
    return runtime_used;
}

void note_runtime_use() {
    if (CurrentCall::is_outermost()) runtime_used = true;
}

cudaError_t context_error() {
    note_runtime_use();
    const cudaError_t fresh = context.unreported.exchange(cudaSuccess);
    // Keep the first error: store the new error only if none is stored yet.
    cudaError_t none = cudaSuccess;
    if (fresh != cudaSuccess) context.current.compare_exchange_strong(none, fresh);
    return context.current.load();
}

void break_context(cudaError_t error) {
    context.unreported = error;
}

void leave_broken_context() {
    context.current = cudaErrorDevicesUnavailable;
    last = {};
}

LastError& last_error_of_thread() {
    return last;
}

void reset_failed_context() {
    context.unreported = cudaSuccess;
    context.current = cudaSuccess;
    last = {};
}

bool context_is_broken() {
    return context.unreported.load() != cudaSuccess || context.current.load() != cudaSuccess;
}

// ---- messages about a call ----

namespace {

/// The maximum number of different messages to print. A program may repeat a failing call forever,
/// and its later messages are unlikely to say anything new.
constexpr std::size_t kMaxPrintedSentences = 1000;

void print_once(const std::string& sentence) {
    static std::mutex mutex;
    static auto& said = *new std::set<std::string>;
    if (options().quiet) return;
    const std::string text = wrap("coalesce: " + sentence, kColumns, "", "  ") + "\n";
    std::lock_guard lock(mutex);
    if (said.size() < kMaxPrintedSentences && said.insert(text).second)
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
    for (const char* question : {"Get", "Query", "IsCapturing"}) {
        if (call.find(question) != call.npos) return false;
    }
    if (call.empty()) return true;  // a launch with <<<...>>> has no name
    for (const char* work : {"cudaLaunch",    "cudaMemcpy", "cudaMemset",  "cudaMemPrefetch",
                             "cudaMemAdvise", "cudaMalloc", "cudaFree",    "cudaHostAlloc",
                             "cudaEvent",     "cudaStream", "cudaGraph",   "cudaDeviceSynchronize",
                             "cuLaunch",      "cuMemcpy",   "cuMemset",    "cuMemAlloc",
                             "cuMemFree",     "cuEvent",    "cuStream",    "cuGraph",
                             "cuTensorMap",   "cudaCreate", "cudaDestroy", "cuTexObject",
                             "cuSurfObject",  "cuArray",    "cuMipmapped", "cublas"}) {
        if (call.starts_with(work)) return true;
    }
    return false;
}

/// Reports a failed call. `error` is the name of the error.
void report_failure(const std::string& call, const std::string& error, const std::string& kernel,
                    const std::string& message) {
    if (!options().checks.api) return;
    Report report;
    report.check = "apicheck";
    report.kind = error + " from " + call;
    report.kernel = kernel;
    report.message = message;
    report.message[0] = static_cast<char>(std::toupper(report.message[0]));
    report.where = calling_place();
    reports().add(report);
}

}  // namespace

void report_broken(cudaError_t error, const std::string& kernel) {
    report_failure("a kernel", cudaGetErrorName(error), kernel,
                   std::string(cudaGetErrorString(error)) +
                       "; the check that would report the location is switched off.");
}

CurrentCall::CurrentCall(const char* name, ErrorName error_name)
    : name_(name), error_name_(error_name), outer_(current_call) {
    current_call = this;
}

CurrentCall::~CurrentCall() {
    current_call = outer_;
    if (outer_) return;
    for (const std::string& sentence : sentences_) {
        print_once(*name_ ? std::string(name_) + ": " + sentence : sentence);
    }
}

CurrentCall& CurrentCall::outermost() {
    return outer_ ? outer_->outermost() : *this;
}

cudaError_t CurrentCall::end(cudaError_t error) {
    // An error that broke the context was already reported when it occurred.
    const bool is_new = error != context.current.load() && error != context.unreported.load();
    const bool is_refused = error == cudaErrorNotSupported && is_refused_by_hardware_;
    if (!outer_ && is_new && (is_refused || is_mistake(name_, error))) {
        const std::string said = take_explanations();
        report_failure(*name_ ? name_ : "a launch", error_name_(error), kernel_,
                       said.empty() ? std::string(cudaGetErrorString(error)) + "." : said);
    }
    return error;
}

const char* CurrentCall::outermost_name() {
    return current_call ? current_call->outermost().name_ : "";
}

bool CurrentCall::is_outermost() {
    return current_call && !current_call->outer_;
}

std::string CurrentCall::take_explanations() {
    std::string text;
    if (!current_call) return text;
    std::vector<std::string>& sentences = current_call->outermost().sentences_;
    for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
    sentences.clear();
    return text;
}

void CurrentCall::set_launched_kernel(const std::string& kernel) {
    if (current_call) current_call->outermost().kernel_ = kernel;
}

void explain(const std::string& sentence) {
    if (current_call) return current_call->outermost().sentences_.push_back(sentence);
    print_once(sentence);
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

void not_simulated(const std::string& what) {
    const std::string call = current_call ? current_call->name() : "";
    report_unsupported(call + (call.empty() ? "" : ": ") + what + " is not simulated.", "");
    fail(cudaErrorNotSupported);
}

void not_supported(const std::string& why) {
    if (current_call) current_call->outermost().is_refused_by_hardware_ = true;
    refuse(why, cudaErrorNotSupported);
}

void refuse(const std::string& why, cudaError_t error) {
    explain(why);
    fail(error);
}

namespace {

cudaError_t last_error() {
    // A thread cannot clear the context's error, but the context may have been reset since.
    if (last.from_context && context.current.load() == cudaSuccess) last = {};
    return last.error;
}

}  // namespace
}  // namespace coalesce::simulator::cudart

using namespace coalesce::simulator::cudart;

cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error();
    if (!last.from_context) last = {};
    return error;
}

cudaError_t cudaPeekAtLastError() {
    return last_error();
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
