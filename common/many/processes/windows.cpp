// Transposes between processes on the same host. No data is sent. Each process reads what it needs
// from the memory of the other processes.
#include "base/errors.h"
#include "many/processes/local.h"
#include "many/processes/method.h"

namespace coalesce::processes {
namespace {

//! [windows]
/// Keeps each process's rows of `in` in memory that all processes share.
class Windows : public Method {
public:
    explicit Windows(const SharedMatrix& shared) : shared_(shared) {
        in_ = allocate_window(shared.in_size(), in_window_);
        out_ = allocate_window(shared.out_size(), out_window_);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, in_window_);
    }
    ~Windows() override {
        MPI_Win_unlock_all(in_window_);
        MPI_Win_free(&in_window_);
        MPI_Win_free(&out_window_);
    }
    float* in() override { return in_; }
    float* out() override { return out_; }

    void transpose() override {
        wait_for_all();  // until every `in` is complete
        for (int round = 0; round < shared_.ranks(); ++round) {
            // Each process reads from its own block first, and then from its peers in turn. At any
            // time, no two processes read from the same peer.
            transpose_from_peer((shared_.rank + round) % shared_.ranks());
        }
        wait_for_all();  // until no process reads `in` any more
    }

private:
    /// Transposes this process's part of the peer's rows into this process's `out`.
    void transpose_from_peer(int peer) {
        transpose_on_cpu({out_ + shared_.peer_column(peer), shared_.rows.count},
                         {peer_memory(peer) + shared_.cols.begin(shared_.rank), shared_.cols.count},
                         shared_.rows.size(peer), shared_.own_cols());
    }

    const float* peer_memory(int peer) const {
        MPI_Aint window_bytes;
        int displacement_unit;
        void* memory = nullptr;
        MPI_Win_shared_query(in_window_, peer, &window_bytes, &displacement_unit, &memory);
        return static_cast<const float*>(memory);
    }

    void wait_for_all() {
        MPI_Win_sync(in_window_);
        MPI_Barrier(shared_.comm);
        MPI_Win_sync(in_window_);
    }
    //! [windows]

    float* allocate_window(std::size_t size, MPI_Win& window) {
        // Let each process's part start on its own page. The parts need not be contiguous.
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
        void* memory = nullptr;
        MPI_Win_allocate_shared(static_cast<MPI_Aint>(size * sizeof(float)), sizeof(float), info,
                                shared_.comm, &memory, &window);
        MPI_Info_free(&info);
        return static_cast<float*>(memory);
    }

    SharedMatrix shared_;
    MPI_Win in_window_ = MPI_WIN_NULL, out_window_ = MPI_WIN_NULL;
    float *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

bool are_on_one_host(MPI_Comm comm) {
    MPI_Comm host_comm;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_comm);
    int comm_size = 0, host_size = 0;
    MPI_Comm_size(comm, &comm_size);
    MPI_Comm_size(host_comm, &host_size);
    MPI_Comm_free(&host_comm);
    return host_size == comm_size;
}

std::unique_ptr<Method> make_windows(const SharedMatrix& shared) {
    if (!are_on_one_host(shared.comm)) {
        throw UsageError("windows: all processes must be on the same host");
    }
    return std::make_unique<Windows>(shared);
}

}  // namespace coalesce::processes
