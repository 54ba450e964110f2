// One of the C headers for kernels (see stddef.h). The functions of <math.h> are declared in
// coalesce_cuda/numbers.h, which is included before every file.
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define M_PI 3.14159265358979323846
