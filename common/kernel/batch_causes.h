// A batch of matrices of which blocks do not take their own: the launch and the text say why.
#pragma once

#include "kernel/causes.h"

namespace coalesce {

/// Says of matrices that nobody wrote whether blocks are missing, or do not know which matrix is theirs.
void look_at_batches(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Says of a race whether it is between blocks of different matrices.
void look_at_batch_race(Failure& failure, const simulated::Report& race, const Evidence& evidence);

}  // namespace coalesce
