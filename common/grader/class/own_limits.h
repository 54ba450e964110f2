/// \file
/// What the judging process itself may use: what a student wrote is read in it too, and makes pictures and
/// matrices. Jails have limits of their own.
#pragma once

namespace coalesce::grader {

/// To be called before each submission. Who computes for too long is ended by the kernel, who takes too
/// much memory gets std::bad_alloc: faults like others, of one submission.
void limit_to_one_submission();

}  // namespace coalesce::grader
