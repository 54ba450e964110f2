// Implements kernel launches: configuration, limits, and kernel errors.
//
// Theory of operation
//   kernel<<<grid, block, bytes, stream>>>(a, b) compiles to
//     __cudaPushCallConfiguration(grid, block, bytes, stream)
//     stub(a, b), which nvcc generates:
//       __cudaGetKernel(&handle, address of the stub)        once
//       __cudaPopCallConfiguration(&grid, &block, &bytes, &stream)
//       __cudaLaunchKernel(handle, grid, block, addresses of a and b, bytes, stream)
//   Older toolkits and clang call cudaLaunchKernel(address of the stub, ...) instead.
//   args[i] points to argument i. Parameter i of the PTX entry gives its size and offset.
//
//   If the device cannot run the configuration, only this launch fails, and the next launch may
//   succeed. An error in the kernel breaks the context, and so does a kernel that cannot be
//   simulated: see api.h.
#include "simulator/cudart/launch.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/kernel_name.h"
#include "simulator/base/device_model.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"
#include "simulator/cudart/modules.h"
#include "simulator/cudart/streams.h"
#include "simulator/execute/recorder.h"
#include "simulator/profile/predicted_times.h"
#include "simulator/report/reports.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The configurations passed to __cudaPushCallConfiguration.
thread_local std::vector<LaunchRequest> pushed;

std::string shape(dim3 d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

// ---- checks that may reject a launch, each with its own message ----

[[noreturn]] void refuse_launch(const KernelHandle& handle, const std::string& why,
                                cudaError_t error = cudaErrorInvalidValue) {
    refuse("kernel '" + handle.kernel->demangled + "' was not launched: " + why, error);
}

void check_grid(const LaunchRequest& request, const KernelHandle& handle) {
    const dim3 g = request.grid;
    if (g.x == 0 || g.y == 0 || g.z == 0)
        refuse_launch(handle, "the grid has no blocks (" + shape(g) + ").");
    if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535)
        refuse_launch(handle, "a grid of " + shape(g) +
                                  " blocks exceeds the limit of 2147483647 x 65535 x 65535.");
}

void check_block(const LaunchRequest& request, const KernelHandle& handle) {
    const dim3 b = request.block;
    if (b.x == 0 || b.y == 0 || b.z == 0)
        refuse_launch(handle, "the block has no threads (" + shape(b) + ").");
    const u64 threads = u64{b.x} * b.y * b.z;
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads > DeviceModel::max_threads_per_block)
        refuse_launch(
            handle,
            "a block of " + shape(b) +
                " threads exceeds the limit of 1024 x 1024 x 64, or 1024 threads in total.");
    const u32* bounds = handle.kernel->ast->max_threads;
    const u64 bound = u64{bounds[0]} * (bounds[1] ? bounds[1] : 1) * (bounds[2] ? bounds[2] : 1);
    if (bound != 0 && threads > bound)
        refuse_launch(handle, "the kernel's __launch_bounds__ allow at most " +
                                  std::to_string(bound) + " threads per block, not " +
                                  std::to_string(threads) + ".");
    const u32* required = handle.kernel->ast->required_threads;
    const auto differs = [](u32 given, u32 wanted) { return given != (wanted ? wanted : 1); };
    if (required[0] != 0 &&
        (differs(b.x, required[0]) || differs(b.y, required[1]) || differs(b.z, required[2])))
        refuse_launch(handle, "the kernel was compiled for a different block shape (.reqntid).");
}

void check_resources(const LaunchRequest& request, void** arguments, const KernelHandle& handle) {
    const u32 limit = handle.dynamic_shared_limit();
    if (request.shared > limit) {
        std::string why = "the launch requests " + std::to_string(request.shared) +
                          " bytes of dynamic shared memory, but the kernel may have at most " +
                          std::to_string(limit) + ".";
        const u32 most = DeviceModel::shared_per_block_optin - handle.kernel->static_shared;
        if (request.shared <= most) {
            why +=
                " To raise this limit, call cudaFuncSetAttribute(kernel, "
                "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first.";
        }
        refuse_launch(handle, why);
    }
    if (handle.kernel->parameter_bytes > DeviceModel::parameter_bytes_max)
        refuse_launch(handle, "the parameters take more than 32764 bytes.");
    if (!arguments && !handle.kernel->ast->parameters.empty())
        refuse_launch(handle, "the list of arguments is a null pointer.");
}

