// cuInit and contexts. A context here is a name: all contexts of the simulated GPU share its memory and its
// streams, and what one allocated is not freed when it is destroyed. Which of them is current, and that one is
// needed, is as on hardware. A device's primary context is the runtime's.
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "cudart/handles.h"
#include "driver/driver.h"

struct CUctx_st {
    int device = 0;
    unsigned flags = 0;
    unsigned long long id = 0;
    bool is_primary = false;
    unsigned retained = 0;  ///< how often, of a primary context
};

namespace coalesce::sim::driver {
namespace {

using Context = CUctx_st*;

std::atomic<bool> initialized{false};

/// Every context that was created and not destroyed, and the primary one of each device.
class Contexts {
public:
    static Contexts& instance() {
        static Contexts& contexts = *new Contexts;
        return contexts;
    }
    Context create(int device, unsigned flags, bool is_primary = false) {
        return alive_.add(
            {.device = device, .flags = flags, .id = next_id_++, .is_primary = is_primary});
    }
    Context primary(int device) {
        std::lock_guard lock(mutex_);
        Context& context = primaries_[device];
        if (!context) context = create(device, 0, true);
        return context;
    }
    bool is_alive(Context context) { return alive_.find(context) != nullptr; }
    bool destroy(Context context) {
        return is_alive(context) && !context->is_primary && alive_.destroy(context);
    }

private:
    std::mutex mutex_;
    cudart::Handles<Context, CUctx_st> alive_;
    std::map<int, Context> primaries_;
    std::atomic<unsigned long long> next_id_ = 1;
};

/// The last one is current.
thread_local std::vector<Context> pushed;

bool is_device(int device) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && device >= 0 && device < count;
}

/// Null: none is current.
Context current() {
    if (!pushed.empty()) return pushed.back();
    int device = 0;
    const bool has_primary = coalesceRuntimeIsUsed() && cudaGetDevice(&device) == cudaSuccess;
    return has_primary ? Contexts::instance().primary(device) : nullptr;
}

/// The runtime works on the device of the current context.
Result follow(Context context) {
    return context ? static_cast<Result>(cudaSetDevice(context->device)) : kSuccess;
}

Result set_current(Context context) {
    if (context && !Contexts::instance().is_alive(context)) return kInvalidContext;
    if (!pushed.empty()) pushed.pop_back();
    if (context) pushed.push_back(context);
    return follow(context);
}

Result push(Context context) {
    if (!Contexts::instance().is_alive(context)) return kInvalidContext;
    pushed.push_back(context);
    return follow(context);
}

Result pop(Context* context) {
    if (pushed.empty()) return kInvalidContext;
    if (context) *context = pushed.back();
    pushed.pop_back();
    return follow(current());
}

Result create(Context* context, unsigned flags, int device) {
    if (!context) return kInvalidValue;
    if (!is_device(device)) return kInvalidDevice;
    *context = Contexts::instance().create(device, flags);
    return push(*context);
}

Result destroy(Context context) {
    if (!Contexts::instance().destroy(context)) return kInvalidContext;
    std::erase(pushed, context);
    return follow(current());
}

template <class Body>
Result with_primary(const char* name, int device, Body body) {
    return call(name, [&]() -> int {
        return is_device(device) ? static_cast<int>(body(*Contexts::instance().primary(device)))
                                 : kInvalidDevice;
    });
}

template <class Body>
Result with_current(const char* name, Body body) {
    return in_context(name, [&] { return body(*current()); });
}

}  // namespace

bool is_initialized() {
    return initialized;
}

Result check_context() {
    const Context context = current();
    if (context && Contexts::instance().is_alive(context)) return kSuccess;
    coalesceDriverExplain(context ? "the current context was destroyed."
                                  : "no context is current; call cuCtxCreate, or "
                                    "cuDevicePrimaryCtxRetain and cuCtxSetCurrent, first.");
    return context ? static_cast<Result>(cudaErrorContextIsDestroyed) : kInvalidContext;
}

}  // namespace coalesce::sim::driver

using namespace coalesce::sim::driver;

