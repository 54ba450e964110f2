// What is wrong with a learner's program, told by one run of it.
#pragma once

#include "kernel/failure.h"
#include "kernel/source.h"
#include "program/witnessed_run.h"

namespace coalesce {

constexpr long long kMostThreadsOfBlock = 1024;

/// Why a run with so many elements was not right and clean; kind `none` when it was. The program is to turn
/// its array round, to say so, and to end with 0.
Failure wrong_with(const WitnessedRun& run, int elements, const Source& source);

/// Why nobody would notice that a launch failed, in a run in which all launches did; kind `none` when it
/// was noticed.
Failure launch_unnoticed(const WitnessedRun& run, const Source& source);

}  // namespace coalesce
