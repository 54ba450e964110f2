// Tests every row of the tables of intrinsics. Each test case calls the intrinsic and compares its
// result. A row without a case is an error.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <set>
#include <span>

#include "page/ir_to_ptx/intrinsics.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

u64 bits(float value) {
    return std::bit_cast<u32>(value);
}
u64 bits(double value) {
    return std::bit_cast<u64>(value);
}

/// IR that defines the values that cases use: in[0], in[1] and in[2] as integers, floats and
/// doubles, the thread's index, and pointers to memory.
constexpr const char* kBefore = R"(
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pair = lshr i32 %t, 1
  %odd = trunc i32 %t to i1
  %A = load i64, ptr %in, align 8
  %inB = getelementptr i64, ptr %in, i64 1
  %B = load i64, ptr %inB, align 8
  %inC = getelementptr i64, ptr %in, i64 2
  %C = load i64, ptr %inC, align 8
  %a = trunc i64 %A to i32
  %b = trunc i64 %B to i32
  %c = trunc i64 %C to i32
  %x = bitcast i32 %a to float
  %y = bitcast i32 %b to float
  %z = bitcast i32 %c to float
  %X = bitcast i64 %A to double
  %Y = bitcast i64 %B to double
  %Z = bitcast i64 %C to double
  %global = addrspacecast ptr %in to ptr addrspace(1)
  %shared = addrspacecast ptr addrspace(3) @shared to ptr
)";

/// Returns IR that converts %r from `type` to 64 bits.
std::string stored(const std::string& type) {
    if (type == "i64") return "  %r64 = add i64 %r, 0\n";
    if (type == "double") return "  %r64 = bitcast double %r to i64\n";
    if (type == "ptr") return "  %r64 = ptrtoint ptr %r to i64\n";
    if (type == "float") return "  %r32 = bitcast float %r to i32\n  %r64 = zext i32 %r32 to i64\n";
    return "  %r64 = zext " + type + " %r to i64\n";
}

struct Case {
    std::string type;  ///< the type of %r, which `body` computes
    /// IR that computes %r, for example "%r = call i32 @llvm.abs.i32(i32 %a, i1 false)".
    std::string body;
    std::vector<u64> input;
    u64 expected;  ///< the result in lane 5 of a warp, or in a single thread
    unsigned threads = 1;
};

/// Returns a declaration for each intrinsic that the body calls, with the argument types of that
/// call.
std::string declared(const std::string& body, std::set<std::string>& known) {
    std::string text;
    for (std::size_t at = body.find("call "); at != body.npos; at = body.find("call ", at + 1)) {
        const std::size_t name = body.find('@', at), open = body.find('(', name),
                          close = body.find(")\n", open);
        if (!known.insert(body.substr(name, open - name)).second) continue;
        text +=
            "declare " + body.substr(at + 5, name - at - 5) + body.substr(name, open - name) + "(";
        std::string arguments = body.substr(open + 1, close - open - 1);
        for (std::size_t begin = 0; begin < arguments.size();) {
            const std::size_t end = std::min(arguments.find(", ", begin), arguments.size());
            const std::string argument = arguments.substr(begin, end - begin);
            const bool is_note = argument.starts_with("metadata ");
            text += (begin ? ", " : "") +
                    (is_note ? "metadata" : argument.substr(0, argument.rfind(' ')));
            begin = end + 2;
        }
        text += ")\n";
    }
    return text;
}

std::string text_of(const Case& one) {
    const std::string body = kBefore + one.body + "\n" + stored(one.type) +
                             "  %at = getelementptr i64, ptr %out, i32 %t\n"
                             "  store i64 %r64, ptr %at, align 8\n  ret void";
    std::set<std::string> known;
    return kernel(body, "@shared = internal addrspace(3) global [8 x i64] undef, align 16\n" +
                            declared(body, known)) +
           "!0 = !{}\n";
}

