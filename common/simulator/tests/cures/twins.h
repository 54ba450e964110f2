// Helpers for programs whose cases are pairs of twins: a bug, and the same code corrected according
// to the advice in the bug's report. A function template `name<fixed>` runs both.
#pragma once

#include "../cases.h"

/// The cases `name` and `name-fixed`.
#define TWINS(name) {#name, name<false>}, {#name "-fixed", name<true>}
