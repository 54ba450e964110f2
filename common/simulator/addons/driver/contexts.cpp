// Implements cuInit and contexts. All contexts of the simulated GPU share its memory and streams,
// and destroying a context does not free its allocations. As on hardware, most functions need a
// current context. The primary context of a device is the runtime's context.
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/addons/driver/driver.h"
#include "simulator/cudart/handles.h"

struct CUctx_st {
    int device = 0;
    unsigned flags = 0;
    unsigned long long id = 0;
    bool is_primary = false;
    /// For a primary context, the number of retain calls minus the number of release calls.
    unsigned retain_count = 0;
};

namespace coalesce::simulator::driver {
namespace {

using Context = CUctx_st*;

std::atomic<bool> was_init_called{false};

/// All contexts that have been created and not yet destroyed, including the primary context of each
/// device.
class Contexts {
public:
    static Contexts& instance() {
        static Contexts& contexts = *new Contexts;
        return contexts;
    }
    Context create_context(int device, unsigned flags, bool is_primary = false) {
        return live_contexts_.add(
            {.device = device, .flags = flags, .id = next_id_++, .is_primary = is_primary});
    }
    Context find_primary_context(int device) {
        std::lock_guard lock(mutex_);
        Context& context = primary_contexts_[device];
        if (!context) context = create_context(device, 0, true);
        return context;
    }
    bool is_alive(Context context) { return live_contexts_.find(context) != nullptr; }
    bool destroy_context(Context context) {
        return is_alive(context) && !context->is_primary && live_contexts_.destroy(context);
    }

private:
    std::mutex mutex_;
    cudart::HandleTable<Context, CUctx_st> live_contexts_;
    std::map<int, Context> primary_contexts_;
    std::atomic<unsigned long long> next_id_ = 1;
};

/// The context stack of this thread. The last element is the current context.
thread_local std::vector<Context> context_stack;

/// Returns the current context, or null if there is none.
Context current_context() {
    if (!context_stack.empty()) return context_stack.back();
    int device = 0;
    const bool has_primary = coalesceRuntimeIsUsed() && cudaGetDevice(&device) == cudaSuccess;
    return has_primary ? Contexts::instance().find_primary_context(device) : nullptr;
}

/// Makes the device of `context` the runtime's current device.
void select_device(Context context) {
    if (context) require_success(cudaSetDevice(context->device));
}

void push_context(Context context) {
    require(Contexts::instance().is_alive(context), kInvalidContext);
    context_stack.push_back(context);
    select_device(context);
}

void set_current(Context context) {
    require(!context || Contexts::instance().is_alive(context), kInvalidContext);
    if (!context_stack.empty()) context_stack.pop_back();
    if (context) push_context(context);
}

void pop_context(Context* context) {
    require(!context_stack.empty(), kInvalidContext);
    if (context) *context = context_stack.back();
    context_stack.pop_back();
    select_device(current_context());
}

Result create_context(const char* name, Context* context, unsigned flags, int device) {
    return run_driver_call(name, [&] {
        require(context);
        check_device(device);
        *context = Contexts::instance().create_context(device, flags);
        push_context(*context);
    });
}

void destroy_context(Context context) {
    require(Contexts::instance().destroy_context(context), kInvalidContext);
    std::erase(context_stack, context);
    select_device(current_context());
}

CUctx_st& find_primary_context(int device) {
    check_device(device);
    return *Contexts::instance().find_primary_context(device);
}

}  // namespace

bool is_initialized() {
    return was_init_called;
}

void check_context() {
    const Context context = current_context();
    if (context && Contexts::instance().is_alive(context)) return;
    coalesceDriverExplain(context ? "the current context was destroyed."
                                  : "no context is current; call cuCtxCreate, or "
                                    "cuDevicePrimaryCtxRetain and cuCtxSetCurrent, first.");
    fail(context ? cudaErrorContextIsDestroyed : kInvalidContext);
}

}  // namespace coalesce::simulator::driver

using namespace coalesce::simulator::driver;

