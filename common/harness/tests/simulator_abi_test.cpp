// What the harness believes of the simulator's C interface, compared with that interface's own
// header: the one place that sees both.
#include <doctest/doctest.h>

#include <cstddef>

#include "harness/simulator_abi.h"
#include "simulator/cudart/coalesce_simulator.h"

using namespace coalesce;

#define SAME_PLACE(ours, theirs, member)                                     \
    static_assert(offsetof(abi::ours, member) == offsetof(theirs, member) && \
                  sizeof(abi::ours::member) == sizeof(theirs::member))

TEST_CASE("structures are laid out alike") {
    static_assert(sizeof(abi::Counters) == sizeof(CoalesceCounters));
    SAME_PLACE(Counters, CoalesceCounters, load_requests);
    SAME_PLACE(Counters, CoalesceCounters, load_sectors);
    SAME_PLACE(Counters, CoalesceCounters, store_requests);
    SAME_PLACE(Counters, CoalesceCounters, store_sectors);
    SAME_PLACE(Counters, CoalesceCounters, shared_load_requests);
    SAME_PLACE(Counters, CoalesceCounters, shared_load_wavefronts);
    SAME_PLACE(Counters, CoalesceCounters, shared_load_ideal);
    SAME_PLACE(Counters, CoalesceCounters, shared_store_requests);
    SAME_PLACE(Counters, CoalesceCounters, shared_store_wavefronts);
    SAME_PLACE(Counters, CoalesceCounters, shared_store_ideal);
    SAME_PLACE(Counters, CoalesceCounters, warp_instructions);

    static_assert(sizeof(abi::Kernel) == sizeof(CoalesceKernel));
    SAME_PLACE(Kernel, CoalesceKernel, name);
    SAME_PLACE(Kernel, CoalesceKernel, launches);
    SAME_PLACE(Kernel, CoalesceKernel, counters);

    static_assert(sizeof(abi::Report) == sizeof(CoalesceReport));
    SAME_PLACE(Report, CoalesceReport, check);
    SAME_PLACE(Report, CoalesceReport, kind);
    SAME_PLACE(Report, CoalesceReport, file);
    SAME_PLACE(Report, CoalesceReport, line);
    SAME_PLACE(Report, CoalesceReport, kernel);
    SAME_PLACE(Report, CoalesceReport, block);
    SAME_PLACE(Report, CoalesceReport, thread);
    SAME_PLACE(Report, CoalesceReport, count);
    SAME_PLACE(Report, CoalesceReport, message);
    SAME_PLACE(Report, CoalesceReport, cure);
    SAME_PLACE(Report, CoalesceReport, other_file);
    SAME_PLACE(Report, CoalesceReport, other_line);
    SAME_PLACE(Report, CoalesceReport, other_block);
    SAME_PLACE(Report, CoalesceReport, other_thread);
}
