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
thread_local std::vector<LaunchRequest> pushed_configurations;

std::string format_shape(dim3 shape) {
    return std::to_string(shape.x) + " x " + std::to_string(shape.y) + " x " +
           std::to_string(shape.z);
}

// ---- checks that may reject a launch, each with its own message ----

[[noreturn]] void refuse_launch(const KernelHandle& handle, const std::string& reason,
                                cudaError_t error = cudaErrorInvalidValue) {
    refuse("kernel '" + handle.kernel->display_name + "' was not launched: " + reason, error);
}

void check_grid(const LaunchRequest& request, const KernelHandle& handle) {
    const dim3 grid_shape = request.grid;
    if (grid_shape.x == 0 || grid_shape.y == 0 || grid_shape.z == 0)
        refuse_launch(handle, "the grid has no blocks (" + format_shape(grid_shape) + ").");
    if (grid_shape.x > 0x7fffffffu || grid_shape.y > 65535 || grid_shape.z > 65535)
        refuse_launch(handle, "a grid of " + format_shape(grid_shape) +
                                  " blocks exceeds the limit of 2147483647 x 65535 x 65535.");
}

void check_block(const LaunchRequest& request, const KernelHandle& handle) {
    const dim3 block_shape = request.block;
    if (block_shape.x == 0 || block_shape.y == 0 || block_shape.z == 0)
        refuse_launch(handle, "the block has no threads (" + format_shape(block_shape) + ").");
    const u64 threads = u64{block_shape.x} * block_shape.y * block_shape.z;
    if (block_shape.x > 1024 || block_shape.y > 1024 || block_shape.z > 64 ||
        threads > DeviceModel::max_threads_per_block)
        refuse_launch(
            handle,
            "a block of " + format_shape(block_shape) +
                " threads exceeds the limit of 1024 x 1024 x 64, or 1024 threads in total.");
    const u32* max_shape = handle.kernel->ast->max_threads;
    const u64 max_threads =
        u64{max_shape[0]} * (max_shape[1] ? max_shape[1] : 1) * (max_shape[2] ? max_shape[2] : 1);
    if (max_threads != 0 && threads > max_threads)
        refuse_launch(handle, "the kernel's __launch_bounds__ allow at most " +
                                  std::to_string(max_threads) + " threads per block, not " +
                                  std::to_string(threads) + ".");
    const u32* required_cluster = handle.kernel->ast->required_threads;
    const auto differs_from_required = [](u32 actual, u32 required) {
        return actual != (required ? required : 1);
    };
    if (required_cluster[0] != 0 && (differs_from_required(block_shape.x, required_cluster[0]) ||
                                     differs_from_required(block_shape.y, required_cluster[1]) ||
                                     differs_from_required(block_shape.z, required_cluster[2])))
        refuse_launch(handle, "the kernel was compiled for a different block shape (.reqntid).");
}

void check_resources(const LaunchRequest& request, void** arguments, const KernelHandle& handle) {
    const u32 max_shared_bytes = handle.dynamic_shared_limit();
    if (request.dynamic_shared_bytes > max_shared_bytes) {
        std::string reason = "the launch requests " + std::to_string(request.dynamic_shared_bytes) +
                             " bytes of dynamic shared memory, but the kernel may have at most " +
                             std::to_string(max_shared_bytes) + ".";
        const u32 raisable_bytes =
            DeviceModel::shared_per_block_optin - handle.kernel->static_shared_bytes;
        if (request.dynamic_shared_bytes <= raisable_bytes) {
            reason +=
                " To raise this limit, call cudaFuncSetAttribute(kernel, "
                "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first.";
        }
        refuse_launch(handle, reason);
    }
    if (handle.kernel->parameter_bytes > DeviceModel::parameter_bytes_max)
        refuse_launch(handle, "the parameters take more than 32764 bytes.");
    if (!arguments && !handle.kernel->ast->parameters.empty())
        refuse_launch(handle, "the list of arguments is a null pointer.");
}

