// Absolute values and differences of the halves and bytes of a word, by the headers for clang: against what they
// say in C++ on the host. nvcc makes video instructions of them, which the simulator does not know.
// expect: halves of words: ok
// expect: bytes of words: ok
#include "integer_functions.h"

#define DIFFERENCES(F, n)                                                            \
    F(__vabs##n(a), EACH(n, true, x < 0 ? -x : x))                                   \
    F(__vabsss##n(a), EACH(n, true, clamped(x < 0 ? -x : x, -MOST(n) - 1, MOST(n)))) \
    F(__vabsdiffs##n(a, b), EACH(n, true, x < y ? y - x : x - y))                    \
    F(__vabsdiffu##n(a, b), EACH(n, false, x < y ? y - x : x - y))                   \
    F(__vsads##n(a, b), sum_of_differences(a, b, 32 / n, true))                      \
    F(__vsadu##n(a, b), sum_of_differences(a, b, 32 / n, false))
#define HALVES(F) DIFFERENCES(F, 2)
#define BYTES(F) DIFFERENCES(F, 4)
GROUP(halves, HALVES)
GROUP(bytes, BYTES)

int main() {
    fill_operands();
    compare("halves of words", halves, halves_on_host, halves_names);
    compare("bytes of words", bytes, bytes_on_host, bytes_names);
}
