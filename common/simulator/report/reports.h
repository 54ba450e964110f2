// What the checks have to say, gathered once per site.
//
// A report names the place in the source, the kernel, one block and thread that did it, and the
// likely cure. The same thing seen again at the same site only raises its count.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Place {
    std::string file;  ///< as the compiler saw it; empty when built without line information
    u32 line = 0;
};

struct Report {
    std::string
        check;  ///< memcheck, racecheck, globalrace, initcheck, synccheck, leakcheck, apicheck,
                ///< execution
    std::string
        kind;  ///< "out of bounds", "misaligned", "write after read" ...: stable, tests rely on it
    Place where;
    std::string kernel;  ///< demangled
    Dim3 block{0, 0, 0}, thread{0, 0, 0};
    u64 address = 0;
    std::string message;  ///< one or two sentences: what happened, to which allocation
    std::string cure;     ///< a sentence; may be empty
    Place other;          ///< the other access of a race; line 0 when there is none
    Dim3 other_block{0, 0, 0}, other_thread{0, 0, 0};
    u64 count = 1;  ///< at most kMostCounted, of what is kept
};

/// So many are told apart: a broken kernel may have a billion, and nobody asks how many exactly.
constexpr u64 kMostCounted = 100'000;

/// All reports of the process. Thread-safe.
class Reports {
public:
    Reports();
    ~Reports();
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;

    /// Adds, or counts when check, kind, kernel, both places are those of a report already here; of
    /// what happened on the host, address and message as well.
    /// The first one is printed to stderr at once when printing is on. Kept is the one of the
    /// lowest block and thread, so that the list does not depend on which worker came first.
    void add(const Report& report);
    std::vector<Report> all() const;
    u64 total() const;  ///< counts of all that was added
    void clear();
    void print_as_they_come(bool on);

private:
    struct State;
    std::unique_ptr<State> state_;
};

Reports& reports();

/// "racecheck: write after read in transpose at main.cu:12 ..." over several lines, each at most 80
/// columns where the names allow.
std::string to_text(const Report& report);

}  // namespace coalesce::simulator
