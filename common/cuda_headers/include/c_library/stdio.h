// One of the C headers for kernels (see stddef.h). printf is declared in coalesce_cuda/system.h.
#pragma once
