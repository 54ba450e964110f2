// Defines the function names that programs call if they are built with a separate default stream
// for each thread.
#pragma once

/// GCC warns if an alias and its function have different attributes. clang gives no such warning,
/// but warns about this pragma.
#ifdef __clang__
#    define COALESCE_ALIAS_MAY_DIFFER
#else
#    define COALESCE_ALIAS_MAY_DIFFER _Pragma("GCC diagnostic ignored \"-Wmissing-attributes\"")
#endif

/// Programs built with --default-stream per-thread call cudaMemcpy_ptds instead of cudaMemcpy, for
/// example. The suffix is _ptsz if the function has a stream parameter. In the simulator, all work
/// is complete before a call returns, so the name with the suffix is an alias.
#define COALESCE_PER_THREAD_STREAM(function, suffix)                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"") \
        COALESCE_ALIAS_MAY_DIFFER extern "C" decltype(function) function##suffix                   \
        __attribute__((alias(#function)));                                                         \
    _Pragma("GCC diagnostic pop") static_assert(true)