const Case kIntegerIntrinsics[] = {
    {"i32", "%r = call i32 @llvm.smin.i32(i32 %a, i32 %b)", {u64(-3), 2}, 0xFFFFFFFD},
    {"i32", "%r = call i32 @llvm.smax.i32(i32 %a, i32 %b)", {u64(-3), 2}, 2},
    {"i32", "%r = call i32 @llvm.umin.i32(i32 %a, i32 %b)", {u64(-3), 2}, 2},
    {"i64", "%r = call i64 @llvm.umax.i64(i64 %A, i64 %B)", {u64(-3), 2}, u64(-3)},
    {"i32", "%r = call i32 @llvm.abs.i32(i32 %a, i1 false)", {u64(-3)}, 3},
    {"i64", "%r = call i64 @llvm.ctpop.i64(i64 %A)", {0xF00F000000000001}, 9},
    {"i32", "%r = call i32 @llvm.ctlz.i32(i32 %a, i1 false)", {0x00F0}, 24},
    {"i32", "%r = call i32 @llvm.cttz.i32(i32 %a, i1 false)", {0x00F0}, 4},
    {"i32", "%r = call i32 @llvm.bitreverse.i32(i32 %a)", {1}, 0x80000000},
    {"i32", "%r = call i32 @llvm.bswap.i32(i32 %a)", {0x01020304}, 0x04030201},
    {"i32", "%r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %c)", {1, 0x80000000, 1}, 3},
    {"i32", "%r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %c)", {1, 4, 1}, 0x80000002},
    {"i1",
     "%q = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)\n"
     "%r = extractvalue { i32, i1 } %q, 1",
     {0xFFFFFFFF, 1},
     1},
    {"i1",
     "%q = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)\n"
     "%r = extractvalue { i32, i1 } %q, 1",
     {0xFFFFFFFF, 1},
     0},
    {"i32",
     "%q = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %a, i32 %b)\n"
     "%r = extractvalue { i32, i1 } %q, 0",
     {7, 9},
     0xFFFFFFFE},
    {"i1",
     "%q = call { i32, i1 } @llvm.ssub.with.overflow.i32(i32 %a, i32 %b)\n"
     "%r = extractvalue { i32, i1 } %q, 1",
     {0x80000000, 1},
     1},
    {"i1",
     "%q = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %A, i64 %B)\n"
     "%r = extractvalue { i64, i1 } %q, 1",
     {1ull << 32, 1ull << 32},
     1},
    {"i64",
     "%q = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %A, i64 %B)\n"
     "%r = extractvalue { i64, i1 } %q, 0",
     {u64(-5), 6},
     u64(-30)},
    {"i32", "%r = call i32 @llvm.uadd.sat.i32(i32 %a, i32 %b)", {0xFFFFFFF0, 0x20}, 0xFFFFFFFF},
    {"i32", "%r = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)", {5, 9}, 0},
    {"i32", "%r = call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)", {0x7FFFFFFF, 9}, 0x7FFFFFFF},
    {"i32", "%r = call i32 @llvm.ssub.sat.i32(i32 %a, i32 %b)", {0x80000001, 9}, 0x80000000},
    {"i32", "%r = call i32 @llvm.scmp.i32.i32(i32 %a, i32 %b)", {u64(-3), 2}, 0xFFFFFFFF},
    {"i32", "%r = call i32 @llvm.ucmp.i32.i32(i32 %a, i32 %b)", {u64(-3), 2}, 1},
    {"i32", "%r = call i32 @llvm.expect.i32(i32 %a, i32 5)", {7}, 7},
    {"i32", "%r = call i32 @llvm.ssa.copy.i32(i32 %a)", {7}, 7},
    {"i64",
     "%q = call ptr @llvm.launder.invariant.group.p0(ptr %inB)\n%r = load i64, ptr %q, align 8",
     {7, 8},
     8},
    {"i64",
     "%q = call ptr @llvm.strip.invariant.group.p0(ptr %inB)\n%r = load i64, ptr %q, align 8",
     {7, 8},
     8},
    {"i1", "%r = call i1 @llvm.is.constant.i32(i32 %a)", {7}, 0},
    {"i32",
     "call void @llvm.assume(i1 true)\ncall void @llvm.donothing()\n"
     "call void @llvm.sideeffect()\ncall void @llvm.pseudoprobe(i64 1, i64 2, i32 3, i64 4)\n"
     "call void @llvm.experimental.noalias.scope.decl(metadata !0)\n"
     "call void @llvm.dbg.value(metadata i32 %a, metadata !0, metadata !0)\n%r = add i32 %a, 0",
     {7},
     7},
};

