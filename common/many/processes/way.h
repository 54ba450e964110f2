/// \file
/// The ways in which several processes transpose one matrix that is spread over them.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "many/spread.h"

namespace coalesce::processes {

/// Deliberate mistakes, which the verifier must find.
enum class Mistake {
    none,
    place,  ///< data from the last process replaces the data of the first
    bit,    ///< one bit of one element is wrong
};

/// Whether the CPU or the GPU transposes a process's block before it is sent.
enum class Local { cpu, gpu };

/// A matrix that several processes share. The rows of `in` are spread over the processes, and so
/// are the rows of `out`, which are the columns of `in`.
struct Shared {
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank = 0;
    Spread rows, cols;
    Local local = Local::cpu;
    Mistake mistake = Mistake::none;

    int ranks() const { return rows.ranks; }
    int my_rows() const { return rows.size(rank); }
    int my_cols() const { return cols.size(rank); }
    /// Returns the number of floats in this process's block of `in`.
    std::size_t in_size() const { return count_floats(my_rows(), cols.count); }
    std::size_t out_size() const { return count_floats(my_cols(), rows.count); }
    /// Returns the column of this process's `out` at which the rows of `peer` start.
    int peer_column(int peer) const {
        const bool is_misplaced = mistake == Mistake::place && peer == ranks() - 1;
        return rows.begin(is_misplaced ? 0 : peer);
    }
};

/// A way to transpose, with its buffers. All processes create and destroy it together.
class Way {
public:
    virtual ~Way() = default;
    /// This process's rows of `in`.
    virtual float* in() = 0;
    /// This process's rows of `out`.
    virtual float* out() = 0;
    /// Transposes the matrix. All processes call this. When it returns, this process's `out` is
    /// complete.
    virtual void transpose() = 0;
};

/// The description of a way, and the function that creates it.
struct KindOfWay {
    std::string name;   ///< such as "windows"
    std::string about;  ///< a sentence that describes the way
    /// The memory that the way needs, as a multiple of the matrix.
    int matrices = 2;
    std::unique_ptr<Way> (*make)(const Shared& shared) = nullptr;
};

/// Returns all ways of this program.
std::vector<KindOfWay> kinds_of_ways();

/// Reports whether all processes of `comm` share memory.
bool are_on_one_host(MPI_Comm comm);

std::unique_ptr<Way> make_alltoallw(const Shared& shared);
std::unique_ptr<Way> make_datatypes(const Shared& shared);
std::unique_ptr<Way> make_windows(const Shared& shared);

}  // namespace coalesce::processes
