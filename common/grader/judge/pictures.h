/// \file
/// What the first warp of a submission's kernel touches, drawn.
#pragma once

#include <string>

#include "grader/judge/trials.h"
#include "kernel/source.h"

namespace coalesce::grader {

/// As the course's own pictures (kernel/picture.h), from a launch in a jail; "" when it touches
/// nothing. Throws LaunchTrouble.
std::string picture_of_warp(const JudgedKernel& kernel, const Source& source, Shape shape,
                            Trials& trials);

}  // namespace coalesce::grader
