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
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_comm_);
    MPI_Comm_size(host_comm_, &count_on_host_);
    MPI_Comm_rank(host_comm_, &rank_on_host_);
    const int is_first = rank_on_host_ == 0 ? 1 : 0;
    MPI_Allreduce(&is_first, &host_count_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

MpiTeam::~MpiTeam() {
    MPI_Comm_free(&host_comm_);
}

std::vector<int> MpiTeam::devices(int ranks) {
    int gpu_count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&gpu_count));
    // A launcher may let each process see only its own GPU, which then has index 0.
    const int own_device = rank_on_host_ % gpu_count;
    fail_together(reason_not_usable(own_device, gpu_count));
    // The test for a usable GPU ran on GPU 0, so free the memory that it allocated there.
    if (own_device != 0) CUDA_CHECK(cudaDeviceReset());
    std::vector<int> devices(static_cast<std::size_t>(ranks), many::kRankOfOtherProcess);
    devices[static_cast<std::size_t>(rank_)] = own_device;
    return devices;
}

std::string MpiTeam::reason_not_usable(int device, int gpu_count) const {
    const Address address = pci_address(device);
    std::vector<Address> host_addresses(static_cast<std::size_t>(count_on_host_));
    MPI_Allgather(address.data(), sizeof address, MPI_BYTE, host_addresses.data(), sizeof address,
                  MPI_BYTE, host_comm_);
    for (int other_rank = 0; other_rank < rank_on_host_; ++other_rank) {
        if (host_addresses[static_cast<std::size_t>(other_rank)] != address) continue;
        return format_count(static_cast<unsigned>(count_on_host_), "process", "processes") +
               " on this host, and " + format_count(static_cast<unsigned>(gpu_count), "GPU") +
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

unsigned long long MpiTeam::global_sum(unsigned long long value) {
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
    int failed_rank = problem.empty() ? INT_MAX : rank_;
    MPI_Allreduce(MPI_IN_PLACE, &failed_rank, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (failed_rank == INT_MAX) return;
    std::string message = problem;
    unsigned long long size = message.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, failed_rank, MPI_COMM_WORLD);
    message.resize(size);
    MPI_Bcast(message.data(), static_cast<int>(size), MPI_CHAR, failed_rank, MPI_COMM_WORLD);
    throw many::TeamError(failed_rank == 0 ? message
                                           : format("process %d: ", failed_rank) + message);
}

}  // namespace coalesce::processes
