// A fake NCCL within one process, for tests without NCCL. At the end of a group, each send is
// matched with its receive, and becomes a copy in the receiver's stream.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace {

struct Communicator {
    int rank;
};
/// Programs pass this struct by value, so its size must be that of NCCL's ncclUniqueId.
struct UniqueId {
    char bytes[128];
};

struct Transfer {
    int from, to;
    void* data;
    std::size_t floats;
    cudaStream_t stream;
};

std::vector<Transfer> sends, receives;

}  // namespace

extern "C" {

int ncclGetUniqueId(UniqueId* id) {
    *id = {"the only one"};
    return 0;
}

int ncclCommInitRank(void** communicator, int, UniqueId id, int rank) {
    *communicator = new Communicator{rank};
    return std::strcmp(id.bytes, "the only one") == 0 ? 0 : 5;
}

int ncclCommDestroy(void* communicator) {
    delete static_cast<Communicator*>(communicator);
    return 0;
}

int ncclGroupStart() {
    return sends.empty() && receives.empty() ? 0 : 5;
}

int ncclSend(const void* data, std::size_t floats, int, int peer, void* communicator,
             cudaStream_t stream) {
    const int rank = static_cast<Communicator*>(communicator)->rank;
    sends.push_back({rank, peer, const_cast<void*>(data), floats, stream});
    return 0;
}

int ncclRecv(void* data, std::size_t floats, int, int peer, void* communicator,
             cudaStream_t stream) {
    const int rank = static_cast<Communicator*>(communicator)->rank;
    receives.push_back({peer, rank, data, floats, stream});
    return 0;
}

/// Ends a group. Each send must match a receive. Otherwise NCCL would wait forever, but this fake
/// returns an error.
int ncclGroupEnd() {
    for (const Transfer& send : sends) {
        bool is_met = false;
        for (const Transfer& receive : receives) {
            if (receive.from != send.from || receive.to != send.to) continue;
            if (receive.floats != send.floats) return 5;
            cudaMemcpyAsync(receive.data, send.data, send.floats * sizeof(float),
                            cudaMemcpyDeviceToDevice, receive.stream);
            is_met = true;
        }
        if (!is_met) return 5;
    }
    const bool all_are_met = sends.size() == receives.size();
    sends.clear();
    receives.clear();
    return all_are_met ? 0 : 5;
}

const char* ncclGetErrorString(int) {
    return "a send and its receive do not meet";
}

}  // extern "C"