const Case kMemoryIntrinsics[] = {
    {"i64",
     "call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %inB, i64 8, i1 false)\n"
     "%r = load i64, ptr %out, align 8",
     {7, 8},
     8},
    {"i64",
     "call void @llvm.memmove.p0.p0.i64(ptr %inB, ptr %in, i64 16, i1 false)\n"
     "%r = load i64, ptr %inC, align 8",
     {7, 8, 9},
     8},
    {"i64",
     "call void @llvm.memset.p0.i64(ptr %in, i8 3, i64 8, i1 false)\n"
     "%r = load i64, ptr %in, align 8",
     {7},
     0x0303030303030303},
    {"i64",
     "%r = call i64 @llvm.objectsize.i64.p0(ptr %in, i1 false, i1 true, i1 false)",
     {},
     ~0ull},
    {"i32",
     "%l = alloca i32, align 4\ncall void @llvm.lifetime.start.p0(ptr %l)\n"
     "store i32 %a, ptr %l, align 4\n%r = load i32, ptr %l, align 4\n"
     "call void @llvm.lifetime.end.p0(ptr %l)\n"
     "call void @llvm.invariant.end.p0(ptr null, i64 4, ptr %in)\n"
     "call void @llvm.prefetch.p0(ptr %in, i32 0, i32 3, i32 1)",
     {7},
     7},
};

