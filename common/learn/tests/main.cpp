// learn_tests LEARN [DOCTEST OPTIONS] -- tests the program LEARN (usually build/bin/learn) and its
// components.

#include <doctest/doctest.h>

#include "scratch_course.h"

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    coalesce::learn::learn_program = std::filesystem::absolute(argv[1]);
    return doctest::Context(argc - 1, argv + 1).run();
}
