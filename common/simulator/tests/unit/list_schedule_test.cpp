// Tests which of the ready instructions is issued next, including the rules for many live words.
#include "simulator/ptxas/list_schedule.h"

#include <doctest/doctest.h>

#include <utility>

using namespace coalesce::simulator;

namespace {

constexpr u32 kNeverMany = 1000, kLong = 400, kShort = 5;

/// Builds straight-line code. Each value has the size `words`, in words.
class Code {
public:
    explicit Code(u32 values, u32 words = 1) {
        made_.words.assign(values, words);
        made_.is_predicate.assign(values, false);
        made_.is_written_earlier.assign(values, false);
        made_.is_read_later.assign(values, false);
    }
    Code& comes(std::vector<u32> values) {
        for (u32 v : values) made_.is_written_earlier[v] = true;
        return *this;
    }
    Code& is_wanted(u32 value) {
        made_.is_read_later[value] = true;
        return *this;
    }
    Code& is_two(u32 value) {
        made_.words[value] = 2;
        return *this;
    }
    Code& load(u32 to, std::vector<u32> from) {
        return add(MemoryEffect::load, kLong, std::move(from), {to});
    }
    Code& compute(u32 to, std::vector<u32> from) {
        return add(MemoryEffect::none, kShort, std::move(from), {to});
    }
    Code& store(std::vector<u32> from) {
        return add(MemoryEffect::store, kShort, std::move(from), {});
    }
    Code& fence() {
        add(MemoryEffect::fence, 1, {}, {});
        made_.code.back().is_fixed = true;
        return *this;
    }
    std::vector<u32> order(u32 max_live_words) const {
        return list_schedule(made_, max_live_words);
    }

private:
    Code& add(MemoryEffect memory, u32 latency, std::vector<u32> reads, std::vector<u32> writes) {
        MachineInstruction i;
        i.memory = memory;
        i.space = ptx::StateSpace::global;
        i.latency = latency;
        i.reads = std::move(reads);
        i.writes = std::move(writes);
        made_.code.push_back(i);
        return *this;
    }
    StraightCode made_;
};

using Order = std::vector<u32>;

}  // namespace

TEST_CASE("the longest path is issued first, and equal paths are issued in PTX order") {
    // A sum and two loads precede an instruction that needs all three results.
    const Code code =
        Code(5).comes({0}).compute(1, {0}).load(2, {0}).load(3, {0}).compute(4, {1, 2, 3});
    CHECK(code.order(kNeverMany) == Order{1, 2, 0, 3});
}

TEST_CASE("an address on a longer path is issued before an unrelated sum") {
    // No instruction reads value 1, the sum. Value 3 is loaded from value 2, the address, and then
    // stored.
    const Code code =
        Code(4).comes({0}).compute(1, {0}).is_wanted(1).compute(2, {0}).load(3, {2}).store({0, 3});
    CHECK(code.order(kNeverMany) == Order{1, 2, 0, 3});
}

TEST_CASE("while many words are live, instructions stay in PTX order") {
    const Code code =
        Code(5).comes({0}).compute(1, {0}).load(2, {0}).load(3, {0}).compute(4, {1, 2, 3});
    CHECK(code.order(0) == Order{0, 1, 2, 3});
}

TEST_CASE("PTX order is kept only after the limit on live words has been reached") {
    // The input, value 0, is one live word. The first load adds a second live word.
    const Code code =
        Code(5).comes({0}).compute(1, {0}).load(2, {0}).load(3, {0}).compute(4, {1, 2, 3});
    CHECK(code.order(1) == Order{0, 1, 2, 3});
    CHECK(code.order(2) == Order{1, 0, 2, 3});
    CHECK(code.order(3) == Order{1, 2, 0, 3});
    Code wide =
        Code(5, 2).comes({0}).compute(1, {0}).load(2, {0}).load(3, {0}).compute(4, {1, 2, 3});
    // A two-word value counts as two live words.
    CHECK(wide.order(3) == Order{1, 0, 2, 3});
}

