// See stddef.h. coalesce_cuda/numbers.h, which precedes every file, declares the functions.
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define M_PI 3.14159265358979323846
