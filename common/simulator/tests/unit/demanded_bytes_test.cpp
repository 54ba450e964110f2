// Tests which bytes of a load affect the program. The tests use PTX that compilers generate for
// structs, unions and bit-fields.
#include <doctest/doctest.h>

#include <string>

#include "simulator/analysis/demanded_bytes.h"
#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;

namespace {

/// The analysis of a kernel with the given body. Loads and stores are numbered in text order.
struct Analysed {
    std::unique_ptr<ptx::Module> module;
    DemandedBytes bytes;

    explicit Analysed(const std::string& body) {
        module = ptx::parse(
            ".version 9.0\n.target sm_90\n.address_size 64\n"
            ".entry k(.param .u64 k_param_0) {\n"
            ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<19>;\n.reg .b64 %rd<29>;\n"
            ".reg .f32 %f<9>;\n.local .b8 depot[64];\n" +
            body + "\nret;\n}\n");
        bytes = find_demanded_bytes(*module->functions.at("k"));
    }
    const LoadUse& load(std::size_t nth = 0) const {
        REQUIRE(nth < bytes.loads.size());
        return std::next(bytes.loads.begin(), static_cast<std::ptrdiff_t>(nth))->second;
    }
    /// Lists which byte of a load is stored as which byte of the `nth` store, in the form "2>0
    /// 3>1".
    std::string arrivals(std::size_t nth = 0) const {
        REQUIRE(nth < bytes.stores.size());
        std::string text;
        const auto store = std::next(bytes.stores.begin(), static_cast<std::ptrdiff_t>(nth));
        for (const CopiedBytes& copy : store->second)
            for (u32 k = 0; k < copy.byte_count; ++k)
                text += (text.empty() ? "" : " ") + std::to_string(copy.from_byte + k) + ">" +
                        std::to_string(copy.to_byte + k);
        return text;
    }
};

bool is_error(const LoadUse& use, u32 unwritten, u32 bytes, bool any_around = false) {
    return is_uninitialised_read_error(use, unwritten, 64, bytes,
                                       [=](u64, u64) { return any_around; });
}

}  // namespace

TEST_CASE("a value that a selection may discard does not affect the program") {
    const Analysed dropped(
        "ld.shared.u32 %r1, [%rd1];\n"
        "add.s32 %r2, %r1, 1;\n"
        "selp.b32 %r3, %r2, %r4, %p1;\n"
        "st.global.u32 [%rd2], %r3;");
    CHECK(dropped.load().is_only_selected);
    CHECK_FALSE(is_error(dropped.load(), 0xf, 4));

    const Analysed also_stored(
        "ld.shared.u32 %r1, [%rd1];\n"
        "selp.b32 %r3, %r1, %r4, %p1;\n"
        "st.global.u32 [%rd2], %r1;");
    CHECK(is_error(also_stored.load(), 0xf, 4));

    const Analysed decides(
        "ld.shared.u32 %r1, [%rd1];\n"
        "setp.eq.u32 %p1, %r1, 0;\n"
        "selp.b32 %r3, %r1, %r4, %p1;");
    CHECK(is_error(decides.load(), 0xf, 4));

    // The selection follows a branch, so it is not always executed.
    const Analysed dropped_later(
        "ld.shared.u32 %r1, [%rd1];\n@%p2 bra OTHER;\n"
        "selp.b32 %r3, %r1, %r4, %p1; st.global.u32 [%rd2], %r3;\nOTHER:");
    CHECK(dropped_later.load().is_only_selected);
    const Analysed used_later(
        "ld.shared.u32 %r1, [%rd1];\nselp.b32 %r3, %r1, %r4, %p1;\n@%p2 bra OTHER;\n"
        "st.global.u32 [%rd2], %r1;\nOTHER:");
    CHECK_FALSE(used_later.load().is_only_selected);
}

