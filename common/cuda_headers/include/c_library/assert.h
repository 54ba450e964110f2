// One of the C headers for kernels (see stddef.h).
#pragma once

#define assert(condition) \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
