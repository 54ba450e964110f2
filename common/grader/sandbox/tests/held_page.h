/// \file
/// Provides a page of shared memory that the kernel counts as in use, as it does while it migrates
/// a page. Tests use such a page to delay sealing. No writable mapping is needed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/descriptor.h"

namespace coalesce::grader {

/// Holds a reference to the first page of a memfd in a pipe, until `let_go` is called. The page
/// must have been written before.
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