TEST_CASE("an undefined condition is not an error if another condition may determine the result") {
    const Analysed overruled(
        "ld.shared.u32 %r1, [%rd1];\nsetp.lt.s32 %p1, %r1, 5;\nand.pred %p3, %p1, %p2;\n"
        "@%p3 bra OTHER;\nOTHER:");
    CHECK(overruled.load().is_only_selected);
    CHECK_FALSE(is_error(overruled.load(), 0xf, 4));

    // Both conditions depend on the value.
    const Analysed range(
        "ld.shared.u32 %r1, [%rd1];\nsetp.lt.s32 %p1, %r1, 5;\nsetp.gt.s32 %p2, %r1, 2;\n"
        "and.pred %p3, %p1, %p2;\n@%p3 bra OTHER;\nOTHER:");
    CHECK(is_error(range.load(), 0xf, 4));
}

TEST_CASE("a value that is only copied does not affect the program") {
    const Analysed a(
        "ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
        "st.global.v2.u32 [%rd2], {%r1, %r2};");
    CHECK(a.load().certainly_used_bytes == 0);
    CHECK(a.arrivals() == "0>0 1>1 2>2 3>3 4>4 5>5 6>6 7>7");
    CHECK_FALSE(is_error(a.load(), 0xfe, 8));
    CHECK(is_error(a.load(), 0xff, 8));
}

TEST_CASE("a value that is compared, computed with or used as an address affects the program") {
    for (const char* use :
         {"setp.eq.s64 %p1, %rd3, 7; @%p1 bra DONE; DONE:",
          "add.s64 %rd4, %rd3, 1; st.global.u64 [%rd2], %rd4;", "st.global.u64 [%rd3], %rd2;",
          "ld.global.u32 %r1, [%rd3];", "setp.eq.s64 %p1, %rd3, 7; selp.u32 %r1, 1, 0, %p1;",
          "atom.global.add.u64 %rd4, [%rd2], %rd3;",
          "mov.b64 {%r1, %r2}, %rd3; xor.b32 %r3, %r1, %r2; popc.b32 %r4, %r3;"
          "st.global.u32 [%rd2], %r4;"}) {
        CAPTURE(use);
        const Analysed a(std::string("ld.global.u64 %rd3, [%rd1];\n") + use);
        CHECK(a.load().certainly_used_bytes == 0xff);
        CHECK(is_error(a.load(), 0x80, 8));
    }
}

TEST_CASE("only the bytes that are used affect the program") {
    const auto decides = [](const std::string& body) {
        return Analysed("ld.global.u64 %rd3, [%rd1];\n" + body +
                        "setp.eq.s32 %p1, %r1, 7; @%p1 bra DONE; DONE:")
            .load()
            .certainly_used_bytes;
    };
    CHECK(decides("cvt.u32.u64 %r1, %rd3;") == 0x0f);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; and.b32 %r1, %r2, 255;") == 0x01);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; and.b32 %r1, %r2, 384;") == 0x03);
    CHECK(decides("shr.u64 %rd4, %rd3, 40; cvt.u32.u64 %r1, %rd4;") == 0xe0);
    CHECK(decides("shl.b64 %rd4, %rd3, 8; cvt.u32.u64 %r1, %rd4;") == 0x07);
    CHECK(decides("mov.b64 {%r2, %r1}, %rd3;") == 0xf0);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; bfe.u32 %r1, %r2, 12, 4;") == 0x02);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; bfe.s32 %r1, %r2, 4, 4;") == 0x01);
    CHECK(decides("mov.b64 {%r2, %r3}, %rd3; prmt.b32 %r1, %r2, %r3, 0x7700;") == 0x81);
    CHECK(decides("mov.b64 {%r2, %r3}, %rd3; bfi.b32 %r1, %r3, %r2, 8, 24;") == 0x71);
    CHECK(decides("mov.b64 {%r2, %r3}, %rd3; shf.r.wrap.b32 %r1, %r2, %r3, 16;") == 0x3c);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; lop3.b32 %r1, %r2, 65280, %r4, 0xea;") == 0x02);
    CHECK(decides("cvt.u32.u64 %r2, %rd3; mov.u32 %r3, 255; and.b32 %r1, %r2, %r3;") == 0x01);
}

TEST_CASE("a shuffle copies values, but its lane index affects the program") {
    const Analysed value(
        "ld.global.v2.u32 {%r1, %r2}, [%rd1]; shfl.sync.down.b32 %r3, %r1, 1, 31, -1;\n"
        "shfl.sync.down.b32 %r4, %r2, 1, 31, -1;");
    CHECK(value.load().certainly_used_bytes == 0);
    CHECK(is_error(value.load(), 0xff, 8));
    const Analysed lane("ld.global.u32 %r1, [%rd1]; shfl.sync.idx.b32 %r3, %r2, %r1, 31, -1;");
    CHECK(lane.load().certainly_used_bytes == 0xf);
}

