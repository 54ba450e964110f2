// The errors of threads and of the context, their names, and what is printed about them. See api.h.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

#include "base/options.h"
#include "cudart/api.h"
#include "report/text.h"

namespace coalesce::sim::cudart {
namespace {

/// `waiting`: caused by a kernel, not returned by a call yet. `current`: returned from now on.
struct ContextState {
    std::atomic<cudaError_t> waiting{cudaSuccess};
    std::atomic<cudaError_t> current{cudaSuccess};
};
ContextState context;

struct LastError {
    cudaError_t error = cudaSuccess;
    bool from_context = false;
};
thread_local LastError last;
thread_local const char* current_call = "";

}  // namespace

cudaError_t remember(cudaError_t error) {
    if (error != cudaSuccess) last = {error, error == context.current.load()};
    return error;
}

cudaError_t context_error() {
    const cudaError_t fresh = context.waiting.exchange(cudaSuccess);
    // The first error is the one that stays.
    cudaError_t none = cudaSuccess;
    if (fresh != cudaSuccess) context.current.compare_exchange_strong(none, fresh);
    return context.current.load();
}

void break_context(cudaError_t error) {
    context.waiting = error;
}

void leave_broken_context() {
    context.current = cudaErrorDevicesUnavailable;
    last = {};
}

void mend_context() {
    context.waiting = cudaSuccess;
    context.current = cudaSuccess;
    last = {};
}

bool context_is_broken() {
    return context.waiting.load() != cudaSuccess || context.current.load() != cudaSuccess;
}

CurrentCall::CurrentCall(const char* name) : outer_(current_call) {
    current_call = name;
}
CurrentCall::~CurrentCall() {
    current_call = outer_;
}

void explain(const std::string& sentence) {
    static std::mutex mutex;
    static auto& said = *new std::set<std::string>;
    if (options().quiet) return;
    const std::string text =
        wrap(std::string("coalesce: ") + current_call + (*current_call ? ": " : "") + sentence,
             kColumns, "", "  ") +
        "\n";
    std::lock_guard lock(mutex);
    // A program may call in a loop for ever: what was not said in the first thousand is not new.
    if (said.size() < 1000 && said.insert(text).second) std::fputs(text.c_str(), stderr);
}

cudaError_t not_simulated(const std::string& what) {
    explain(what + " is not simulated.");
    return cudaErrorNotSupported;
}

cudaError_t explain_exception(const std::exception& exception) {
    explain(exception.what());
    return cudaErrorInitializationError;
}

namespace {

cudaError_t last_error() {
    // The context's error is not this thread's to clear, but a mended context has none.
    if (last.from_context && context.current.load() == cudaSuccess) last = {};
    return last.error;
}

}  // namespace
}  // namespace coalesce::sim::cudart

using namespace coalesce::sim::cudart;

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
#include "cudart/error_list.inc"
#undef COALESCE_ERROR
        default: return "unrecognized error code";
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (static_cast<int>(error)) {
#define COALESCE_ERROR(number, name, sentence) \
    case number:                               \
        return sentence;
#include "cudart/error_list.inc"
#undef COALESCE_ERROR
        default: return "unrecognized error code";
    }
}