const Case kMathIntrinsics[] = {
    {"float",
     "%r = call float @llvm.fma.f32(float %x, float %y, float %z)",
     {bits(2.f), bits(3.f), bits(4.f)},
     bits(10.f)},
    {"double",
     "%r = call double @llvm.fmuladd.f64(double %X, double %Y, double %Z)",
     {bits(2.), bits(3.), bits(4.)},
     bits(10.)},
    {"float", "%r = call float @llvm.fabs.f32(float %x)", {bits(-2.f)}, bits(2.f)},
    {"float",
     "%r = call float @llvm.minnum.f32(float %x, float %y)",
     {0x7FC00000, bits(2.f)},
     bits(2.f)},
    {"float",
     "%r = call float @llvm.maxnum.f32(float %x, float %y)",
     {0x7FC00000, bits(2.f)},
     bits(2.f)},
    {"float",
     "%r = call float @llvm.minimum.f32(float %x, float %y)",
     {0x7FC00000, bits(2.f)},
     0x7FFFFFFF},
    {"float",
     "%r = call float @llvm.maximum.f32(float %x, float %y)",
     {bits(3.f), bits(2.f)},
     bits(3.f)},
    {"float",
     "%r = call float @llvm.minimumnum.f32(float %x, float %y)",
     {0x7FC00000, bits(2.f)},
     bits(2.f)},
    {"float",
     "%r = call float @llvm.maximumnum.f32(float %x, float %y)",
     {bits(3.f), bits(2.f)},
     bits(3.f)},
    {"double", "%r = call double @llvm.sqrt.f64(double %X)", {bits(9.)}, bits(3.)},
    {"float", "%r = call float @llvm.exp2.f32(float %x)", {bits(3.f)}, bits(8.f)},
    {"float", "%r = call float @llvm.log2.f32(float %x)", {bits(8.f)}, bits(3.f)},
    {"float", "%r = call float @llvm.sin.f32(float %x)", {bits(0.f)}, bits(0.f)},
    {"float", "%r = call float @llvm.cos.f32(float %x)", {bits(0.f)}, bits(1.f)},
    {"float", "%r = call float @llvm.floor.f32(float %x)", {bits(-1.5f)}, bits(-2.f)},
    {"float", "%r = call float @llvm.ceil.f32(float %x)", {bits(-1.5f)}, bits(-1.f)},
    {"float", "%r = call float @llvm.trunc.f32(float %x)", {bits(-1.75f)}, bits(-1.f)},
    {"float", "%r = call float @llvm.rint.f32(float %x)", {bits(2.5f)}, bits(2.f)},
    {"float", "%r = call float @llvm.nearbyint.f32(float %x)", {bits(3.5f)}, bits(4.f)},
    {"double", "%r = call double @llvm.roundeven.f64(double %X)", {bits(2.5)}, bits(2.)},
    {"double", "%r = call double @llvm.round.f64(double %X)", {bits(2.5)}, bits(3.)},
    {"float",
     "%r = call float @llvm.copysign.f32(float %x, float %y)",
     {bits(2.f), bits(-3.f)},
     bits(-2.f)},
    {"float", "%r = call float @llvm.canonicalize.f32(float %x)", {bits(2.f)}, bits(2.f)},
    {"i32", "%r = call i32 @llvm.fptosi.sat.i32.f32(float %x)", {bits(-3e10f)}, 0x80000000},
    {"i32", "%r = call i32 @llvm.fptoui.sat.i32.f32(float %x)", {bits(-3.f)}, 0},
    {"i1", "%r = call i1 @llvm.is.fpclass.f32(float %x, i32 516)", {0xFF800000}, 1},
    {"float", "%r = call float @llvm.nvvm.sqrt.f(float %x)", {bits(9.f)}, bits(3.f)},
    {"float", "%r = call float @llvm.nvvm.saturate.f(float %x)", {bits(9.f)}, bits(1.f)},
    {"i32", "%r = call i32 @llvm.nvvm.d2i.lo(double %X)", {0x0123456789ABCDEF}, 0x89ABCDEF},
    {"i32", "%r = call i32 @llvm.nvvm.d2i.hi(double %X)", {0x0123456789ABCDEF}, 0x01234567},
    {"double", "%r = call double @llvm.nvvm.lohi.i2d(i32 %a, i32 %b)", {5, 6}, 0x600000005},
    {"i32", "%r = call i32 @llvm.nvvm.bitcast.f2i(float %x)", {bits(9.f)}, bits(9.f)},
    {"float",
     "%r = call float @llvm.nvvm.add.rn.f(float %x, float %y)",
     {bits(1.f), bits(2.f)},
     bits(3.f)},
    {"double",
     "%r = call double @llvm.nvvm.mul.rz.d(double %X, double %Y)",
     {bits(3.), bits(2.)},
     bits(6.)},
    {"float",
     "%r = call float @llvm.nvvm.fma.rn.ftz.f(float %x, float %y, float %z)",
     {bits(2.f), bits(3.f), bits(4.f)},
     bits(10.f)},
    {"float",
     "%r = call float @llvm.nvvm.div.rn.f(float %x, float %y)",
     {bits(6.f), bits(2.f)},
     bits(3.f)},
    {"double", "%r = call double @llvm.nvvm.rcp.rn.d(double %X)", {bits(4.)}, bits(.25)},
    {"float", "%r = call float @llvm.nvvm.sqrt.rn.f(float %x)", {bits(9.f)}, bits(3.f)},
    {"float", "%r = call float @llvm.nvvm.rsqrt.approx.f(float %x)", {bits(4.f)}, bits(.5f)},
    {"float", "%r = call float @llvm.nvvm.ex2.approx.f(float %x)", {bits(3.f)}, bits(8.f)},
    {"float", "%r = call float @llvm.nvvm.lg2.approx.f(float %x)", {bits(8.f)}, bits(3.f)},
    {"float", "%r = call float @llvm.nvvm.sin.approx.f(float %x)", {bits(0.f)}, bits(0.f)},
    {"float", "%r = call float @llvm.nvvm.cos.approx.f(float %x)", {bits(0.f)}, bits(1.f)},
    {"float", "%r = call float @llvm.nvvm.tanh.approx.f32(float %x)", {bits(0.f)}, bits(0.f)},
    {"float", "%r = call float @llvm.nvvm.fabs.f32(float %x)", {bits(-2.f)}, bits(2.f)},
    {"float",
     "%r = call float @llvm.nvvm.fmin.f(float %x, float %y)",
     {bits(1.f), bits(2.f)},
     bits(1.f)},
    {"double",
     "%r = call double @llvm.nvvm.fmax.d(double %X, double %Y)",
     {bits(1.), bits(2.)},
     bits(2.)},
    {"i32", "%r = call i32 @llvm.nvvm.f2i.rn(float %x)", {bits(-2.5f)}, 0xFFFFFFFE},
    {"i64", "%r = call i64 @llvm.nvvm.f2ull.rz(float %x)", {bits(2.75f)}, 2},
    {"float", "%r = call float @llvm.nvvm.d2f.rn(double %X)", {bits(2.5)}, bits(2.5f)},
    {"float", "%r = call float @llvm.nvvm.i2f.rn(i32 %a)", {u64(-3)}, bits(-3.f)},
    {"double", "%r = call double @llvm.nvvm.ui2d.rn(i32 %a)", {0xFFFFFFFF}, bits(4294967295.)},
    {"float", "%r = call float @llvm.nvvm.ll2f.rn(i64 %A)", {u64(-3)}, bits(-3.f)},
    {"double", "%r = call double @llvm.nvvm.ull2d.rn(i64 %A)", {3}, bits(3.)},
};