void check_cooperative(const LaunchRequest& request, const KernelHandle& handle) {
    if (!request.is_cooperative) return;
    const u32 threads = request.block.x * request.block.y * request.block.z;
    const u64 resident_blocks =
        u64{DeviceModel::multiprocessors} *
        Device::blocks_per_multiprocessor(*handle.kernel, threads,
                                          static_cast<u32>(request.dynamic_shared_bytes));
    const u64 blocks = u64{request.grid.x} * request.grid.y * request.grid.z;
    if (blocks <= resident_blocks) return;
    refuse_launch(handle,
                  "the blocks wait for each other, so all " + std::to_string(blocks) +
                      " must run at the same time, but only " + std::to_string(resident_blocks) +
                      " fit on the device.",
                  cudaErrorCooperativeLaunchTooLarge);
}

bool is_specified(Dim3 cluster) {
    return cluster.x || cluster.y || cluster.z;
}

/// Returns the cluster size that the kernel was compiled for or that cudaFuncSetAttribute set.
/// Returns zeros if neither specifies a size.
Dim3 find_required_cluster(const KernelHandle& handle) {
    const u32* compiled_shape = handle.kernel->ast->cluster;
    const Dim3 compiled_cluster{compiled_shape[0], compiled_shape[1], compiled_shape[2]};
    if (!is_specified(compiled_cluster)) return handle.cluster;
    return {std::max(compiled_cluster.x, 1u), std::max(compiled_cluster.y, 1u),
            std::max(compiled_cluster.z, 1u)};
}

bool has_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    return is_specified(find_required_cluster(handle)) || is_specified(request.cluster);
}

Dim3 choose_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    const Dim3 required_cluster = find_required_cluster(handle);
    return is_specified(required_cluster)  ? required_cluster
           : is_specified(request.cluster) ? request.cluster
                                           : Dim3{1, 1, 1};
}

/// Rejects cluster sizes that an H200 would reject.
void check_cluster(const LaunchRequest& request, const KernelHandle& handle) {
    const Dim3 cluster = choose_cluster(request, handle),
               required_cluster = find_required_cluster(handle);
    const auto refuse_cluster = [&](const std::string& reason) {
        refuse_launch(
            handle,
            "clusters of " + format_shape({cluster.x, cluster.y, cluster.z}) + " blocks " + reason,
            cudaErrorInvalidClusterSize);
    };
    if (cluster.count() == 0)
        refuse_cluster("are not possible: specify all three cluster dimensions, each at least 1.");
    if (is_specified(required_cluster) && is_specified(request.cluster) &&
        !(required_cluster == request.cluster))
        refuse_cluster(
            "are required by the kernel, but the launch requests a different cluster size.");
    if (request.grid.x % cluster.x || request.grid.y % cluster.y || request.grid.z % cluster.z)
        refuse_cluster("do not divide the grid.");
    const u64 max_cluster_blocks = handle.allows_nonportable_cluster
                                       ? DeviceModel::max_cluster_size
                                       : DeviceModel::portable_cluster_size;
    if (cluster.count() > max_cluster_blocks)
        refuse_cluster("are too large; the maximum number of blocks in a cluster is " +
                       std::to_string(max_cluster_blocks) + ".");
}

// ---- the launch ----

/// Reports whether a launch could not start or was ended for a reason that would not apply on
/// hardware.
bool is_not_simulated(Status status) {
    return status == Status::unsupported_ptx || status == Status::out_of_memory;
}

bool is_context_error(Status status) {
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
    PredictedTimes* const process_times = predicted_times();
    if (!process_times || recorder().mode() != Recorder::RecordMode::nothing)
        return Device::instance().launch(kernel, config, arguments);
    const bool is_recording = process_times->is_enabled(kernel, config);
    if (is_recording) recorder().begin_recording(Recorder::RecordMode::beside);
    const Status status = Device::instance().launch(kernel, config, arguments);
    const std::vector<coalesce::timing::Recording>& recordings = recorder().recordings();
    if (status == Status::success)
        process_times->add_launch(kernel, config,
                                  recordings.empty() ? nullptr : &recordings.back());
    if (is_recording) recorder().begin_recording(Recorder::RecordMode::nothing);
    return status;
}