extern "C" {

Result cuInit(unsigned flags) {
    if (flags != 0) return kInvalidValue;
    initialized = true;
    return kSuccess;
}

Result cuDriverGetVersion(int* version) {
    return version ? static_cast<Result>(cudaDriverGetVersion(version)) : kInvalidValue;
}

// ---- created ----

Result cuCtxCreate_v2(Context* context, unsigned flags, int device) {
    return call(__func__, [&] { return create(context, flags, device); });
}

/// How much of the device the context may use changes nothing here.
Result cuCtxCreate_v3(Context* context, void*, int, unsigned flags, int device) {
    return call(__func__, [&] { return create(context, flags, device); });
}

Result cuCtxCreate_v4(Context* context, void*, unsigned flags, int device) {
    return call(__func__, [&] { return create(context, flags, device); });
}

Result cuCtxDestroy_v2(Context context) {
    return call(__func__, [&] { return destroy(context); });
}

Result cuCtxPushCurrent_v2(Context context) {
    return call(__func__, [&] { return push(context); });
}

Result cuCtxPopCurrent_v2(Context* context) {
    return call(__func__, [&] { return pop(context); });
}

Result cuCtxSetCurrent(Context context) {
    return call(__func__, [&] { return set_current(context); });
}

Result cuCtxGetCurrent(Context* context) {
    return call(__func__, [&] { return give(context, current()); });
}

Result cuCtxGetDevice(int* device) {
    return with_current(__func__, [&](CUctx_st& context) { return give(device, context.device); });
}

Result cuCtxGetDevice_v2(int* device, Context context) {
    return with_current(__func__, [&](CUctx_st& own) {
        return give(device, context ? context->device : own.device);
    });
}

Result cuCtxGetFlags(unsigned* flags) {
    return with_current(__func__, [&](CUctx_st& context) { return give(flags, context.flags); });
}

Result cuCtxSetFlags(unsigned flags) {
    return with_current(__func__, [&](CUctx_st& context) {
        context.flags = flags;
        return kSuccess;
    });
}

Result cuCtxGetId(Context context, unsigned long long* id) {
    return with_current(__func__,
                        [&](CUctx_st& own) { return give(id, context ? context->id : own.id); });
}

Result cuCtxGetApiVersion(Context, unsigned* version) {
    return call(__func__, [&] { return give(version, 3020u); });
}

COALESCE_SAME(cuCtxSynchronize, cudaDeviceSynchronize, 0);

Result cuCtxSynchronize_v2(Context) {
    return same(__func__, cudaDeviceSynchronize);
}

// ---- primary ----

Result cuDevicePrimaryCtxRetain(Context* context, int device) {
    return with_primary(__func__, device, [&](CUctx_st& primary) {
        ++primary.retained;
        return give(context, &primary);
    });
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
    return with_primary(__func__, device, [&](CUctx_st& primary) {
        if (primary.retained == 0) return Result{kInvalidContext};
        --primary.retained;
        return Result{kSuccess};
    });
}

Result cuDevicePrimaryCtxReset_v2(int device) {
    return with_primary(__func__, device, [&](CUctx_st&) { return cudaDeviceReset(); });
}

Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
    return with_primary(__func__, device, [&](CUctx_st& primary) {
        const bool is_active = primary.retained > 0 || coalesceRuntimeIsUsed();
        if (const Result error = give(flags, primary.flags)) return error;
        return give(active, is_active ? 1 : 0);
    });
}

Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    return with_primary(__func__, device, [&](CUctx_st& primary) {
        primary.flags = flags;
        return kSuccess;
    });
}

// ---- settings of the current one ----

COALESCE_SAME(cuCtxGetLimit, cudaDeviceGetLimit, 2);
COALESCE_SAME(cuCtxSetLimit, cudaDeviceSetLimit, 2);
COALESCE_SAME(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, 1);
COALESCE_SAME(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, 1);

/// Banks are 4 bytes wide, whatever is asked for.
Result cuCtxGetSharedMemConfig(cudaSharedMemConfig* config) {
    return in_context(__func__, [&] { return give(config, cudaSharedMemBankSizeFourByte); });
}

Result cuCtxSetSharedMemConfig(cudaSharedMemConfig) {
    return in_context(__func__, [] { return kSuccess; });
}

COALESCE_SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, 2);
COALESCE_SAME(cuCtxResetPersistingL2Cache, cudaCtxResetPersistingL2Cache, 0);

Result cuCtxEnablePeerAccess(Context peer, unsigned flags) {
    return same(__func__, cudaDeviceEnablePeerAccess, peer ? peer->device : -1, flags);
}

Result cuCtxDisablePeerAccess(Context peer) {
    return same(__func__, cudaDeviceDisablePeerAccess, peer ? peer->device : -1);
}

/// Streams belong to a device here: to its primary context, unless another one of it is current.
Result cuStreamGetCtx(cudaStream_t stream, Context* context) {
    return with_current(__func__, [&](CUctx_st& own) {
        int device = 0;
        const cudaError_t error = cudaStreamGetDevice(stream, &device);
        if (error != cudaSuccess) return static_cast<Result>(error);
        return give(context, device == own.device ? &own : Contexts::instance().primary(device));
    });
}
COALESCE_PER_THREAD_STREAM(cuStreamGetCtx, _ptsz);

}  // extern "C"