/// Cases that all 32 lanes of a warp execute together.
const Case kTogether[] = {
    {"i32", "%r = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()", {}, 32, 32},
    {"i32", "%r = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()", {}, 31, 32},
    {"i32",
     "%r = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %t, i32 2, i32 31)",
     {},
     7,
     32},
    {"i1", "%r = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %odd)", {}, 1, 32},
    {"i1", "%r = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %odd)", {}, 0, 32},
    {"i32", "%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %pair)", {}, 0x30, 32},
    {"i1",
     "%q = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 %A)\n"
     "%r = extractvalue { i32, i1 } %q, 1",
     {7},
     1,
     32},
    {"i32", "%r = call i32 @llvm.nvvm.redux.sync.umax(i32 %t, i32 -1)", {}, 31, 32},
    {"i32", "%r = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 -1)", {}, 496, 32},
    {"i32", "%r = call i32 @llvm.nvvm.activemask()", {}, 0xFFFFFFFF, 32},
    {"i32",
     "%q = call { i32, i1 } @llvm.nvvm.elect.sync(i32 -1)\n%e = extractvalue { i32, i1 } %q, 1\n"
     "%r = zext i1 %e to i32",
     {},
     0,
     32},
    {"i32", "%r = call i32 @llvm.nvvm.barrier0.popc(i32 %t)", {}, 31, 32},
    {"i32", "%r = call i32 @llvm.nvvm.barrier0.and(i32 %t)", {}, 0, 32},
    {"i32", "%r = call i32 @llvm.nvvm.barrier0.or(i32 %t)", {}, 1, 32},
    {"i1", "%r = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %odd)", {}, 1, 32},
    {"i32",
     "%r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.count(i32 1, i32 32, i1 %odd)",
     {},
     16,
     32},
    {"i32",
     "call void @llvm.nvvm.bar.warp.sync(i32 -1)\ncall void @llvm.nvvm.barrier0()\n"
     "call void @llvm.nvvm.barrier.n(i32 1)\ncall void @llvm.nvvm.bar.sync(i32 2)\n"
     "call void @llvm.nvvm.barrier(i32 3, i32 32)\ncall void @llvm.nvvm.barrier.sync(i32 4)\n"
     "call void @llvm.nvvm.barrier.sync.cnt(i32 5, i32 32)\n"
     "call void @llvm.nvvm.barrier.cta.sync.all(i32 6)\n"
     "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 7, i32 32)\n%r = add i32 %t, 0",
     {},
     5,
     32},
    {"i32",
     "call void @llvm.nvvm.barrier.cluster.arrive.aligned()\n"
     "call void @llvm.nvvm.barrier.cluster.wait.aligned()\n%r = add i32 %t, 0",
     {},
     5,
     32},
    // The first of the two warps arrives at the barrier, but does not wait.
    {"i32",
     "%w = lshr i32 %t, 5\n%first = icmp eq i32 %w, 0\n"
     "br i1 %first, label %one, label %two\none:\n"
     "call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)\nbr label %on\ntwo:\n"
     "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)\nbr label %on\non:\n"
     "%r = add i32 %t, 0",
     {},
     5,
     64},
};