extern "C" {

Result cuInit(unsigned flags) {
    if (flags != 0) return cudaErrorInvalidValue;
    was_init_called = true;
    return cudaSuccess;
}

Result cuDriverGetVersion(int* version) {
    return version ? cudaDriverGetVersion(version) : cudaErrorInvalidValue;
}

// ---- contexts that the program creates ----

Result cuCtxCreate_v2(Context* context, unsigned flags, int device) {
    return create_context(__func__, context, flags, device);
}

/// Ignores the second parameter, which restricts the context to a part of the device.
Result cuCtxCreate_v3(Context* context, void*, int, unsigned flags, int device) {
    return create_context(__func__, context, flags, device);
}

Result cuCtxCreate_v4(Context* context, void*, unsigned flags, int device) {
    return create_context(__func__, context, flags, device);
}

Result cuCtxDestroy_v2(Context context) {
    return run_driver_call(__func__, [&] { destroy_context(context); });
}

Result cuCtxPushCurrent_v2(Context context) {
    return run_driver_call(__func__, [&] { push_context(context); });
}

Result cuCtxPopCurrent_v2(Context* context) {
    return run_driver_call(__func__, [&] { pop_context(context); });
}

Result cuCtxSetCurrent(Context context) {
    return run_driver_call(__func__, [&] { set_current(context); });
}

Result cuCtxGetCurrent(Context* context) {
    return run_driver_call(__func__, [&] { store_output(context, current_context()); });
}

Result cuCtxGetDevice(int* device) {
    return call_with_context(__func__, [&] { store_output(device, current_context()->device); });
}

Result cuCtxGetDevice_v2(int* device, Context context) {
    return call_with_context(
        __func__, [&] { store_output(device, (context ? context : current_context())->device); });
}

Result cuCtxGetFlags(unsigned* flags) {
    return call_with_context(__func__, [&] { store_output(flags, current_context()->flags); });
}

Result cuCtxSetFlags(unsigned flags) {
    return call_with_context(__func__, [&] { current_context()->flags = flags; });
}

Result cuCtxGetId(Context context, unsigned long long* id) {
    return call_with_context(
        __func__, [&] { store_output(id, (context ? context : current_context())->id); });
}

Result cuCtxGetApiVersion(Context, unsigned* version) {
    return run_driver_call(__func__, [&] { store_output(version, 3020); });
}

COALESCE_SAME(cuCtxSynchronize, cudaDeviceSynchronize, 0);

Result cuCtxSynchronize_v2(Context) {
    return forward_with_context(__func__, cudaDeviceSynchronize);
}

// ---- primary contexts ----

Result cuDevicePrimaryCtxRetain(Context* context, int device) {
    return run_driver_call(__func__, [&] {
        CUctx_st& retained_context = find_primary_context(device);
        ++retained_context.retain_count;
        store_output(context, &retained_context);
    });
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
    return run_driver_call(__func__, [&] {
        CUctx_st& released_context = find_primary_context(device);
        require(released_context.retain_count > 0, kInvalidContext);
        --released_context.retain_count;
    });
}

Result cuDevicePrimaryCtxReset_v2(int device) {
    return run_driver_call(__func__, [&] {
        find_primary_context(device);
        require_success(cudaDeviceReset());
    });
}

Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    return run_driver_call(__func__, [&] {
        const CUctx_st& context = find_primary_context(device);
        store_output(flags, context.flags);
        store_output(active, context.retain_count > 0 || coalesceRuntimeIsUsed());
    });
}

Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    return run_driver_call(__func__, [&] { find_primary_context(device).flags = flags; });
}

// ---- settings of the current context ----

COALESCE_SAME(cuCtxGetLimit, cudaDeviceGetLimit, 2);
COALESCE_SAME(cuCtxSetLimit, cudaDeviceSetLimit, 2);
COALESCE_SAME(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, 1);
COALESCE_SAME(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, 1);

/// Returns a bank width of 4 bytes, regardless of the width that the program set.
Result cuCtxGetSharedMemConfig(cudaSharedMemConfig* config) {
    return call_with_context(__func__,
                             [&] { store_output(config, cudaSharedMemBankSizeFourByte); });
}

Result cuCtxSetSharedMemConfig(cudaSharedMemConfig) {
    return call_with_context(__func__, [] {});
}

COALESCE_SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, 2);
COALESCE_SAME(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache, 0);

Result cuCtxEnablePeerAccess(Context peer, unsigned flags) {
    return forward_with_context(__func__, cudaDeviceEnablePeerAccess, peer ? peer->device : -1,
                                flags);
}

Result cuCtxDisablePeerAccess(Context peer) {
    return forward_with_context(__func__, cudaDeviceDisablePeerAccess, peer ? peer->device : -1);
}

/// Stores the context of a stream. Simulated streams belong to a device and not to a context. The
/// result is therefore the current context if it is on the stream's device, and otherwise the
/// device's primary context.
Result cuStreamGetCtx(cudaStream_t stream, Context* context) {
    return call_with_context(__func__, [&] {
        int device = 0;
        require_success(cudaStreamGetDevice(stream, &device));
        store_output(context, device == current_context()->device ? current_context()
                                                                  : &find_primary_context(device));
    });
}
COALESCE_PER_THREAD_STREAM(cuStreamGetCtx, _ptsz);

}  // extern "C"
