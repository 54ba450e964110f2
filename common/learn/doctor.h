/// \file
/// `learn doctor`: what is there, what is missing, what that means and what to do.
#pragma once

#include "learn/session.h"

namespace coalesce::learn {

/// Returns the exit code: 0 when exercises can be checked here, 2 when not.
int doctor(bool json, const Style& style);

}  // namespace coalesce::learn
