// Compiles doctest once for all test programs, because it takes two seconds to compile.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