TEST_CASE("an instruction that adds live words is delayed until another one has freed words") {
    // Value 0 stays live, and the store is the last reader of values 1 and 2.
    const Code code =
        Code(4).comes({0, 1, 2}).is_wanted(0).compute(3, {0}).is_wanted(3).store({1, 2});
    CHECK(code.order(0) == Order{1, 0});
    // If the stored values are read again later, the store does not free any words.
    const Code wanted = Code(4)
                            .comes({0, 1, 2})
                            .is_wanted(0)
                            .is_wanted(1)
                            .is_wanted(2)
                            .compute(3, {0})
                            .is_wanted(3)
                            .store({1, 2});
    CHECK(wanted.order(0) == Order{0, 1});
}

TEST_CASE("a path that frees words may begin with an address that takes several steps to compute") {
    // Value 0 stays live, and value 4 is computed from it. A store, whose address takes three steps
    // to compute, is the last reader of values 1, 2 and 3.
    const auto made = [] {
        return Code(8)
            .comes({0, 1, 2, 3})
            .is_wanted(0)
            .compute(4, {0})
            .is_wanted(4)
            .compute(5, {0})
            .compute(6, {5})
            .compute(7, {6})
            .store({1, 2, 3, 7});
    };
    CHECK(made().order(0) == Order{1, 2, 3, 4, 0});
    // If the stored values are read again later, the store frees no words, and value 4 is not
    // delayed.
    CHECK(made().is_wanted(1).is_wanted(2).is_wanted(3).order(0) == Order{0, 1, 2, 3, 4});
}

TEST_CASE("a load that frees its address register is issued before earlier instructions") {
    // The sum can reuse the register of its operand, and the load can reuse a register of its
    // address. The address has two registers in the first case, and one in the second case.
    const auto made = [] {
        return Code(5).comes({0, 1, 2}).compute(3, {1}).is_wanted(3).load(4, {2}).is_wanted(4);
    };
    CHECK(made().is_two(2).order(0) == Order{1, 0});
    CHECK(made().order(0) == Order{0, 1});
}

TEST_CASE("an instruction that overwrites its source is not delayed") {
    const Code code = Code(4).comes({0, 1, 2}).compute(3, {0}).is_wanted(3).store({1, 2});
    CHECK(code.order(0) == Order{0, 1});
}

TEST_CASE("an address is issued before other instructions if a store to it then frees words") {
    // No instruction reads value 3, which adds a live word. Value 4, an address, also adds one, but
    // the store to this address frees three.
    const Code code =
        Code(6).comes({0, 1, 2}).is_wanted(0).compute(3, {0}).is_wanted(3).compute(4, {0}).store(
            {4, 1, 2});
    CHECK(code.order(0) == Order{1, 2, 0});
}

TEST_CASE("of two paths that free equally many words, the first in the PTX is issued first") {
    const Code code = Code(6)
                          .comes({0, 1, 2, 3, 4})
                          .is_wanted(0)
                          .compute(5, {0})
                          .is_wanted(5)
                          .store({1, 2})
                          .store({3, 4});
    // Both stores are issued before the sum, and stores always keep their order.
    CHECK(code.order(0) == Order{1, 2, 0});
    const Code loads = Code(8)
                           .comes({0, 1, 2, 3, 4})
                           .is_wanted(0)
                           .compute(5, {0})
                           .is_wanted(5)
                           .load(6, {3, 4})
                           .is_wanted(6)
                           .load(7, {1, 2})
                           .is_wanted(7);
    CHECK(loads.order(0) == Order{1, 2, 0});
}

TEST_CASE("no instruction moves past a fence, and no load past a store that may alias it") {
    const Code fenced = Code(3).comes({0}).compute(1, {0}).is_wanted(1).fence().load(2, {0});
    CHECK(fenced.order(kNeverMany) == Order{0, 1, 2});
    const Code stored = Code(3).comes({0, 1}).store({0, 1}).load(2, {0}).is_wanted(2);
    CHECK(stored.order(kNeverMany) == Order{0, 1});
}
