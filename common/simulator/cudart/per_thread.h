// The names that programs call when each of their threads has a default stream of its own.
#pragma once

/// GCC compares an alias's attributes with its function's; clang has no such warning, and warns of that.
#ifdef __clang__
#    define COALESCE_ALIAS_MAY_DIFFER
#else
#    define COALESCE_ALIAS_MAY_DIFFER _Pragma("GCC diagnostic ignored \"-Wmissing-attributes\"")
#endif

/// Programs built with --default-stream per-thread call names that end in _ptsz (calls that take a
/// stream) or _ptds. All work here is done before a call returns, so they are the same functions.
#define COALESCE_PER_THREAD_STREAM(function, suffix)                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"") \
        COALESCE_ALIAS_MAY_DIFFER extern "C" decltype(function) function##suffix                   \
        __attribute__((alias(#function)));                                                         \
    _Pragma("GCC diagnostic pop") static_assert(true)
