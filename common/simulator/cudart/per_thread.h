// Defines the function names that programs call if they are built with a separate default stream
// for each thread.
#pragma once

/// A pragma that suppresses a warning of GCC: an alias and its function have different attributes.
/// Empty for clang, which does not know this warning and would warn about the pragma.
#ifdef __clang__
#    define COALESCE_ALIAS_MAY_DIFFER
#else
#    define COALESCE_ALIAS_MAY_DIFFER _Pragma("GCC diagnostic ignored \"-Wmissing-attributes\"")
#endif

/// Defines an alias of `function` whose name ends with `suffix`. For example, programs built with
/// --default-stream per-thread call cudaMemcpy_ptds instead of cudaMemcpy. The suffix is _ptsz if
/// the function has a stream parameter, otherwise _ptds. An alias is sufficient: the choice of the
/// default stream has no effect in the simulator, because all work is complete before a call
/// returns.
#define COALESCE_PER_THREAD_STREAM(function, suffix)                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"") \
        COALESCE_ALIAS_MAY_DIFFER extern "C" decltype(function) function##suffix                   \
        __attribute__((alias(#function)));                                                         \
    _Pragma("GCC diagnostic pop") static_assert(true)
