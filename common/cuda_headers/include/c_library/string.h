// One of the C headers for kernels (see stddef.h).
#pragma once

#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
}