void run_launch(KernelHandle& handle, const LaunchRequest& request, void** arguments) {
    LaunchConfig config;
    config.grid = {request.grid.x, request.grid.y, request.grid.z};
    config.block = {request.block.x, request.block.y, request.block.z};
    config.dynamic_shared_bytes = static_cast<u32>(request.dynamic_shared_bytes);
    config.is_cooperative = request.is_cooperative;
    config.cluster = choose_cluster(request, handle);
    config.has_explicit_cluster = has_cluster(request, handle);
    StreamWork::set_kernel_name(handle.kernel->display_name);
    StreamWork::collect_accesses_of(config);
    config.accessible_devices = accessible_devices(current_device());

    // Allow only one kernel at a time, even if several threads launch kernels.
    static std::mutex launch_mutex;
    std::lock_guard lock(launch_mutex);
    const u64 report_count = reports().total_count();
    const Status status = run_and_predict(*handle.kernel, config, arguments);
    const auto error = static_cast<cudaError_t>(status);
    if (!is_context_error(status)) return require_success(error);
    set_context_error(error);
    if (reports().total_count() == report_count)
        report_kernel_failure(error, handle.kernel->display_name);
    require(!is_not_simulated(status), error);
}

[[noreturn]] void refuse_attribute(const char* attribute) {
    set_context_error(cudaErrorNotSupported);
    fail_not_simulated(std::string("a launch with the attribute ") + attribute);
}

}  // namespace