TEST_CASE("the bytes of a short element are identified, even if it is sign-extended") {
    const Analysed u(
        "ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1];\n"
        "setp.eq.s16 %p1, %rs3, 7; @%p1 bra DONE; DONE:");
    CHECK(u.load().certainly_used_bytes == 0x04);
    const Analysed s(
        "ld.global.s8 %r1, [%rd1]; shr.s32 %r2, %r1, 31;\n"
        "setp.eq.s32 %p1, %r2, 0; @%p1 bra DONE; DONE:");
    CHECK(s.load().certainly_used_bytes == 0x01);
}

TEST_CASE("bytes that the compiler marks as padding do not affect the program") {
    const Analysed a(
        ".pragma \"used_bytes_mask 1\";\nld.global.u32 %r1, [%rd1];\n"
        ".pragma \"nounroll\", \"used_bytes_mask 0x0\";\nld.global.u32 %r2, [%rd1+4];\n"
        "ld.global.u64 %rd3, [%rd1+8];\n"
        "st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+4], %r2; st.global.u64 [%rd2+8], %rd3;");
    CHECK(a.load(0).member_bytes == 1);
    CHECK(a.load(1).member_bytes == 0);
    CHECK(a.load(2).member_bytes == ~0u);
    CHECK_FALSE(is_error(a.load(1), 0xf, 4));
    CHECK(is_error(a.load(2), 0xff, 8));
}

TEST_CASE("bytes are tracked through moves") {
    const Analysed a(
        "ld.global.u64 %rd3, [%rd1];\n"
        "mov.b64 {%r1, %r2}, %rd3; shr.u32 %r3, %r2, 16; cvt.u16.u32 %rs1, %r3;\n"
        "mov.u16 %rs2, %rs1; st.global.u16 [%rd2], %rs2;");
    CHECK(a.arrivals() == "6>0 7>1");
    const Analysed packed(
        "ld.global.u8 %rd3, [%rd1]; ld.global.u8 %rd4, [%rd1+1];\n"
        "bfi.b64 %rd5, %rd4, %rd3, 8, 8; st.global.u16 [%rd2], %rd5;");
    CHECK(packed.arrivals() == "0>0 0>1");
    const Analysed joined(
        "ld.global.u8 %r1, [%rd1]; ld.global.u8 %r2, [%rd1+1];\n"
        "shl.b32 %r3, %r2, 8; or.b32 %r4, %r1, %r3; st.global.u32 [%rd2], %r4;");
    CHECK(joined.arrivals() == "0>0 0>1");
}

TEST_CASE("a value that combines two others is not tracked as a copy of either") {
    for (const char* store :
         {"selp.b32 %r2, %r1, %r3, %p1; st.global.u32 [%rd2], %r2;",
          "@%p1 mov.u32 %r1, 0; st.global.u32 [%rd2], %r1;",
          "and.b32 %r2, %r1, %r3; st.global.u32 [%rd2], %r2;",
          "mov.u32 %r3, %tid.x; or.b32 %r2, %r1, %r3; st.global.u32 [%rd2], %r2;",
          "shl.b32 %r2, %r1, 4; st.global.u32 [%rd2], %r2;",
          "mov.u32 %r2, %r3; mov.u32 %r3, %r2; st.global.u32 [%rd2], %r3;"}) {
        CAPTURE(store);
        const Analysed a(std::string("ld.global.u32 %r1, [%rd1];\n") + store);
        CHECK(a.load().certainly_used_bytes == 0);
        CHECK(a.arrivals(a.bytes.stores.size() - 1).empty());
    }
}

TEST_CASE("bytes are tracked through stores to and loads from local memory") {
    const Analysed a(
        "ld.global.u32 %r1, [%rd1]; st.local.u32 [depot], %r1;\n"
        "ld.local.u32 %r2, [depot]; st.global.u32 [%rd2], %r2;");
    CHECK(a.arrivals(0) == "0>0 1>1 2>2 3>3");
    CHECK(a.arrivals(1) == "0>0 1>1 2>2 3>3");
}