const Case kGpu[] = {
    {"i32",
     "call void @llvm.nvvm.membar.gl()\ncall void @llvm.nvvm.fence.sc.cluster()\n"
     "call void @llvm.nvvm.nanosleep(i32 10)\n"
     "call void @llvm.nvvm.prefetch.L1(ptr %in)\n%r = add i32 %a, 0",
     {7},
     7},
    // The kernel continues, because no debugger is attached.
    {"i32", "call void @llvm.debugtrap()\n%r = add i32 %a, 0", {7}, 7},
    {"i32", "call void @llvm.nvvm.exit()\n%r = add i32 %a, 0", {7}, 0},
    {"i1", "%r = call i1 @llvm.nvvm.isspacep.shared(ptr %shared)", {}, 1},
    {"i1", "%r = call i1 @llvm.nvvm.isspacep.shared(ptr %in)", {}, 0},
    {"i32", "%r = call i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr %inB, i32 4)", {7, 8}, 8},
    {"i32", "%r = call i32 @llvm.nvvm.ldu.global.i.i32.p0(ptr %inB, i32 4)", {7, 8}, 8},
    {"i64",
     "call void @llvm.nvvm.cp.async.ca.shared.global.8(ptr addrspace(3) @shared, ptr addrspace(1) "
     "%global)\ncall void @llvm.nvvm.cp.async.commit.group()\n"
     "call void @llvm.nvvm.cp.async.wait.group(i32 0)\n%r = load i64, ptr addrspace(3) @shared, "
     "align 8",
     {7},
     7},
    {"i64",
     "call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) @shared, ptr "
     "addrspace(1) %global)\ncall void @llvm.nvvm.cp.async.wait.all()\n"
     "%q = getelementptr i64, ptr %shared, i64 1\n%r = load i64, ptr %q, align 8",
     {7, 8},
     8},
    {"i32",
     "call void @llvm.nvvm.cp.async.bulk.commit.group()\n"
     "call void @llvm.nvvm.cp.async.bulk.wait.group(i32 0)\n"
     "call void @llvm.nvvm.cp.async.bulk.wait.group.read(i32 0)\n%r = add i32 %a, 0",
     {7},
     7},
    {"i1",
     "call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @shared, i32 1)\n"
     "%s = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @shared)\n"
     "%r = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @shared, i64 %s)\n"
     "call void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3) @shared)",
     {},
     1},
    {"i1",
     "call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) @shared, i32 2)\n"
     "%s = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) @shared)\n"
     "%o = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @shared, i64 %s)\n"
     "call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) @shared)\n"
     "%n = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) @shared, i64 %s)\n"
     "%no = xor i1 %o, true\n%r = and i1 %n, %no",
     {},
     1},
    {"i32",
     "%o = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr %in, i32 9)\n"
     "%q = call i32 @llvm.nvvm.atomic.add.gen.i.cta.i32.p0(ptr %in, i32 5)\n"
     "%v = load i32, ptr %in, align 4\n%s = add i32 %o, %q\n%r = add i32 %s, %v",
     {7},
     7 + 8 + 13},
    {"i32",
     "store i32 %a, ptr addrspace(3) @shared, align 4\n"
     "%g = call ptr @llvm.nvvm.ptr.shared.to.gen.p0.p3(ptr addrspace(3) @shared)\n"
     "%r = load i32, ptr %g, align 4",
     {7},
     7},
    {"i32",
     "%r = call i32 @llvm.nvvm.prmt(i32 %a, i32 %b, i32 %c)",
     {0x33221100, 0x77665544, 0x7410},
     0x77441100},
    {"i32", "%r = call i32 @llvm.nvvm.mulhi.i(i32 %a, i32 %b)", {u64(-2), 3}, 0xFFFFFFFF},
    {"i64", "%r = call i64 @llvm.nvvm.mulhi.ull(i64 %A, i64 %B)", {1ull << 63, 6}, 3},
    {"i32", "%r = call i32 @llvm.nvvm.mul24.ui(i32 %a, i32 %b)", {0xFF000003, 5}, 15},
    {"i32", "%r = call i32 @llvm.nvvm.sad.i(i32 %a, i32 %b, i32 %c)", {u64(-3), 4, 10}, 17},
};

