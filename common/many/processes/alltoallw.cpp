// Implements methods in which each process sends the pieces for all other processes in a single
// call.
#include <stdexcept>
#include <vector>

#include "many/processes/local.h"
#include "many/processes/method.h"

namespace coalesce::processes {
namespace {

/// An MPI datatype that the destructor frees.
class Datatype {
public:
    Datatype() = default;
    /// Describes data of type `type` that starts `offset` floats after the start of the buffer. The
    /// offset is part of the datatype because the offsets that MPI_Alltoallw takes are ints in
    /// bytes, which cannot exceed 2 GiB.
    Datatype(MPI_Datatype type, std::ptrdiff_t offset) {
        const MPI_Aint offset_bytes = offset * static_cast<MPI_Aint>(sizeof(float));
        MPI_Type_create_hindexed_block(1, 1, &offset_bytes, type, &type_);
        MPI_Type_commit(&type_);
        MPI_Type_free(&type);
    }
    Datatype(Datatype&& other) noexcept { std::swap(type_, other.type_); }
    ~Datatype() {
        if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Returns the datatype of `rows` rows of `cols` floats each. The starts of consecutive rows are
/// `pitch` floats apart.
MPI_Datatype row_datatype(int rows, int cols, std::ptrdiff_t pitch) {
    MPI_Datatype type;
    MPI_Type_create_hvector(rows, cols, pitch * static_cast<MPI_Aint>(sizeof(float)), MPI_FLOAT,
                            &type);
    return type;
}

/// Returns the datatype of the same floats as row_datatype, but in column order.
MPI_Datatype column_datatype(int rows, int cols, std::ptrdiff_t pitch) {
    MPI_Datatype column_type = row_datatype(rows, 1, pitch), type;
    MPI_Type_create_hvector(cols, 1, sizeof(float), column_type, &type);
    MPI_Type_free(&column_type);
    return type;
}

/// A datatype and a count for each process. The count is 0 if nothing is exchanged with the
/// process, and 1 otherwise.
struct Pieces {
    std::vector<int> counts, offsets;
    std::vector<MPI_Datatype> types;
    std::vector<Datatype> owned_types;

    void add(bool is_empty, Datatype&& type) {
        counts.push_back(is_empty ? 0 : 1);
        offsets.push_back(0);
        types.push_back(is_empty ? MPI_FLOAT : type.get());
        if (!is_empty) owned_types.push_back(std::move(type));
    }
};

void exchange(const float* from, const Pieces& send_pieces, float* to, const Pieces& receive_pieces,
              MPI_Comm comm) {
    MPI_Alltoallw(from, send_pieces.counts.data(), send_pieces.offsets.data(),
                  send_pieces.types.data(), to, receive_pieces.counts.data(),
                  receive_pieces.offsets.data(), receive_pieces.types.data(), comm);
}

//! [alltoallw]
/// Transposes first and then sends. The local transpose makes each piece contiguous. The receiver
/// stores the rows of a piece as parts of longer rows.
class Alltoallw : public Method {
public:
    explicit Alltoallw(const SharedMatrix& shared)
        : shared_(shared),
          in_(shared.in_size()),
          transposed_block_(shared.in_size()),
          out_(shared.out_size()) {
        const int own_rows = shared.own_rows(), own_cols = shared.own_cols();
        const std::ptrdiff_t total_rows = shared.rows.count;
        for (int peer = 0; peer < shared.ranks(); ++peer) {
            const int peer_cols = shared.cols.size(peer), peer_rows = shared.rows.size(peer);
            const std::ptrdiff_t begin = shared.cols.begin(peer);
            send_pieces_.add(own_rows == 0 || peer_cols == 0,
                             {row_datatype(peer_cols, own_rows, own_rows), begin * own_rows});
            receive_pieces_.add(
                peer_rows == 0 || own_cols == 0,
                {row_datatype(own_cols, peer_rows, total_rows), shared.peer_column(peer)});
        }
    }
    float* in() override { return in_.data(); }
    float* out() override { return out_.data(); }

    void transpose() override {
        const int rows = shared_.own_rows(), cols = shared_.cols.count;
        if (shared_.local_processor == LocalProcessor::gpu) {
            transpose_on_gpu(transposed_block_.data(), in_.data(), rows, cols);
        } else {
            transpose_on_cpu({transposed_block_.data(), rows}, {in_.data(), cols}, rows, cols);
        }
        exchange(transposed_block_.data(), send_pieces_, out_.data(), receive_pieces_,
                 shared_.comm);
    }

private:
    SharedMatrix shared_;
    std::vector<float> in_, transposed_block_, out_;
    Pieces send_pieces_, receive_pieces_;
};
//! [alltoallw]

/// Transposes only with datatypes: a piece is sent in row order and received in column order.
class Datatypes : public Method {
public:
    explicit Datatypes(const SharedMatrix& shared)
        : shared_(shared), in_(shared.in_size()), out_(shared.out_size()) {
        const int own_rows = shared.own_rows(), own_cols = shared.own_cols();
        for (int peer = 0; peer < shared.ranks(); ++peer) {
            const int peer_cols = shared.cols.size(peer), peer_rows = shared.rows.size(peer);
            send_pieces_.add(
                own_rows == 0 || peer_cols == 0,
                {row_datatype(own_rows, peer_cols, shared.cols.count), shared.cols.begin(peer)});
            receive_pieces_.add(peer_rows == 0 || own_cols == 0,
                                {column_datatype(own_cols, peer_rows, shared.rows.count),
                                 shared.peer_column(peer)});
        }
    }
    float* in() override { return in_.data(); }
    float* out() override { return out_.data(); }
    void transpose() override {
        exchange(in_.data(), send_pieces_, out_.data(), receive_pieces_, shared_.comm);
    }

private:
    SharedMatrix shared_;
    std::vector<float> in_, out_;
    Pieces send_pieces_, receive_pieces_;
};

}  // namespace

std::unique_ptr<Method> make_alltoallw(const SharedMatrix& shared) {
    return std::make_unique<Alltoallw>(shared);
}

std::unique_ptr<Method> make_datatypes(const SharedMatrix& shared) {
    return std::make_unique<Datatypes>(shared);
}

}  // namespace coalesce::processes
