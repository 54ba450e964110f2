/// \file
/// For tests: a page of shared memory that the kernel counts as in use, as it does while it moves one
/// about. No writable mapping is needed for it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/descriptor.h"

namespace coalesce::grader {

/// The first page of a memory lies in a pipe until it is let go. It must be written to before.
class HeldPage {
public:
    explicit HeldPage(int memory) {
        int ends[2];
        REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        from_.reset(ends[0]);
        to_.reset(ends[1]);
        off_t front = 0;
        REQUIRE(splice(memory, &front, to_.get(), nullptr, 1, 0) == 1);
    }
    void let_go() {
        from_.reset();
        to_.reset();
    }

private:
    Descriptor from_, to_;
};

}  // namespace coalesce::grader
