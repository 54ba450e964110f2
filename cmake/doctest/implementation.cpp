// doctest itself, which takes two seconds to compile: once for all programs that have test cases.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
