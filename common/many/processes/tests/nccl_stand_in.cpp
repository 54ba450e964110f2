// A fake NCCL for several processes, for tests without NCCL. At the end of a group, the processes
// exchange data with MPI. Each process has one communicator, with the ranks of MPI_COMM_WORLD.
//
// With COALESCE_STAND_IN=loses, the last float of each message is lost. With
// COALESCE_STAND_IN=refuses, the second process gets no communicator.
#include <cuda_runtime_api.h>
#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

namespace {

constexpr int SUCCESS = 0, INVALID_USAGE = 5;

struct Transfer {
    int peer;
    void* data;  // in device memory
    std::size_t floats;
    cudaStream_t stream;
};

std::vector<Transfer> sends, receives;

/// Reports whether COALESCE_STAND_IN requests `mistake`.
bool is_asked_to(std::string_view mistake) {
    const char* asked = std::getenv("COALESCE_STAND_IN");
    return asked && asked == mistake;
}

int processes() {
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

/// Returns the number of floats to exchange with each peer, or -1 if there is no transfer with that
/// peer.
std::vector<long long> floats_by_peer(const std::vector<Transfer>& transfers) {
    std::vector<long long> floats(static_cast<std::size_t>(processes()), -1);
    for (const Transfer& one : transfers) {
        floats[static_cast<std::size_t>(one.peer)] = static_cast<long long>(one.floats);
    }
    return floats;
}

/// Reports whether the sends of the other processes match the receives of this process. Without a
/// match, NCCL would wait forever, but this fake returns an error.
bool they_meet() {
    const std::vector<long long> sent = floats_by_peer(sends), expected = floats_by_peer(receives);
    std::vector<long long> coming(sent.size());
    MPI_Alltoall(sent.data(), 1, MPI_LONG_LONG, coming.data(), 1, MPI_LONG_LONG, MPI_COMM_WORLD);
    return coming == expected;
}

void exchange() {
    std::vector<std::vector<float>> staged;
    std::vector<MPI_Request> requests;
    const auto stage = [&](const Transfer& one) -> std::vector<float>& {
        staged.emplace_back(one.floats);
        requests.emplace_back();
        cudaStreamSynchronize(one.stream);
        return staged.back();
    };
    staged.reserve(sends.size() + receives.size());
    for (const Transfer& one : receives) {
        std::vector<float>& room = stage(one);
        MPI_Irecv(room.data(), static_cast<int>(one.floats), MPI_FLOAT, one.peer, 0, MPI_COMM_WORLD,
                  &requests.back());
    }
    for (const Transfer& one : sends) {
        std::vector<float>& room = stage(one);
        cudaMemcpy(room.data(), one.data, one.floats * sizeof(float), cudaMemcpyDeviceToHost);
        MPI_Isend(room.data(), static_cast<int>(one.floats), MPI_FLOAT, one.peer, 0, MPI_COMM_WORLD,
                  &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    const std::size_t lost = is_asked_to("loses") ? 1 : 0;
    for (std::size_t i = 0; i < receives.size(); ++i) {
        if (receives[i].floats <= lost) continue;
        cudaMemcpy(receives[i].data, staged[i].data(), (receives[i].floats - lost) * sizeof(float),
                   cudaMemcpyHostToDevice);
    }
}

}  // namespace

extern "C" {

/// Programs pass this struct by value, so its size must be that of NCCL's ncclUniqueId.
struct UniqueId {
    char bytes[128];
};

int ncclGetUniqueId(UniqueId* id) {
    std::random_device random;
    for (char& byte : id->bytes) byte = static_cast<char>(random());
    return SUCCESS;
}

/// Creates a communicator. All processes must pass the same id, and each must pass its own rank.
int ncclCommInitRank(void** communicator, int count, UniqueId id, int rank) {
    UniqueId first = id;
    MPI_Bcast(first.bytes, sizeof first.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    int me = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    *communicator = new int(rank);
    if (rank == 1 && is_asked_to("refuses")) return INVALID_USAGE;
    const bool is_same = std::memcmp(first.bytes, id.bytes, sizeof id.bytes) == 0;
    return is_same && count == processes() && rank == me ? SUCCESS : INVALID_USAGE;
}

int ncclCommDestroy(void* communicator) {
    delete static_cast<int*>(communicator);
    return SUCCESS;
}

int ncclGroupStart() {
    return sends.empty() && receives.empty() ? SUCCESS : INVALID_USAGE;
}

int ncclSend(const void* data, std::size_t floats, int, int peer, void*, cudaStream_t stream) {
    sends.push_back({peer, const_cast<void*>(data), floats, stream});
    return SUCCESS;
}

int ncclRecv(void* data, std::size_t floats, int, int peer, void*, cudaStream_t stream) {
    receives.push_back({peer, data, floats, stream});
    return SUCCESS;
}

int ncclGroupEnd() {
    if (!they_meet()) return INVALID_USAGE;
    exchange();
    sends.clear();
    receives.clear();
    return SUCCESS;
}

const char* ncclGetErrorString(int) {
    return "a send and its receive do not meet, or not all have the same id";
}

}  // extern "C"
