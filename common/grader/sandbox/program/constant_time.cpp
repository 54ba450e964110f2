// Replaces the clock in a jail. NVRTC derives __TIME__ and __DATE__ from it, and a result must not
// depend on the day of judging.

#include <time.h>

/// Returns noon on 1 January 2000 UTC, which is the same day in nearly every time zone.
extern "C" time_t time(time_t* destination) noexcept {
    constexpr time_t fixed_noon = 946'728'000;
    if (destination) *destination = fixed_noon;
    return fixed_noon;
}
