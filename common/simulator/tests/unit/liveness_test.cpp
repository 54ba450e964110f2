// Tests which values are live at each instruction, and which registers may share a slot. The
// control flow includes cases that failed in the past, and cases that no compiler generates.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "simulator/analysis/control_flow.h"
#include "simulator/analysis/liveness.h"
#include "simulator/analysis/register_use.h"
#include "simulator/lowering/register_slots.h"
#include "simulator/ptx/parser.h"
#include "simulator/ptxas/value_classes.h"

using namespace coalesce::simulator;

namespace {

/// A kernel with 32-bit registers a, b, c, d, x, y and predicates p, q. Labels name its
/// instructions.
class Body {
public:
    explicit Body(const std::string& body)
        : module_(
              ptx::parse(".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
                         ".reg .b32 a, b, c, d, x, y;\n.reg .pred p, q;\n.shared .b32 s[64];\n" +
                         body + "\n}\n")),
          function_(*module_->functions.at("k")),
          flow_(function_),
          liveness_(function_, flow_) {}

    u32 reg(const std::string& name) const {
        for (u32 r = 0; r < function_.registers.size(); ++r)
            if (function_.registers[r].name == name) return r;
        FAIL("no register " << name);
        return 0;
    }
    u32 label(const std::string& name) const { return function_.labels.at(name); }
    /// Returns the position of the instruction that follows the label.
    u32 at(const std::string& name) const { return label(name) + 1; }
    bool live_after(const std::string& label, const std::string& name) const {
        return !liveness_.live_after(at(label), {reg(name)}).empty();
    }
    Liveness::Range range(const std::string& name) const { return liveness_.range(reg(name)); }
    bool overlap(const std::string& one, const std::string& other) const {
        const auto r = range(one), s = range(other);
        return r.begin <= s.end && s.begin <= r.end;
    }
    Registers classes() const { return classify_registers(function_, true, liveness_); }
    bool is_name_of(const std::string& copy, const std::string& source) const {
        return classes().root[reg(copy)] == reg(source);
    }
    const ControlFlow& flow() const { return flow_; }

private:
    std::unique_ptr<ptx::Module> module_;
    const ptx::Function& function_;
    ControlFlow flow_;
    Liveness liveness_;
};

}  // namespace

TEST_CASE("a value is live from its write to its last use") {
    const Body k("W: mov.b32 a, 1;\nU: add.u32 b, a, 2;\nV: st.shared.b32 [s], b;\nret;");
    CHECK(k.live_after("W", "a"));
    CHECK_FALSE(k.live_after("U", "a"));
    CHECK(k.live_after("U", "b"));
    CHECK_FALSE(k.live_after("V", "b"));
    CHECK(k.range("a").end == k.at("U"));
}

TEST_CASE("a value that is first written in a loop and used after it is live in the whole loop") {
    // The part of the loop that precedes the write also runs in the next iteration. It must not
    // overwrite the value there.
    const Body k(R"(
        mov.b32 x, 8;
        TOP:
        add.u32 a, x, 100;
        T: st.shared.b32 [s], a;
        setp.lt.u32 p, x, 4;
        @p bra SKIP;
        mov.b32 b, x;
        SKIP:
        sub.u32 x, x, 1;
        setp.ne.u32 q, x, 0;
        @q bra TOP;
        st.shared.b32 [s+4], b;
        ret;)");
    CHECK(k.live_after("T", "b"));
    CHECK(k.overlap("a", "b"));
}

TEST_CASE("a loop may be entered in its middle") {
    const Body k(R"(
        mov.b32 x, 3;
        bra MIDDLE;
        TOP:
        A: add.u32 a, b, 1;
        sub.u32 x, x, a;
        setp.eq.u32 p, x, 0;
        @p bra OUT;
        MIDDLE:
        B: mov.b32 b, x;
        bra TOP;
        OUT:
        st.shared.b32 [s], b;
        ret;)");
    CHECK(k.live_after("A", "b"));
    CHECK(k.overlap("a", "b"));
    CHECK(k.range("b").begin <= k.at("A"));
}

TEST_CASE("a loop with two entries has no single header") {
    const Body k(R"(
        mov.b32 x, 9;
        mov.b32 c, 5;
        setp.lt.u32 p, x, 4;
        @p bra TWO;
        ONE:
        O: sub.u32 x, x, 1;
        TWO:
        T: sub.u32 x, x, 2;
        setp.gt.s32 q, x, 0;
        BACK: @q bra ONE;
        st.shared.b32 [s], c;
        ret;)");
    CHECK(k.live_after("O", "c"));
    CHECK(k.live_after("T", "c"));
    const auto turn = k.flow().blocks_of_iteration(k.at("BACK"), k.label("ONE"));
    CHECK(turn.size() == 5);  // each label begins a block
}

TEST_CASE("a guarded write leaves the old value live") {
    const Body k(R"(
        mov.b32 a, 1;
        W: setp.eq.u32 p, x, 0;
        @p mov.b32 a, 2;
        st.shared.b32 [s], a;
        ret;)");
    CHECK(k.live_after("W", "a"));
}

TEST_CASE("after a guarded ret, lanes whose guard is false continue") {
    const Body k("mov.b32 a, 1;\nW: setp.eq.u32 p, x, 0;\n@p ret;\nst.shared.b32 [s], a;\nret;");
    CHECK(k.live_after("W", "a"));
    const Body unguarded("mov.b32 a, 1;\nW: mov.b32 b, 1;\nret;\nst.shared.b32 [s], a;\nret;");
    CHECK_FALSE(unguarded.live_after("W", "a"));
}

