/// \file
/// Runs a program between MPI_Init and MPI_Finalize.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>

#include "harness/errors.h"

namespace coalesce::processes {

/// Calls `work` and returns its exit code. If one process throws a `SharedError`, all processes do,
/// so only one of them prints the message. Any other error ends all processes, because they might
/// wait forever for the process that failed.
template <class SharedError, class Work>
int run_and_report_errors(const std::string& program, const Work& work) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        return work();
    } catch (const SharedError& error) {
        if (rank == 0) std::fprintf(stderr, "%s: %s\n", program.c_str(), error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: process %d: %s\n", program.c_str(), rank, error.what());
        MPI_Abort(MPI_COMM_WORLD, exit_usage);
    }
    return exit_usage;
}

}  // namespace coalesce::processes