void check_cooperative(const LaunchRequest& request, const KernelHandle& handle) {
    if (!request.cooperative) return;
    const u32 threads = request.block.x * request.block.y * request.block.z;
    const u64 resident = u64{DeviceModel::multiprocessors} *
                         Device::blocks_per_multiprocessor(*handle.kernel, threads,
                                                           static_cast<u32>(request.shared));
    const u64 blocks = u64{request.grid.x} * request.grid.y * request.grid.z;
    if (blocks <= resident) return;
    refuse_launch(handle,
                  "the blocks wait for each other, so all " + std::to_string(blocks) +
                      " must run at the same time, but only " + std::to_string(resident) +
                      " fit on the device.",
                  cudaErrorCooperativeLaunchTooLarge);
}

bool is_specified(Dim3 cluster) {
    return cluster.x || cluster.y || cluster.z;
}

/// Returns the cluster size that the kernel was compiled for or that cudaFuncSetAttribute set.
/// Returns zeros if neither specifies a size.
Dim3 required_cluster(const KernelHandle& handle) {
    const u32* compiled = handle.kernel->ast->cluster;
    const Dim3 dims{compiled[0], compiled[1], compiled[2]};
    if (!is_specified(dims)) return handle.cluster;
    return {std::max(dims.x, 1u), std::max(dims.y, 1u), std::max(dims.z, 1u)};
}

bool has_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    return is_specified(required_cluster(handle)) || is_specified(request.cluster);
}

Dim3 choose_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    const Dim3 required = required_cluster(handle);
    return is_specified(required)          ? required
           : is_specified(request.cluster) ? request.cluster
                                           : Dim3{1, 1, 1};
}

/// Rejects cluster sizes that an H200 would reject.
void check_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    const Dim3 cluster = choose_cluster(request, handle), required = required_cluster(handle);
    const auto refuse_cluster = [&](const std::string& why) {
        refuse_launch(handle,
                      "clusters of " + shape({cluster.x, cluster.y, cluster.z}) + " blocks " + why,
                      cudaErrorInvalidClusterSize);
    };
    if (cluster.count() == 0)
        refuse_cluster("are not possible: specify all three cluster dimensions, each at least 1.");
    if (is_specified(required) && is_specified(request.cluster) && !(required == request.cluster))
        refuse_cluster(
            "are required by the kernel, but the launch requests a different cluster size.");
    if (request.grid.x % cluster.x || request.grid.y % cluster.y || request.grid.z % cluster.z)
        refuse_cluster("do not divide the grid.");
    const u64 most = handle.non_portable_cluster ? DeviceModel::max_cluster_size
                                                 : DeviceModel::portable_cluster_size;
    if (cluster.count() > most)
        refuse_cluster("are too large; the maximum number of blocks in a cluster is " +
                       std::to_string(most) + ".");
}

// ---- the launch ----

/// Reports whether a launch could not start or was ended for a reason that would not apply on
/// hardware.
bool is_not_simulated(Status status) {
    return status == Status::unsupported_ptx || status == Status::out_of_memory;
}

bool breaks_context(Status status) {
    switch (status) {
        case Status::unsupported_ptx:
        case Status::out_of_memory:
        case Status::illegal_address:
        case Status::launch_timeout:
        case Status::assert_failed:
        case Status::misaligned_address:
        case Status::illegal_instruction:
        case Status::launch_failure: return true;
        default: return false;
    }
}

/// Runs a launch and passes its recording to the time prediction. If the program itself requested a
/// recording (coalesceRecord), no time is predicted.
Status run_and_predict(Kernel& kernel, const LaunchConfig& config, void** arguments) {
    PredictedTimes* const times = predicted_times();
    if (!times || recorder().mode() != Recorder::RecordMode::nothing)
        return Device::instance().launch(kernel, config, arguments);
    const bool records = times->is_enabled(kernel, config);
    if (records) recorder().begin(Recorder::RecordMode::beside);
    const Status status = Device::instance().launch(kernel, config, arguments);
    const std::vector<coalesce::timing::Recording>& recordings = recorder().recordings();
    if (status == Status::success)
        times->add(kernel, config, recordings.empty() ? nullptr : &recordings.back());
    if (records) recorder().begin(Recorder::RecordMode::nothing);
    return status;
}

