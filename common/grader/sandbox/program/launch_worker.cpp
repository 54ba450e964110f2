// The launcher's jail: PTX and a shape in, then, when the kernel is loaded, the matrices; the matrices
// and what the simulator counted and noted out. It compares nothing and decides nothing.

#include <cuda_runtime_api.h>

#include <cstring>
#include <optional>
#include <stdexcept>

#include "grader/sandbox/jobs.h"
#include "grader/sandbox/memory_file.h"
#include "grader/sandbox/packet.h"
#include "grader/sandbox/program/workers.h"
#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/text.h"
#include "kernel/launch_limits.h"

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
    if (!send_packet(notes, images_wanted) ||
        receive_packet(notes, packet, Clock::time_point::max()) != Received::packet ||
        packet.descriptors.size() != 1) {
        throw std::runtime_error("no matrices came");
    }
    Mapping images(packet.descriptors[0].get(), false);
    if (images.size() != layout.both()) throw std::runtime_error("matrices of another size came");
    return images;
}

void take_notes(const LaunchJob& job, LaunchAnswer& answer) {
    answer.reports = simulated::reports(job.file_name);
    for (const simulated::Line& line : simulated::lines_of(job.kernel)) {
        if (answer.store_line == 0 && line.counters.store_requests > 0) {
            answer.store_line = line.number;
        }
        if (job.wants_counters) answer.lines.push_back(line);
    }
    if (job.wants_counters) answer.counters = simulated::counters_of(job.kernel);
    if (job.traced_limit > 0) answer.accesses = simulated::traced();
}

void prepare(const LaunchJob& job, std::uint64_t budget) {
    simulated::prepare(job.has_checks ? "all" : "none", budget);
}

void launch(const LaunchJob& job, LoadedKernel& kernel, const Mapping& images,
            std::span<std::byte> to, LaunchAnswer& answer) {
    const ImageLayout layout = layout_of(job);
    const Image in(images.data(), layout), out(images.data() + layout.one(), layout);
    answer.in_address = reinterpret_cast<std::uint64_t>(in.matrix());
    answer.out_address = reinterpret_cast<std::uint64_t>(out.matrix());
    if (job.traced_limit > 0) simulated::trace(job.traced_block, 0, job.traced_limit);
    cudaError_t error = kernel.launch(answer.launch, out.matrix(), in.matrix(), job.shape);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    answer.error = static_cast<int>(error);
    answer.is_launched = true;
    take_notes(job, answer);
    if (error != cudaSuccess) return;
    in.bring_back(to.data());
    out.bring_back(to.data() + layout.one());
}

/// All of it; what is refused is in the answer.
LaunchAnswer run(const LaunchJob& job, std::span<std::byte> to, int notes) {
    LaunchAnswer answer;
    Compiled compiled;
    compiled.ptx = job.ptx;
    compiled.entry = job.entry;
    LoadedKernel kernel(compiled, job.file_name);
    answer.problem = kernel.problem();
    if (answer.problem.kind != FailureKind::none) return answer;
    prepare(job, instruction_budget(job.shape, 1));
    const auto shape = kernel.configure(job.shape, answer.problem);
    if (shape) answer.problem = far_too_large(*shape, job.shape, job.file_name);
    if (answer.problem.kind != FailureKind::none) {
        take_notes(job, answer);
        return answer;
    }
    answer.launch = *shape;
    // One warp is seen long before a kernel that never ends would be stopped.
    const Shape counted = job.traced_limit > 0 ? Shape{1, 1} : job.shape;
    prepare(job, instruction_budget(counted, threads_of(*shape) / 32));
    const Mapping images = images_for(layout_of(job), notes);
    launch(job, kernel, images, to, answer);
    return answer;
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
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u64 %rd3, 1;
    st.global.u64 [%rd2], %rd3;
    st.global.u64 [%rd2+8], %rd3;
    st.global.u64 [%rd2+16], %rd3;
    st.global.u64 [%rd2+24], %rd3;
    st.global.u64 [%rd2+32], %rd3;
    st.global.u64 [%rd2+40], %rd3;
    mov.u64 %rd3, 0;
    st.global.u64 [%rd2+48], %rd3;
    ret;
}
)";

void launch_once() {
    Compiled compiled;
    compiled.ptx = kWarmUp;
    compiled.entry = "warm";
    {
        LoadedKernel kernel(compiled, "warm");
        Failure failure = kernel.problem();
        simulated::prepare("all", 100'000);
        std::optional<LaunchShape> shape;
        if (failure.kind == FailureKind::none) shape = kernel.configure({1, 1}, failure);
        if (!shape)
            throw std::runtime_error("the simulated GPU can not be used: " + failure.text());
        const DeviceBuffer out(4);
        CUDA_CHECK(kernel.launch(*shape, static_cast<float*>(out.data()), nullptr, {1, 1}));
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    const auto reports = simulator::reports();
    if (!reports.empty())
        throw std::runtime_error("the simulated GPU can not check: " + reports[0]);
    simulator::reset_counters();
}

}  // namespace

std::string make_simulator_ready() {
    if (!simulator::is_loaded()) throw std::runtime_error("the simulated GPU is not loaded");
    simulator::set_quiet(true);
    cudaDeviceProp properties{};
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    launch_once();
    return properties.name;
}

int launch_worker(std::string_view request, std::span<std::byte> answer, int notes) {
    const LaunchJob job = launch_job(request);
    const ImageLayout layout = layout_of(job);
    if (answer.size() < text_offset(layout) + most_answer_text) return 1;
    const LaunchAnswer found = run(job, answer, notes);
    return put_text(answer.subspan(text_offset(layout)), to_json(found)) ? 0 : 3;
}

}  // namespace coalesce::grader
