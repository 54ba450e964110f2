/// \file
/// The ways in which processes transpose one matrix that is spread over them.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "many/spread.h"

namespace coalesce::processes {

/// Mistakes that are made on purpose, to see that the verifier finds them.
enum class Mistake {
    none,
    place,  ///< what the last process sends is put where the first one's belongs
    bit,    ///< one bit of one element is another
};

/// Who transposes a process's own block before it is sent.
enum class Local { cpu, gpu };

/// One matrix and who shares it. `in` is spread by its rows, `out` by its own, the columns of `in`.
struct Shared {
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank = 0;
    Spread rows, cols;
    Local local = Local::cpu;
    Mistake mistake = Mistake::none;

    int ranks() const { return rows.ranks; }
    int my_rows() const { return rows.size(rank); }
    int my_cols() const { return cols.size(rank); }
    /// Floats of this process's block of `in`, and of `out`.
    std::size_t in_size() const { return floats_of(my_rows(), cols.count); }
    std::size_t out_size() const { return floats_of(my_cols(), rows.count); }
    /// The column of this process's `out` where the rows of `peer` begin.
    int place_of(int peer) const {
        const bool is_misplaced = mistake == Mistake::place && peer == ranks() - 1;
        return rows.begin(is_misplaced ? 0 : peer);
    }
};

/// One way, with its buffers: made and freed by all processes together.
class Way {
public:
    virtual ~Way() = default;
    /// This process's rows of `in`.
    virtual float* in() = 0;
    /// This process's rows of `out`.
    virtual float* out() = 0;
    /// Does it. All processes call it; when one returns, its `out` is there.
    virtual void transpose() = 0;
};

/// A way, before it is made.
struct KindOfWay {
    std::string name;   ///< "windows"
    std::string about;  ///< a sentence
    /// How many times the matrix it has in memory.
    int matrices = 2;
    std::unique_ptr<Way> (*make)(const Shared& shared) = nullptr;
};

/// All ways of this program.
std::vector<KindOfWay> kinds_of_ways();

/// Whether the processes of `comm` all see the same memory.
bool are_on_one_host(MPI_Comm comm);

std::unique_ptr<Way> make_alltoallw(const Shared& shared);
std::unique_ptr<Way> make_datatypes(const Shared& shared);
std::unique_ptr<Way> make_windows(const Shared& shared);

}  // namespace coalesce::processes