void run(KernelHandle& handle, const LaunchRequest& request, void** arguments) {
    LaunchConfig config;
    config.grid = {request.grid.x, request.grid.y, request.grid.z};
    config.block = {request.block.x, request.block.y, request.block.z};
    config.dynamic_shared = static_cast<u32>(request.shared);
    config.cooperative = request.cooperative;
    config.cluster = choose_cluster(request, handle);
    config.explicit_cluster = has_cluster(request, handle);
    StreamWork::set_name(handle.kernel->demangled);
    StreamWork::configure(config);
    config.accessible_devices = accessible_devices(current_device());

    // Allow only one kernel at a time, even if several threads launch kernels.
    static std::mutex one_at_a_time;
    std::lock_guard lock(one_at_a_time);
    const u64 reported = reports().total();
    const Status status = run_and_predict(*handle.kernel, config, arguments);
    const auto error = static_cast<cudaError_t>(status);
    if (!breaks_context(status)) return require_success(error);
    break_context(error);
    if (reports().total() == reported) report_broken(error, handle.kernel->demangled);
    require(!is_not_simulated(status), error);
}

[[noreturn]] void refuse_attribute(const char* attribute) {
    break_context(cudaErrorNotSupported);
    not_simulated(std::string("a launch with the attribute ") + attribute);
}

}  // namespace

namespace coalesce::simulator::cudart {

void apply_attribute(const cudaLaunchAttribute& attribute, LaunchRequest& request) {
    switch (attribute.id) {
        case cudaLaunchAttributeCooperative:
            request.cooperative = attribute.val.cooperative != 0;
            return;
        case cudaLaunchAttributeClusterDimension:
            request.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y,
                               attribute.val.clusterDim.z};
            return;
        case cudaLaunchAttributeIgnore:
        case cudaLaunchAttributeAccessPolicyWindow:
        case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        case cudaLaunchAttributeProgrammaticStreamSerialization:
        case cudaLaunchAttributePriority:
        case cudaLaunchAttributeMemSyncDomainMap:
        case cudaLaunchAttributeMemSyncDomain:
        case cudaLaunchAttributePreferredClusterDimension:
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
        case cudaLaunchAttributeNvlinkUtilCentricScheduling: return;
        case cudaLaunchAttributeProgrammaticEvent:
            refuse_attribute("cudaLaunchAttributeProgrammaticEvent");
        case cudaLaunchAttributeLaunchCompletionEvent:
            refuse_attribute("cudaLaunchAttributeLaunchCompletionEvent");
        default: fail();
    }
}

// ---- arguments ----

namespace {

/// Copies all arguments. `source(index, offset)` returns the address of argument `index`.
template <class Source>
std::shared_ptr<const KernelArguments> collect_arguments(const Kernel& kernel, Source source) {
    auto copied = std::make_shared<KernelArguments>();
    copied->bytes.resize(kernel.parameter_bytes);
    for (size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
        const u32 offset = kernel.parameter_offsets[i];
        u8* const copy = copied->bytes.data() + offset;
        std::memcpy(copy, source(i, offset), kernel.ast->parameters[i].size);
        copied->pointers.push_back(copy);
    }
    return copied;
}

}  // namespace

std::shared_ptr<const KernelArguments> copy_arguments(const KernelHandle& handle,
                                                      void** arguments) {
    return collect_arguments(*handle.kernel, [&](size_t i, u32) { return arguments[i]; });
}

