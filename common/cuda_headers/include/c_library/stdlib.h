// One of the C headers for kernels (see stddef.h).
#pragma once

#include <stddef.h>

extern "C" {
void* malloc(size_t bytes);
void free(void* pointer);
}