TEST_CASE("rewriting a bit-field in place is not an error") {
    const Analysed a(
        "ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, -8; mov.u32 %r5, %tid.x; and.b32 %r3, %r5, "
        "7;\n"
        "or.b32 %r4, %r2, %r3; st.global.u32 [%rd1], %r4;");
    CHECK(a.load().is_stored_back);
    CHECK_FALSE(is_error(a.load(), 0xf, 4));
    CHECK(a.arrivals() == "1>1 2>2 3>3");  // byte 0 is combined with new bits
    const Analysed constant(
        "ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, -8; or.b32 %r3, %r2, 5;\n"
        "st.global.u32 [%rd1], %r3;");
    CHECK(constant.arrivals() == "1>1 2>2 3>3");
    const Analysed cleared(
        "ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, -8; st.global.u32 [%rd1], %r2;");
    CHECK(cleared.arrivals() == "1>1 2>2 3>3");
    const Analysed elsewhere(
        "ld.global.u32 %r1, [%rd1]; and.b32 %r2, %r1, -8; st.global.u32 [%rd1+4], %r2;");
    CHECK_FALSE(elsewhere.load().is_stored_back);
}

TEST_CASE("loads of members of the same struct are recognized") {
    const Analysed a(
        "add.s64 %rd4, %rd1, 8; mov.u64 %rd5, %rd2;\n"
        "ld.u32 %r1, [%rd1]; ld.u64 %rd6, [%rd4]; ld.u32 %r2, [%rd1+48];\n"
        "st.u64 [%rd5+8], %rd6; st.u32 [%rd2], %r1; st.u32 [%rd2+48], %r2;");
    CHECK(a.load(0).struct_begin == 0);
    CHECK(a.load(0).struct_end == 16);
    CHECK(a.load(1).struct_begin == -8);
    CHECK(a.load(1).struct_end == 8);
    CHECK_FALSE(a.load(2).is_part_of_struct());  // too far away to belong to the struct
    CHECK_FALSE(is_error(a.load(1), 0xff, 8, true));
    CHECK(is_error(a.load(1), 0xff, 8, false));
    CHECK(is_error(a.load(2), 0xf, 4, true));
    // The loads in the transpose of a tile do not belong to a struct.
    const Analysed tile(
        "ld.shared.u32 %r1, [%r9]; ld.shared.u32 %r2, [%r9+4];\n"
        "st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+128], %r2;");
    CHECK_FALSE(tile.load(0).is_part_of_struct());
}

TEST_CASE("a loop that copies elements and advances by their size is recognized") {
    const auto loop = [](const std::string& step) {
        return Analysed(
            "mov.u64 %rd5, 0;\nTOP:\nadd.s64 %rd3, %rd1, %rd5; ld.global.u8 %rs1, [%rd3];\n"
            "add.s64 %rd4, %rd2, %rd5; st.global.u8 [%rd4], %rs1;\nadd.s64 %rd5, %rd5, " +
            step + ";\nsetp.lt.u64 %p1, %rd5, 64;\n@%p1 bra TOP;");
    };
    CHECK(loop("1").load().is_part_of_struct());
    CHECK_FALSE(loop("32").load().is_part_of_struct());
    const Analysed bumped(
        "TOP:\nld.global.v2.u32 {%r1, %r2}, [%rd1]; st.global.v2.u32 [%rd2], {%r1, %r2};\n"
        "add.s64 %rd1, %rd1, 8; add.s64 %rd2, %rd2, 8;\nsetp.lt.u64 %p1, %rd1, 64;\n@%p1 bra TOP;");
    CHECK(bumped.load().is_part_of_struct());
    // This PTX was compiled without optimisation.
    const Analysed copies(
        "mov.u64 %rd9, 0;\nTOP:\nmov.u64 %rd4, %rd9; add.s64 %rd3, %rd1, %rd4; ld.u8 %rs1, "
        "[%rd3];\n"
        "add.s64 %rd6, %rd2, %rd4; st.u8 [%rd6], %rs1; add.s64 %rd5, %rd4, 1;\n"
        "setp.lt.u64 %p1, %rd5, 64; mov.u64 %rd9, %rd5;\n@%p1 bra TOP;");
    CHECK(copies.load().is_part_of_struct());
}

