// No wall clock in a jail: NVRTC takes __TIME__ and __DATE__ from here, and what a kernel does must not
// depend on the day on which it is judged.

#include <time.h>

/// The noon that began the year 2000, which is 1 January wherever somebody is.
extern "C" time_t time(time_t* to) noexcept {
    constexpr time_t noon = 946'728'000;
    if (to) *to = noon;
    return noon;
}
