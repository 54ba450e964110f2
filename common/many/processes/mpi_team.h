/// \file
/// A team of processes that mpirun started, each with its own GPU.
#pragma once

#include <mpi.h>

#include "many/team.h"

namespace coalesce::processes {

/// A team of MPI processes. The team must be created after MPI_Init and destroyed before
/// MPI_Finalize. MPI transfers only a few bytes of control data. NCCL transfers the elements of the
/// matrix.
class MpiTeam : public many::Team {
public:
    MpiTeam();
    ~MpiTeam() override;
    MpiTeam(const MpiTeam&) = delete;
    MpiTeam& operator=(const MpiTeam&) = delete;

    int count() const override { return count_; }
    int rank() const override { return rank_; }
    int host_count() const override { return host_count_; }
    /// Chooses a GPU for this process, by the process's rank within its host. Throws a TeamError if
    /// two processes would get the same GPU.
    std::vector<int> devices(int ranks) override;

    void wait_for_all() override;
    void broadcast_bytes(void* bytes, std::size_t size) override;
    unsigned long long global_sum(unsigned long long value) override;
    unsigned long long global_min(unsigned long long value) override;
    double global_max(double value) override;
    void fail_together(const std::string& problem) override;

private:
    /// Returns why this process cannot use `device`, or "" if it can. The host has `gpu_count`
    /// GPUs.
    std::string reason_not_usable(int device, int gpu_count) const;

    MPI_Comm host_comm_ = MPI_COMM_NULL;  // the processes on this computer
    int count_ = 1, rank_ = 0, host_count_ = 1, count_on_host_ = 1, rank_on_host_ = 0;
};

}  // namespace coalesce::processes