namespace coalesce::simulator::cudart {

void apply_attribute(const cudaLaunchAttribute& attribute, LaunchRequest& request) {
    switch (attribute.id) {
        case cudaLaunchAttributeCooperative:
            request.is_cooperative = attribute.val.cooperative != 0;
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

/// Copies all arguments. `find_argument(index, offset)` returns the address of argument `index`.
template <class FindArgument>
std::shared_ptr<const KernelArguments> collect_arguments(const Kernel& kernel,
                                                         FindArgument find_argument) {
    auto copied_arguments = std::make_shared<KernelArguments>();
    copied_arguments->bytes.resize(kernel.parameter_bytes);
    for (size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
        const u32 offset = kernel.parameter_offsets[i];
        u8* const argument_copy = copied_arguments->bytes.data() + offset;
        std::memcpy(argument_copy, find_argument(i, offset), kernel.ast->parameters[i].size);
        copied_arguments->argument_pointers.push_back(argument_copy);
    }
    return copied_arguments;
}

}  // namespace

std::shared_ptr<const KernelArguments> copy_arguments(const KernelHandle& handle,
                                                      void** arguments) {
    return collect_arguments(*handle.kernel, [&](size_t i, u32) { return arguments[i]; });
}

std::shared_ptr<const KernelArguments> unpack_argument_buffer(const KernelHandle& handle,
                                                              void** extra) {
    // The values of CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE. cuda.h, which defines
    // them, comes only with a toolkit.
    constexpr u64 kEndKey = 0, kBufferPointerKey = 1, kBufferSizeKey = 2;
    const u8* buffer = nullptr;
    u64 buffer_bytes = 0;
    for (void** option = extra; reinterpret_cast<u64>(*option) != kEndKey; option += 2) {
        const u64 option_key = reinterpret_cast<u64>(*option);
        if (option_key == kBufferPointerKey)
            buffer = static_cast<const u8*>(option[1]);
        else if (option_key == kBufferSizeKey)
            buffer_bytes = *static_cast<const size_t*>(option[1]);
        else
            fail();
    }
    const Kernel& kernel = *handle.kernel;
    if (!buffer || buffer_bytes < kernel.parameter_bytes)
        refuse("the argument buffer has " + std::to_string(buffer_bytes) +
               " bytes, but the kernel needs " + std::to_string(kernel.parameter_bytes) + ".");
    return collect_arguments(kernel, [&](size_t, u32 offset) { return buffer + offset; });
}

// ---- checking, running ----

KernelHandle& find_runnable_kernel(const void* function) {
    KernelHandle& handle = Modules::instance().find_kernel(function);
    CurrentCall::set_launched_kernel(kernel_name(handle.name));
    try {
        Modules::instance().prepare_kernel(handle);
    } catch (const Failure& failure) {
        // A GPU rejects this launch too, so the failure does not break the context.
        if (failure.error == cudaErrorNotSupported) throw;
        report_unsupported(CurrentCall::take_explanations(),
                           "This kernel cannot run on the simulated GPU.",
                           kernel_name(handle.name));
        set_context_error(failure.error);
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

void launch_immediately(const void* function, const LaunchRequest& request, void** arguments) {
    KernelHandle& handle = find_runnable_kernel(function);
    check_launch(handle, request, arguments);
    run_launch(handle, request, arguments);
}

void launch(const void* function, const LaunchRequest& request, void** arguments,
            const std::vector<cudaLaunchAttribute>& attributes) {
    check_stream_of_device(request.stream);
    check_default_stream_order(request.stream);
    const auto capture = find_capture(request.stream);
    if (!capture) {
        const StreamWork work(request.stream);
        return launch_immediately(function, request, arguments);
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

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared_bytes,
                                     cudaStream_t stream) {
    pushed_configurations.push_back({.grid = grid,
                                     .block = block,
                                     .dynamic_shared_bytes = dynamic_shared_bytes,
                                     .stream = stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_shared_bytes,
                                       void* stream) {
    if (pushed_configurations.empty()) return set_last_error(cudaErrorMissingConfiguration);
    const LaunchRequest configuration = pushed_configurations.back();
    pushed_configurations.pop_back();
    *grid = configuration.grid;
    *block = configuration.block;
    *dynamic_shared_bytes = configuration.dynamic_shared_bytes;
    *static_cast<cudaStream_t*>(stream) = configuration.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return cudaGetKernel(kernel, function);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t dynamic_shared_bytes, cudaStream_t stream) {
    return run_device_call("", [&] {
        launch(kernel,
               {.grid = grid,
                .block = block,
                .dynamic_shared_bytes = dynamic_shared_bytes,
                .stream = stream},
               arguments);
    });
}

}  // extern "C"
COALESCE_PER_THREAD_STREAM(__cudaLaunchKernel, _ptsz);

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return run_call(__func__, [&] {
        require(kernel);
        *kernel = reinterpret_cast<cudaKernel_t>(&Modules::instance().find_kernel(function));
    });
}

/// A CUfunction, which the driver uses, is the same as a cudaKernel_t here.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* handle, const void* function) {
    return cudaGetKernel(reinterpret_cast<cudaKernel_t*>(handle), function);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_shared_bytes, cudaStream_t stream) {
    return run_device_call(__func__, [&] {
        launch(function,
               {.grid = grid,
                .block = block,
                .dynamic_shared_bytes = dynamic_shared_bytes,
                .stream = stream},
               arguments);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t dynamic_shared_bytes,
                                        cudaStream_t stream) {
    return run_device_call(__func__, [&] {
        launch(function,
               {.grid = grid,
                .block = block,
                .dynamic_shared_bytes = dynamic_shared_bytes,
                .stream = stream,
                .is_cooperative = true},
               arguments);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
    return run_device_call(__func__, [&] {
        require(config && (config->numAttrs == 0 || config->attrs));
        LaunchRequest request{.grid = config->gridDim,
                              .block = config->blockDim,
                              .dynamic_shared_bytes = config->dynamicSmemBytes,
                              .stream = config->stream};
        const std::vector<cudaLaunchAttribute> attributes(config->attrs,
                                                          config->attrs + config->numAttrs);
        for (const cudaLaunchAttribute& attribute : attributes) apply_attribute(attribute, request);
        launch(function, request, arguments, attributes);
    });
}
COALESCE_PER_THREAD_STREAM(cudaLaunchKernelExC, _ptsz);