void check(std::span<const Case> cases) {
    for (const Case& one : cases) {
        CAPTURE(one.body);
        const std::size_t lane = one.threads > 1 ? 5 : 0;
        CHECK(
            run(text_of(one), one.input, {.threads = one.threads, .words = one.threads}).at(lane) ==
            one.expected);
    }
}

bool has_case(std::string_view row) {
    const bool is_open = row.ends_with('*');
    if (is_open) row.remove_suffix(1);
    const std::string called = "@llvm." + std::string(row) + (is_open ? "" : "(");
    const auto calls = [&](const Case& one) { return one.body.find(called) != std::string::npos; };
    // These intrinsics end the kernel, and are covered by a test case below.
    if (row == "trap" || row == "ubsantrap") return true;
    for (const std::span<const Case> cases : std::initializer_list<std::span<const Case>>{
             kIntegerIntrinsics, kMemoryIntrinsics, kMathIntrinsics, kTogether, kGpu}) {
        if (std::any_of(cases.begin(), cases.end(), calls)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("integer intrinsics and optimizer hints have the expected results") {
    check(kIntegerIntrinsics);
}
TEST_CASE("memory intrinsics have the expected results") {
    check(kMemoryIntrinsics);
}
TEST_CASE("floating-point intrinsics have the expected results") {
    check(kMathIntrinsics);
}
TEST_CASE("intrinsics for lanes and warps have the expected results") {
    check(kTogether);
}
TEST_CASE("all other intrinsics of the GPU have the expected results") {
    check(kGpu);
}

TEST_CASE("intrinsics that end a kernel do end it") {
    for (const std::string call : {"call void @llvm.trap()", "call void @llvm.ubsantrap(i8 1)"}) {
        CAPTURE(call);
        CHECK_THROWS(run(text_of({"i32", call + "\n%r = add i32 %a, 0", {7}, 7})));
    }
}

TEST_CASE("each row of the tables has a case") {
    std::size_t rows = 0;
    for (const auto table :
         {integer_intrinsics(), memory_intrinsics(), math_intrinsics(), gpu_intrinsics()}) {
        for (const Intrinsic& row : table) {
            CAPTURE(row.name);
            CHECK(has_case(row.name));
            ++rows;
        }
    }
    CHECK(rows > 100);
    CHECK_FALSE(has_case("nvvm.of.no.case"));
}
