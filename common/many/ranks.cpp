// Creates and owns the blocks, streams and events of the ranks.
#include <algorithm>

#include "harness/errors.h"
#include "many/many.h"

namespace coalesce::many {
namespace {

/// The number of floats in a cache line.
constexpr int kFloatsPerCacheLine = 32;

/// Creates a stream owned by `streams`.
cudaStream_t new_stream(std::vector<OwnStream>& streams, bool is_urgent = false) {
    int lowest_priority = 0, highest_priority = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest_priority, &highest_priority));
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                            is_urgent ? highest_priority : lowest_priority));
    streams.emplace_back(stream);
    return stream;
}

/// Allocates memory for `size` floats, owned by `buffers`.
float* allocate_floats(std::vector<DeviceBuffer>& buffers, std::size_t size) {
    buffers.emplace_back(std::max<std::size_t>(1, size) * sizeof(float));
    return static_cast<float*>(buffers.back().data());
}

}  // namespace

// ---- ranks ----

void Ranks::for_each_rank(const std::function<void(int rank)>& work) const {
    for (int rank = 0; rank < count(); ++rank) {
        const int device = devices[rank];
        if (device == kRankOfOtherProcess) continue;
        CUDA_CHECK(cudaSetDevice(device));
        work(rank);
    }
}

AllocatedRanks::AllocatedRanks(Shape shape, const std::vector<int>& devices, Team& team) {
    const int count = static_cast<int>(devices.size());
    ranks_.rows = partition_rows(count, shape.rows);
    ranks_.cols = partition_rows(count, shape.cols);
    ranks_.devices = devices;
    ranks_.team = &team;
    for (auto* blocks : {&ranks_.in, &ranks_.out}) blocks->resize(devices.size());
    for (auto* streams :
         {&ranks_.packing_streams, &ranks_.sending_streams, &ranks_.unpacking_streams}) {
        streams->resize(devices.size());
    }
    ranks_.for_each_rank([&](int rank) {
        ranks_.in[rank] =
            allocate_floats(buffers_, count_floats(ranks_.rows.size(rank), shape.cols));
        ranks_.out[rank] =
            allocate_floats(buffers_, count_floats(ranks_.cols.size(rank), shape.rows));
        ranks_.packing_streams[rank] = new_stream(streams_);
        // Other ranks wait for this stream, so it has a high priority.
        ranks_.sending_streams[rank] = new_stream(streams_, true);
        ranks_.unpacking_streams[rank] = new_stream(streams_);
    });
}

RowPartition partition_rows(int ranks, int count) {
    return {.count = count, .ranks = ranks, .multiple = kFloatsPerCacheLine};
}

Ranks make_ranks_on_one_gpu(float* out, const float* in, int rows, int cols, int ranks) {
    Ranks gpu_ranks;
    gpu_ranks.rows = partition_rows(ranks, rows);
    gpu_ranks.cols = partition_rows(ranks, cols);
    for (int rank = 0; rank < ranks; ++rank) {
        gpu_ranks.devices.push_back(0);
        // The cast is safe, because the input of these ranks is never written. Only the input of
        // AllocatedRanks is.
        gpu_ranks.in.push_back(const_cast<float*>(in) +
                               count_floats(gpu_ranks.rows.begin(rank), cols));
        gpu_ranks.out.push_back(out + count_floats(gpu_ranks.cols.begin(rank), rows));
    }
    gpu_ranks.packing_streams = gpu_ranks.unpacking_streams =
        std::vector<cudaStream_t>(gpu_ranks.in.size(), nullptr);
    gpu_ranks.sending_streams = gpu_ranks.packing_streams;
    return gpu_ranks;
}

// ---- events ----

Events::Events(const Ranks& ranks) : events_(ranks.devices.size()) {
    ranks.for_each_rank([&](int rank) { events_[rank] = create_event(cudaEventDisableTiming); });
}
void Events::record(int rank, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(events_[rank].get(), stream));
}
void Events::wait(int rank, cudaStream_t stream) {
    CUDA_CHECK(cudaStreamWaitEvent(stream, events_[rank].get()));
}
void Events::wait_for_all(cudaStream_t stream) {
    for (const OwnEvent& event : events_) {
        if (event) CUDA_CHECK(cudaStreamWaitEvent(stream, event.get()));
    }
}

RankBuffers::RankBuffers(const Ranks& ranks, std::size_t size) : floats(ranks.devices.size()) {
    ranks.for_each_rank([&](int rank) { floats[rank] = allocate_floats(buffers, size); });
}

Slot::Slot(const Ranks& ranks, std::size_t size, bool has_receive_buffers)
    : packed_events(ranks),
      sent_events(ranks),
      unpacked_events(ranks),
      packed(ranks, size),
      received(ranks, has_receive_buffers ? size : 0) {}

}  // namespace coalesce::many
