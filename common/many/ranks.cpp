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
    int least = 0, greatest = 0;
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream = nullptr;
    CUDA_CHECK(
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, is_urgent ? greatest : least));
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
    for (auto* streams : {&ranks_.packing, &ranks_.sending, &ranks_.unpacking}) {
        streams->resize(devices.size());
    }
    ranks_.for_each_rank([&](int rank) {
        ranks_.in[rank] =
            allocate_floats(buffers_, count_floats(ranks_.rows.size(rank), shape.cols));
        ranks_.out[rank] =
            allocate_floats(buffers_, count_floats(ranks_.cols.size(rank), shape.rows));
        ranks_.packing[rank] = new_stream(streams_);
        // Other ranks wait for this stream, so it has a high priority.
        ranks_.sending[rank] = new_stream(streams_, true);
        ranks_.unpacking[rank] = new_stream(streams_);
    });
}

RowPartition partition_rows(int ranks, int count) {
    return {.count = count, .ranks = ranks, .multiple = kFloatsPerCacheLine};
}

Ranks make_ranks_on_one_gpu(float* out, const float* in, int rows, int cols, int ranks) {
    Ranks all;
    all.rows = partition_rows(ranks, rows);
    all.cols = partition_rows(ranks, cols);
    for (int rank = 0; rank < ranks; ++rank) {
        all.devices.push_back(0);
        // The cast is safe, because the input of these ranks is never written. Only the input of
        // AllocatedRanks is.
        all.in.push_back(const_cast<float*>(in) + count_floats(all.rows.begin(rank), cols));
        all.out.push_back(out + count_floats(all.cols.begin(rank), rows));
    }
    all.packing = all.unpacking = std::vector<cudaStream_t>(all.in.size(), nullptr);
    all.sending = all.packing;
    return all;
}

// ---- events ----

Events::Events(const Ranks& ranks) : events_(ranks.devices.size()) {
    ranks.for_each_rank([&](int rank) { events_[rank] = new_event(cudaEventDisableTiming); });
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

Slot::Slot(const Ranks& ranks, std::size_t size, bool receives)
    : packed_events(ranks),
      sent_events(ranks),
      unpacked_events(ranks),
      packed(ranks, size),
      received(ranks, receives ? size : 0) {}

}  // namespace coalesce::many
