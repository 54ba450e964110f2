// Replaces the clock in a jail: NVRTC computes __TIME__ and __DATE__ from it, and a kernel must not depend on the day
// on which it is judged.

#include <time.h>

/// Noon on 1 January 2000, which has this date in every time zone.
extern "C" time_t time(time_t* to) noexcept {
    constexpr time_t noon = 946'728'000;
    if (to) *to = noon;
    return noon;
}
