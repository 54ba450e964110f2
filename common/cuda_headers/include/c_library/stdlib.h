// See stddef.h.
#pragma once

#include <stddef.h>

extern "C" {
void* malloc(size_t bytes);
void free(void* pointer);
}
