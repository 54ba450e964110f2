#include "many/processes/mpi_team.h"

#include <cuda_runtime_api.h>

#include <array>
#include <climits>

#include "harness/errors.h"
#include "harness/text.h"

namespace coalesce::processes {
namespace {

/// The PCI address of a GPU, such as "0000:3B:00.0". It is the same in all processes.
using Address = std::array<char, 32>;

Address pci_address(int device) {
    Address address = {};
    CUDA_CHECK(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device));
    return address;
}

}  // namespace

MpiTeam::MpiTeam() {
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
    MPI_Comm_size(host_, &count_on_host_);
    MPI_Comm_rank(host_, &rank_on_host_);
    const int is_first = rank_on_host_ == 0 ? 1 : 0;
    MPI_Allreduce(&is_first, &hosts_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

MpiTeam::~MpiTeam() {
    MPI_Comm_free(&host_);
}

std::vector<int> MpiTeam::devices(int ranks) {
    int there = 0;
    CUDA_CHECK(cudaGetDeviceCount(&there));
    // A launcher may let each process see only its own GPU, which then has index 0.
    const int mine = rank_on_host_ % there;
    fail_together(reason_not_usable(mine, there));
    // The test for a usable GPU ran on GPU 0, so free the memory that it allocated there.
    if (mine != 0) CUDA_CHECK(cudaDeviceReset());
    std::vector<int> devices(static_cast<std::size_t>(ranks), many::kRankOfOtherProcess);
    devices[static_cast<std::size_t>(rank_)] = mine;
    return devices;
}

std::string MpiTeam::reason_not_usable(int device, int there) const {
    const Address address = pci_address(device);
    std::vector<Address> all(static_cast<std::size_t>(count_on_host_));
    MPI_Allgather(address.data(), sizeof address, MPI_BYTE, all.data(), sizeof address, MPI_BYTE,
                  host_);
    for (int other = 0; other < rank_on_host_; ++other) {
        if (all[static_cast<std::size_t>(other)] != address) continue;
        return format_count(static_cast<unsigned>(count_on_host_), "process", "processes") +
               " on this host, and " + format_count(static_cast<unsigned>(there), "GPU") +
               ", but each process needs its own GPU";
    }
    return "";
}

void MpiTeam::wait_for_all() {
    MPI_Barrier(MPI_COMM_WORLD);
}

void MpiTeam::broadcast_bytes(void* bytes, std::size_t size) {
    MPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
}

unsigned long long MpiTeam::sum_of(unsigned long long value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

unsigned long long MpiTeam::global_min(unsigned long long value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    return value;
}

double MpiTeam::global_max(double value) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

void MpiTeam::fail_together(const std::string& problem) {
    int first = problem.empty() ? INT_MAX : rank_;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == INT_MAX) return;
    std::string text = problem;
    unsigned long long size = text.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, first, MPI_COMM_WORLD);
    text.resize(size);
    MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, first, MPI_COMM_WORLD);
    throw many::TeamError(first == 0 ? text : format("process %d: ", first) + text);
}

}  // namespace coalesce::processes