std::shared_ptr<const KernelArguments> unpack_extra(const KernelHandle& handle, void** extra) {
    // The values of CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE. cuda.h, which defines
    // them, comes only with a toolkit.
    constexpr u64 end = 0, buffer_pointer = 1, buffer_size = 2;
    const u8* buffer = nullptr;
    u64 size = 0;
    for (void** entry = extra; reinterpret_cast<u64>(*entry) != end; entry += 2) {
        const u64 name = reinterpret_cast<u64>(*entry);
        if (name == buffer_pointer)
            buffer = static_cast<const u8*>(entry[1]);
        else if (name == buffer_size)
            size = *static_cast<const size_t*>(entry[1]);
        else
            fail();
    }
    const Kernel& kernel = *handle.kernel;
    if (!buffer || size < kernel.parameter_bytes)
        refuse("the argument buffer has " + std::to_string(size) + " bytes, but the kernel needs " +
               std::to_string(kernel.parameter_bytes) + ".");
    return collect_arguments(kernel, [&](size_t, u32 offset) { return buffer + offset; });
}

// ---- checking, running ----

KernelHandle& find_runnable_kernel(const void* function) {
    KernelHandle& handle = Modules::instance().find(function);
    CurrentCall::set_launched_kernel(kernel_name(handle.name));
    try {
        Modules::instance().prepare_kernel(handle);
    } catch (const Failure& failure) {
        // A GPU rejects this launch too, so the failure does not break the context.
        if (failure.error == cudaErrorNotSupported) throw;
        report_unsupported(CurrentCall::take_explanations(),
                           "This kernel cannot run on the simulated GPU.",
                           kernel_name(handle.name));
        break_context(failure.error);
        throw;
    }
    return handle;
}

void check_launch(const KernelHandle& handle, const LaunchRequest& request, void** arguments) {
    check_grid(request, handle);
    check_block(request, handle);
    check_resources(request, arguments, handle);
    check_cooperative(request, handle);
    check_cluster(request, handle);
}

void launch_now(const void* function, const LaunchRequest& request, void** arguments) {
    KernelHandle& handle = find_runnable_kernel(function);
    check_launch(handle, request, arguments);
    run(handle, request, arguments);
}

void launch(const void* function, const LaunchRequest& request, void** arguments,
            const std::vector<cudaLaunchAttribute>& attributes) {
    check_stream_of_device(request.stream);
    check_default_stream_order(request.stream);
    const auto capture = find_capture(request.stream);
    if (!capture) {
        const StreamWork work(request.stream);
        return launch_now(function, request, arguments);
    }
    KernelWork work{function, request, nullptr, attributes};
    invalidate_on_failure(*capture, [&] {
        const KernelHandle& handle = find_runnable_kernel(function);
        check_launch(handle, request, arguments);
        work.arguments = copy_arguments(handle, arguments);
    });
    capture_work(capture, request.stream, std::move(work));
}

}  // namespace coalesce::simulator::cudart

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    pushed.push_back({.grid = grid, .block = block, .shared = shared, .stream = stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    if (pushed.empty()) return remember(cudaErrorMissingConfiguration);
    const LaunchRequest top = pushed.back();
    pushed.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *static_cast<cudaStream_t*>(stream) = top.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return cudaGetKernel(kernel, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
    return api("", [&] {
        launch(kernel, {.grid = grid, .block = block, .shared = shared, .stream = stream},
               arguments);
    });
}

}  // extern "C"
COALESCE_PER_THREAD_STREAM(__cudaLaunchKernel, _ptsz);

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return answer(__func__, [&] {
        require(kernel);
        *kernel = reinterpret_cast<cudaKernel_t>(&Modules::instance().find(function));
    });
}

/// A CUfunction, which the driver uses, is the same as a cudaKernel_t here.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
    return cudaGetKernel(reinterpret_cast<cudaKernel_t*>(handle), function);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
    return api(__func__, [&] {
        launch(function, {.grid = grid, .block = block, .shared = shared, .stream = stream},
               arguments);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
    return api(__func__, [&] {
        launch(
            function,
            {.grid = grid, .block = block, .shared = shared, .stream = stream, .cooperative = true},
            arguments);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
    return api(__func__, [&] {
        require(config && (config->numAttrs == 0 || config->attrs));
        LaunchRequest request{.grid = config->gridDim,
                              .block = config->blockDim,
                              .shared = config->dynamicSmemBytes,
                              .stream = config->stream};
        const std::vector<cudaLaunchAttribute> attributes(config->attrs,
                                                          config->attrs + config->numAttrs);
        for (const cudaLaunchAttribute& attribute : attributes) apply_attribute(attribute, request);
        launch(function, request, arguments, attributes);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchKernelExC, _ptsz);
