// The launcher's jail: PTX and a shape in, then, when the kernel is loaded, the matrices; the matrices
// and what the simulator counted and noted out, or how long a launch would take. It compares nothing and
// decides nothing.

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

/// A matrix with its guards, on the device.
class Image {
public:
    Image(const std::byte* bytes, const ImageLayout& layout)
        : layout_(layout), buffer_(layout.one()) {
        CUDA_CHECK(cudaMemcpy(buffer_.data(), bytes, layout.one(), cudaMemcpyHostToDevice));
    }
    float* matrix() const {
        return reinterpret_cast<float*>(static_cast<std::byte*>(buffer_.data()) +
                                        layout_.guard_bytes);
    }
    void bring_back(std::byte* to) const {
        CUDA_CHECK(cudaMemcpy(to, buffer_.data(), layout_.one(), cudaMemcpyDeviceToHost));
    }

private:
    ImageLayout layout_;
    DeviceBuffer buffer_;
};

/// Waits for the matrices, which come sealed.
Mapping images_for(const ImageLayout& layout, int notes) {
    Packet packet;
    if (!send_packet(notes, kImagesWanted) ||
        receive_packet(notes, packet, Clock::time_point::max()) != Received::packet ||
        packet.descriptors.size() != 1) {
        throw std::runtime_error("no matrices came");
    }
    Mapping images(packet.descriptors[0].get(), false);
    if (images.size() != layout.both()) throw std::runtime_error("matrices of another size came");
    return images;
}

/// What happens from moment to moment is nothing that a grader tells.
ForetoldTime predict(const LaunchJob& job) {
    const Shape shape = job.order.shape;
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    // Of this computer (ulimit -v), not of the kernel: that there is no time must not depend on it.
    if (static_cast<double>(free) < useful_bytes(shape)) {
        throw std::runtime_error("there are too few addresses for the matrices");
    }
    LoadedKernel kernel(job.kernel);
    const SampledMatrix sampled({.rows = shape.rows,
                                 .cols = shape.cols,
                                 .produces = job.is_in_place ? in_place() : Produces{},
                                 .seed = job.value_seed});
    try {
        ForetoldTime told{predict_launch(kernel, job.is_in_place, shape,
                                         job.value_seed != 0 ? &sampled : nullptr)};
        if (!told.predicted) return told;
        for (timing::Prediction& launch : told.predicted->launches) launch.time_line = {};
        return told;
    } catch (const NotMoved&) {
        return {.predicted = {}, .is_moved = false};
    }
}

/// Launches; what is refused is in the trial. The matrices go back to `to`.
Trial run(const LaunchJob& job, std::span<std::byte> to, int notes) {
    if (job.address_seed != 0) simulated::draw_addresses(job.address_seed);
    LoadedKernel kernel(job.kernel);
    const ImageLayout layout = layout_of(job);
    std::optional<Image> in, out;
    const auto make_matrices = [&]() -> Matrices {
        const Mapping images = images_for(layout, notes);
        in.emplace(images.data(), layout);
        out.emplace(images.data() + layout.one(), layout);
        if (job.is_out_unwritten && !job.is_in_place) {
            simulated::mark_unwritten(out->matrix(), layout.matrix_bytes);
        }
        // In place the matrix is the first argument; who reads the second one reads nothing.
        return {out->matrix(), job.is_in_place ? nullptr : in->matrix()};
    };
    const Trial trial = launch_once(kernel, job.order, make_matrices);
    if (trial.has_ended()) {
        in->bring_back(to.data());
        out->bring_back(to.data() + layout.one());
    }
    return trial;
}

/// Launched once before any job: what the simulator reserves for its checks is there then, and a
/// worker's limit is for what it needs beside that.
constexpr const char* kWarmUp = R"(
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

void launch_once() {
    Compiled compiled;
    compiled.file = compiled.kernel = compiled.entry = "warm";
    compiled.ptx = kWarmUp;
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
    launch_once();
    return properties.name;
}

int launch_worker(std::string_view request, std::span<std::byte> answer, int notes) {
    const LaunchJob job = codec::read<LaunchJob>(request);
    const ImageLayout layout = layout_of(job);
    if (answer.size() < text_offset(layout) + kMostAnswerText) return 1;
    if (job.is_predicted) return put_text(answer, to_json(predict(job))) ? 0 : 3;
    const Trial found = run(job, answer, notes);
    return put_text(answer.subspan(text_offset(layout)), to_json(found)) ? 0 : 3;
}

}  // namespace coalesce::grader
