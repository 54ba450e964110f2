/// \file
/// `learn list STEP`: what there is to run.
#pragma once

#include <ostream>
#include <string>

#include "course/course.h"

namespace coalesce::learn {

/// The variants of one step, with what each must cost.
void list_variants(std::ostream& out, const course::Step& step);
/// Where a whole program is, which has none.
void list_program(std::ostream& out, const course::Step& program);

}  // namespace coalesce::learn
