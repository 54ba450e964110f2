// Compiles doctest's implementation once for all test programs, because compiling it takes two
// seconds.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
