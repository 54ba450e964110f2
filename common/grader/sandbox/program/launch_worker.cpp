// The jail of the launcher. Its worker receives PTX and a shape and, once the kernel is loaded, the
// matrices. The worker returns either the resulting matrices with the simulator's counters and
// reports, or a predicted time. It neither compares results nor makes decisions.

#include <cuda_runtime_api.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "examiner/loaded_kernel.h"
#include "examiner/predicted_launch.h"
#include "examiner/trial.h"
#include "grader/sandbox/jobs.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/packet.h"
#include "grader/sandbox/program/workers.h"
#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

/// A matrix in device memory, with its guards.
class DeviceImage {
public:
    DeviceImage(const std::byte* bytes, const ImageLayout& layout)
        : layout_(layout), buffer_(layout.guarded_matrix_bytes()) {
        CUDA_CHECK(cudaMemcpy(buffer_.data(), bytes, layout.guarded_matrix_bytes(),
                              cudaMemcpyHostToDevice));
    }
    float* matrix() const {
        return reinterpret_cast<float*>(static_cast<std::byte*>(buffer_.data()) +
                                        layout_.guard_bytes);
    }
    void copy_to_host(std::byte* destination) const {
        CUDA_CHECK(cudaMemcpy(destination, buffer_.data(), layout_.guarded_matrix_bytes(),
                              cudaMemcpyDeviceToHost));
    }

private:
    ImageLayout layout_;
    DeviceBuffer buffer_;
};

/// Asks the grader for the matrices, and waits for the sealed memfd that contains them.
MemoryMapping receive_images(const ImageLayout& layout, int note_socket) {
    Packet packet;
    if (!send_packet(note_socket, kImageRequest) ||
        receive_packet(note_socket, packet, Clock::time_point::max()) != ReceiveStatus::packet ||
        packet.descriptors.size() != 1) {
        throw std::runtime_error("no matrices were received");
    }
    MemoryMapping images(packet.descriptors[0].get(), false);
    if (images.size() != layout.image_bytes())
        throw std::runtime_error("the received matrices have the wrong size");
    return images;
}

/// Predicts the time of a launch. Drops the timeline, which the grader does not report.
PredictedTime predict(const LaunchJob& job) {
    const Shape shape = job.order.shape;
    std::size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    // Throw an exception, because the cause is a limit on this computer (ulimit -v). If the answer
    // only lacked a prediction, the grader would blame the student's kernel.
    if (static_cast<double>(free_bytes) < useful_bytes(shape)) {
        throw std::runtime_error("the address space is too small for the matrices; see ulimit -v");
    }
    LoadedKernel kernel(job.kernel);
    const SampledMatrix sampled({.rows = shape.rows,
                                 .cols = shape.cols,
                                 .produces = job.is_in_place ? in_place() : Produces{},
                                 .seed = job.value_seed});
    try {
        PredictedTime predicted_time;
        predicted_time.predicted =
            predict_launch(kernel, job.is_in_place, shape,
                           {.sampled = job.value_seed != 0 ? &sampled : nullptr,
                            .max_instructions = job.order.max_instructions,
                            .seed = job.order.seed,
                            .must_launch = job.must_launch,
                            .costs = &predicted_time.costs});
        if (!predicted_time.predicted) return predicted_time;
        for (timing::Prediction& launch : predicted_time.predicted->launches) launch.time_line = {};
        return predicted_time;
    } catch (const WrongSampledValues& error) {
        return {.is_moved = false, .is_idle = error.state == SampledValues::too_few};
    } catch (const NotLaunched& not_launched) {
        return {.launch_failure = not_launched.failure};
    }
}

/// Launches the kernel and copies the matrices back to `destination`. If the launch was rejected,
/// the returned trial contains the reason.
Trial run(const LaunchJob& job, std::span<std::byte> destination, int note_socket) {
    if (job.address_seed != 0) simulated::randomize_addresses(job.address_seed);
    LoadedKernel kernel(job.kernel);
    const ImageLayout layout = layout_for_job(job);
    std::optional<DeviceImage> in, out;
    const auto make_matrices = [&]() -> Matrices {
        const MemoryMapping images = receive_images(layout, note_socket);
        in.emplace(images.data(), layout);
        out.emplace(images.data() + layout.guarded_matrix_bytes(), layout);
        if (job.is_out_unwritten && !job.is_in_place) {
            simulated::mark_unwritten(out->matrix(), layout.matrix_bytes);
        }
        // An in-place kernel gets the matrix as its first argument and null as the second.
        return {out->matrix(), job.is_in_place ? nullptr : in->matrix()};
    };
    const Trial trial = launch_once(kernel, job.order, make_matrices);
    if (trial.has_ended()) {
        in->copy_to_host(destination.data());
        out->copy_to_host(destination.data() + layout.guarded_matrix_bytes());
    }
    return trial;
}

