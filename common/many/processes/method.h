/// \file
/// The methods by which several processes transpose a matrix that is distributed among them.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "many/spread.h"

namespace coalesce::processes {

/// Deliberate mistakes, which the verifier must detect.
enum class Mistake {
    none,
    misplaced_part,  ///< data from the last process replaces the data of the first
    flipped_bit,     ///< one bit of one element is wrong
};

/// The processor that transposes a process's block before the block is sent.
enum class LocalProcessor { cpu, gpu };

/// A matrix that is distributed over several processes. Each process has some rows of `in` and some
/// rows of `out`. The rows of `out` are the columns of `in`.
struct SharedMatrix {
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank = 0;
    RowPartition rows, cols;
    LocalProcessor local_processor = LocalProcessor::cpu;
    Mistake mistake = Mistake::none;

    int ranks() const { return rows.ranks; }
    int own_rows() const { return rows.size(rank); }
    int own_cols() const { return cols.size(rank); }
    /// Returns the number of floats in this process's block of `in`.
    std::size_t in_size() const { return count_floats(own_rows(), cols.count); }
    std::size_t out_size() const { return count_floats(own_cols(), rows.count); }
    /// Returns the column of this process's `out` where the rows of process `peer` start.
    int peer_column(int peer) const {
        const bool is_misplaced = mistake == Mistake::misplaced_part && peer == ranks() - 1;
        return rows.begin(is_misplaced ? 0 : peer);
    }
};

/// A method of transposing a matrix, with its buffers. All processes create the method together,
/// and destroy it together.
class Method {
public:
    virtual ~Method() = default;
    /// Returns this process's rows of `in`.
    virtual float* in() = 0;
    /// Returns this process's rows of `out`.
    virtual float* out() = 0;
    /// Transposes the matrix. All processes call this function. When it returns, the caller's `out`
    /// is complete.
    virtual void transpose() = 0;
};

/// The description of a method, and the function that creates it.
struct MethodKind {
    std::string name;   ///< such as "windows"
    std::string about;  ///< a sentence that describes the method
    /// The memory that the method needs, as a multiple of the size of the matrix.
    int memory_in_matrices = 2;
    std::unique_ptr<Method> (*make)(const SharedMatrix& shared) = nullptr;
};

/// Returns all methods of this program.
std::vector<MethodKind> list_methods();

/// Reports whether all processes of `comm` share memory.
bool are_on_one_host(MPI_Comm comm);

std::unique_ptr<Method> make_alltoallw(const SharedMatrix& shared);
std::unique_ptr<Method> make_datatypes(const SharedMatrix& shared);
std::unique_ptr<Method> make_windows(const SharedMatrix& shared);

}  // namespace coalesce::processes