TEST_CASE("multiplied matrices affect the program, but moved matrices do not") {
    const std::string load = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];\n";
    const Analysed moved(load + "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r2, %r1};");
    CHECK(moved.load().certainly_used_bytes == 0);
    CHECK(moved.arrivals() == "4>0 5>1 6>2 7>3 0>4 1>5 2>6 3>7");
    CHECK_FALSE(is_error(moved.load(), 0xffff, 16));  // a row beyond the edge of the matrix
    const Analysed stored(load + "st.global.v2.u32 [%rd2], {%r1, %r2};");
    CHECK(stored.arrivals() == "0>0 1>1 2>2 3>3 4>4 5>5 6>6 7>7");
    const Analysed multiplied(load +
                              "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r5, %r6}, {%r1}, "
                              "{%r7}, {%r8, %r9};");
    CHECK(is_error(multiplied.load(), 0x0001, 16));
}

TEST_CASE("only instructions that are certain to execute affect the program") {
    // A kernel loads a union's words before it branches on the discriminator.
    const Analysed branch(
        "ld.global.u32 %r1, [%rd1]; ld.global.u64 %rd3, [%rd1+8];\n"
        "setp.eq.s32 %p1, %r1, 1;\n@%p1 bra OTHER;\n"
        "setp.eq.s64 %p2, %rd3, 5;\n@%p2 bra OTHER;\nOTHER:");
    CHECK(branch.load(0).certainly_used_bytes == 0xf);
    CHECK(branch.load(1).certainly_used_bytes == 0);
    CHECK_FALSE(is_error(branch.load(1), 0xfe, 8));
    CHECK_FALSE(is_error(branch.load(1), 0xff, 8, true));
    CHECK(is_error(branch.load(1), 0xff, 8, false));
    // A value that is computed but never used does not affect the program.
    const Analysed chosen(
        "ld.global.u8 %rs1, [%rd1]; ld.global.f32 %f1, [%rd1+4]; add.f32 %f2, %f1, 0f3F800000;\n"
        "setp.eq.s16 %p1, %rs1, 0; selp.f32 %f3, 0f00000000, %f2, %p1; st.global.f32 [%rd2], %f3;");
    CHECK(chosen.load(0).certainly_used_bytes == 1);
    CHECK(chosen.load(1).certainly_used_bytes == 0);
    // The jump before the branch is unconditional, so the branch is certain to execute.
    const Analysed jump(
        "ld.global.u64 %rd3, [%rd1];\nbra.uni NEXT;\nNEXT:\nsetp.eq.s64 %p2, %rd3, 5;\n"
        "@%p2 bra OTHER;\nOTHER:");
    CHECK(jump.load().certainly_used_bytes == 0xff);
    // The sum is used only after the loop.
    const Analysed sum(
        "mov.u32 %r2, 0;\nTOP:\nld.global.u32 %r1, [%rd1]; add.s32 %r2, %r2, %r1;\n"
        "add.s64 %rd1, %rd1, 4; setp.lt.u64 %p1, %rd1, 64;\n@%p1 bra TOP;\n"
        "st.global.u32 [%rd2], %r2;");
    CHECK(sum.load().certainly_used_bytes == 0xf);
}

TEST_CASE("the analysis terminates for long chains and cycles") {
    std::string chain = "ld.global.u64 %rd3, [%rd1];\nmov.b64 %rd4, %rd3;\n";
    for (int k = 0; k < 2000; ++k)
        chain += k % 2 ? "xor.b64 %rd4, %rd5, %rd3;\n" : "xor.b64 %rd5, %rd4, %rd3;\n";
    CHECK(Analysed(chain + "st.global.u64 [%rd2], %rd4;").load().certainly_used_bytes == 0);
    CHECK(Analysed("mov.u64 %rd3, %rd4; mov.u64 %rd4, %rd3; ld.global.u32 %r1, [%rd3];\n"
                   "st.global.u32 [%rd4], %r1;")
              .load()
              .certainly_used_bytes == 0);
}