TEST_CASE("every target of a jump table is a successor") {
    const Body k(R"(
        mov.b32 a, 1;
        mov.b32 b, 2;
        W: mov.b32 c, 3;
        table: .branchtargets FIRST, SECOND;
        brx.idx x, table;
        FIRST:
        st.shared.b32 [s], a;
        ret;
        SECOND:
        st.shared.b32 [s], b;
        ret;)");
    CHECK(k.live_after("W", "a"));
    CHECK(k.live_after("W", "b"));
    CHECK_FALSE(k.live_after("W", "c"));
}

TEST_CASE("addresses, guards and vector operands are uses") {
    const Body k(R"(
        W: mov.b32 x, 1;
        @q st.shared.v2.b32 [a+4], {b, c};
        ret;)");
    for (const char* name : {"a", "b", "c", "q"}) CHECK(k.live_after("W", name));
    CHECK_FALSE(k.live_after("W", "x"));
}

TEST_CASE("a result is a write in every operand position") {
    const auto written = [](const std::string& instruction) {
        const auto module = ptx::parse(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 a, b;\n"
            ".reg .b64 s;\n.reg .pred p, q;\n" +
            instruction + "\n}\n");
        const ptx::Function& function = *module->functions.at("k");
        std::string names;
        for (u32 r : list_written_registers(function.body[0]))
            names += function.registers[r].name + " ";
        return names;
    };
    CHECK(written("setp.lt.u32 p|q, a, b;") == "p q ");
    CHECK(written("elect.sync _|p, a;") == "p ");
    CHECK(written("shfl.sync.idx.b32 a|p, b, 0, 31, -1;") == "a p ");
    CHECK(written("mov.b64 {a, b}, s;") == "a b ");
    CHECK(written("mov.b64 {_, b}, s;") == "b ");
    CHECK(written("mbarrier.arrive.expect_tx.shared.b64 s, [a], 16;") == "s ");
    CHECK(written("mbarrier.expect_tx.shared.b64 [a], 16;") == "");
    CHECK(written("st.shared.b32 [a], b;") == "");
    CHECK(written("red.shared.add.u32 [a], b;") == "");
}

TEST_CASE("a copy is an alias of its source if neither of them changes") {
    const Body k("mov.b32 a, %ctaid.x;\nmov.b32 b, a;\nst.shared.b32 [s], b;\nret;");
    CHECK(k.is_name_of("b", "a"));
}

TEST_CASE("a copy that is used only before its source changes is an alias of it") {
    const Body k(R"(
        TOP:
        ld.shared.b32 a, [s];
        mov.b32 b, a;
        st.shared.b32 [s+4], b;
        setp.ne.u32 p, b, 0;
        @p bra TOP;
        ret;)");
    CHECK(k.is_name_of("b", "a"));
}

TEST_CASE("a copy that is used after its source changes is not an alias") {
    const std::string loop = R"(
        TOP:
        ld.shared.b32 a, [s];
        setp.lt.u32 p, a, 10;
        @p bra SKIP;
        mov.b32 b, a;
        mov.b32 c, b;
        SKIP:
        setp.ne.u32 q, a, 0;
        @q bra TOP;)";
    const Body k(loop + "st.shared.b32 [s+4], b;\nret;");
    CHECK_FALSE(k.is_name_of("b", "a"));
    const Body through_another(loop + "st.shared.b32 [s+4], c;\nret;");
    CHECK_FALSE(through_another.is_name_of("b", "a"));
    CHECK_FALSE(through_another.is_name_of("c", "a"));
    CHECK(Body(loop + "ret;").is_name_of("b", "a"));
}

TEST_CASE("a source that is computed from its own copy is not an alias of it") {
    const Body k(R"(
        mov.b32 b, 1;
        TOP:
        add.u32 a, x, 1;
        mov.b32 x, a;
        setp.ne.u32 p, x, 40;
        @p bra TOP;
        ret;)");
    CHECK_FALSE(k.is_name_of("x", "a"));
}

TEST_CASE("branches to missing labels and empty bodies are accepted") {
    const Body nowhere("bra NOWHERE;");
    CHECK(nowhere.flow().blocks().size() == 1);
    const Body empty("");
    CHECK(empty.flow().blocks().empty());
}

TEST_CASE("inner loops are distinguished from outer loops") {
    const Body k(R"(
        OUTER:
        O: mov.b32 a, 1;
        INNER:
        I: sub.u32 a, a, 1;
        setp.ne.u32 p, a, 0;
        BACK: @p bra INNER;
        setp.ne.u32 q, x, 0;
        AGAIN: @q bra OUTER;
        ret;)");
    const auto inner = k.flow().blocks_of_iteration(k.at("BACK"), k.label("INNER"));
    const auto outer = k.flow().blocks_of_iteration(k.at("AGAIN"), k.label("OUTER"));
    CHECK(inner.size() < outer.size());
    CHECK(k.flow().blocks_of_iteration(k.at("AGAIN") + 1, k.label("OUTER")).empty());
}

TEST_CASE("in plain mode, no registers share a slot") {
    SlotPool pool(false);
    const Slot first = pool.allocate(Width::w32);
    pool.release(first, Width::w32);
    CHECK(pool.allocate(Width::w32).offset != first.offset);
    SlotPool reusing(true);
    const Slot again = reusing.allocate(Width::w32);
    reusing.release(again, Width::w32);
    CHECK(reusing.allocate(Width::w32).offset == again.offset);
}