/// Launches a kernel whose arguments are arrays and numbers, for an exercise beyond the transpose.
Trial run_with_arrays(const LaunchJob& job, std::span<std::byte> destination, int note_socket) {
    if (job.address_seed != 0) simulated::randomize_addresses(job.address_seed);
    LoadedKernel kernel(job.kernel);
    std::optional<DeviceArrays> arrays;
    const auto make_arguments = [&] {
        const MemoryMapping images = receive_images(layout_for_job(job), note_socket);
        std::vector<CallArgument> arguments;
        const auto* next_bytes = reinterpret_cast<const char*>(images.data());
        for (const JobArgument& argument : job.arguments) {
            arguments.push_back({argument.is_array, argument.value,
                                 std::string(next_bytes, argument.bytes), argument.is_unwritten});
            next_bytes += argument.bytes;
        }
        arrays.emplace(arguments, job.guard_bytes);
        return arrays->arguments();
    };
    Trial trial = launch_once(kernel, job.order, make_arguments);
    if (!arrays) return trial;
    trial.arrays = trial.has_ended() ? arrays->read_arrays() : arrays->list_addresses();
    for (const ArrayAfter& array : trial.arrays) {
        std::memcpy(destination.data(), array.bytes.data(), array.bytes.size());
        destination = destination.subspan(array.bytes.size());
    }
    return trial;
}

/// A kernel that is launched once, before the first job. The launch makes the simulator allocate
/// the memory for its checks, so that a worker's memory limit applies only to the worker's own use.
constexpr const char* kWarmUpKernel = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry warm(.param .u64 out, .param .u64 in, .param .u32 rows, .param .u32 cols)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    .shared .align 4 .b8 tile[4];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 1;
    st.shared.u32 [tile], %r1;
    bar.sync 0;
    st.global.u32 [%rd2], %r1;
    ret;
}
.visible .entry coalesce_configure(.param .u64 to, .param .u32 rows, .param .u32 cols)
{
    ret;
}
)";

void run_warm_up_kernel() {
    Compiled compiled;
    compiled.file = compiled.kernel = compiled.entry = "warm";
    compiled.ptx = kWarmUpKernel;
    {
        LoadedKernel kernel(compiled);
        if (kernel.problem().kind != FailureKind::none) {
            throw std::runtime_error("the simulated GPU cannot be used: " +
                                     kernel.problem().headline);
        }
        simulated::prepare("all", 100'000);
        const DeviceBuffer out(4);
        CUDA_CHECK(kernel.launch({}, static_cast<float*>(out.data()), nullptr, {1, 1}));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    const auto reports = simulator_library::reports();
    if (!reports.empty()) throw std::runtime_error("the simulated GPU cannot check: " + reports[0]);
    simulator_library::reset_counters();
}

}  // namespace

std::string make_simulator_ready() {
    if (!simulator_library::is_loaded())
        throw std::runtime_error("the simulated GPU is not loaded");
    simulator_library::set_quiet(true);
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    run_warm_up_kernel();
    return properties.name;
}

int launch_worker(std::string_view request, std::span<std::byte> answer, int note_socket) {
    const LaunchJob job = codec::read<LaunchJob>(request);
    const ImageLayout layout = layout_for_job(job);
    if (answer.size() < text_offset(layout) + kMaxAnswerTextBytes) return 1;
    if (job.is_predicted) return write_text_block(answer, to_json(predict(job))) ? 0 : 3;
    const Trial trial = job.arguments.empty() ? run(job, answer, note_socket)
                                              : run_with_arrays(job, answer, note_socket);
    return write_text_block(answer.subspan(text_offset(layout)), to_json(trial)) ? 0 : 3;
}

}  // namespace coalesce::grader
