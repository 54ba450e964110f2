// Tests forms of cluster instructions that compilers rarely emit. Each line of output shows results
// of threads 1 and 31 of both blocks. cluster_ptx.h contains the code that all kernels share.
// expect: mapa of a variable and a number: 101 131 1 31
// expect: mapa of 32 bits: 101 131 1 31
// expect: mapa of 64 bits, generic: 101 131 1 31
// expect: mapa of 64 bits, shared: 101 131 1 31
// expect: an offset behind mapa: 101 131 1 31
// expect: getctarank of 32 bits: 1 1 0 0
// expect: getctarank of 64 bits, generic: 1 1 0 0
// expect: cvta.shared::cluster and back: 101 131 1 31
// expect: isspacep: 10 10 10 10
// expect: is_explicit_cluster: 1 1 1 1
// expect: loads of 16 bytes: 106 134 6 34
// expect: stores of 8 bytes: 1100 1115 1000 1015
// expect: relaxed, acquire and release: 701 731 601 631
// expect: volatile: 101 131 1 31
// expect: atomics with scopes: 32 32 132 132
// expect: red with scopes: 1131 1131 1031 1031
// expect: a guarded remote load: 101 7 1 7
// expect: barriers, aligned and relaxed: 101 131 1 31
// expect: fences: 101 131 1 31
// expect: griddepcontrol: 5 5 5 5
// expect: elect.sync: 1 0 1 0
// expect: a remote arrival with a count: 32 32 32 32
// expect: a remote arrival that announces bytes: 101 131 1 31
// expect: bytes announced and brought: 7 7 7 7
// expect: a remote arrival that drops out: 9 9 9 9
// expect: waiting with a scope and a time: 3 3 3 3
// expect: st.async.weak of pairs: 300 315 200 215
// expect: a bulk copy of 16 bytes: 128 31 28 31
// expect: .reqnctapercluster: 2 2 2 2
// expect: .maxclusterrank: 2 2 2 2
#include "cluster_ptx.h"

/// Returns PTX that waits for the block's mbarrier to complete the phase with the given parity.
static std::string wait(int parity, const std::string& how = "", const std::string& time = "") {
    const std::string label = "W" + std::to_string(parity);
    return label + ": mbarrier.try_wait.parity" + how + ".shared::cta.b64 %p7, [%r10], " +
           std::to_string(parity) + time + ";\n@!%p7 bra " + label + ";\n";
}

static void show(const char* name, const ClusterCase& c) {
    unsigned host[64];
    const cudaError_t error = run_cluster_case(c, host);
    if (error == cudaSuccess)
        std::printf("%s: %u %u %u %u\n", name, host[1], host[31], host[33], host[63]);
    else
        result(name, error);
}

static void addresses() {
    show("mapa of a variable and a number",
         {"mapa.shared::cluster.u32 %r20, box, 0; mapa.shared::cluster.u32 %r21, box, 1;\n"
          "setp.eq.u32 %p2, %r3, 0; selp.u32 %r20, %r21, %r20, %p2;\n"
          "add.u32 %r20, %r20, %r5; ld.shared::cluster.u32 %r9, [%r20];"});
    show("mapa of 32 bits",
         {"mapa.shared::cluster.u32 %r20, %r7, %r4; ld.shared::cluster.u32 %r9, [%r20];"});
    show("mapa of 64 bits, generic", {"cvt.u64.u32 %d1, %r7; cvta.shared.u64 %d2, %d1; mapa.u64 "
                                      "%d3, %d2, %r4; ld.u32 %r9, [%d3];"});
    show("mapa of 64 bits, shared",
         {"cvt.u64.u32 %d1, %r7; mapa.shared::cluster.u64 %d2, %d1, %r4;\n"
          "ld.shared::cluster.u32 %r9, [%d2];"});
    show("an offset behind mapa", {"mapa.shared::cluster.u32 %r20, %r6, %r4; add.u32 %r20, %r20, "
                                   "%r5; sub.u32 %r20, %r20, 16;\n"
                                   "ld.shared::cluster.u32 %r9, [%r20+16];"});
    show("getctarank of 32 bits", {"getctarank.shared::cluster.u32 %r9, %r11;"});
    show("getctarank of 64 bits, generic",
         {"cvt.u64.u32 %d1, %r7; cvta.shared.u64 %d2, %d1; mapa.u64 %d3, %d2, %r4;\n"
          "getctarank.u64 %r9, %d3;"});
    show("cvta.shared::cluster and back",
         {"cvt.u64.u32 %d1, %r11; cvta.shared::cluster.u64 %d2, %d1; cvta.to.shared::cluster.u64 "
          "%d3, %d2;\n"
          "ld.shared::cluster.u32 %r9, [%d3]; ld.u32 %r20, [%d2]; sub.u32 %r20, %r20, %r9;\n"
          "add.u32 %r9, %r9, %r20;"});
    show("isspacep",
         {"cvt.u64.u32 %d1, %r11; cvta.shared::cluster.u64 %d2, %d1; isspacep.shared::cluster %p2, "
          "%d2;\n"
          "isspacep.shared::cta %p3, %d2; selp.u32 %r20, 10, 0, %p2; selp.u32 %r21, 1, 0, %p3;\n"
          "add.u32 %r9, %r20, %r21;"});
}

static void registers() {
    show("is_explicit_cluster", {"mov.pred %p2, %is_explicit_cluster; selp.u32 %r9, 1, 0, %p2;"});
}

static void accesses() {
    show("loads of 16 bytes",
         {"and.b32 %r20, %r5, 112; mapa.shared::cluster.u32 %r21, %r6, %r4; add.u32 %r21, %r21, "
          "%r20;\n"
          "ld.shared::cluster.v4.u32 {%r22, %r23, %r24, %r25}, [%r21];\n"
          "sub.u32 %r23, %r23, %r22; sub.u32 %r24, %r24, %r22; sub.u32 %r25, %r25, %r22;\n"
          "add.u32 %r23, %r23, %r24; add.u32 %r23, %r23, %r25; add.u32 %r9, %r22, %r23;"});
    show(
        "stores of 8 bytes",
        {"shl.b32 %r20, %r1, 3; and.b32 %r20, %r20, 120; mapa.shared::cluster.u32 %r21, %r6, %r4;\n"
         "add.u32 %r21, %r21, %r20; setp.lt.u32 %p2, %r1, 16; mad.lo.u32 %r22, %r2, 100, 1000;\n"
         "shr.u32 %r23, %r20, 3; add.u32 %r23, %r23, %r22;\n"
         "@%p2 st.shared::cluster.v2.u32 [%r21], {%r23, %r23};\n"
         "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r9, [%r7];"});
    show("relaxed, acquire and release",
         {"ld.relaxed.cluster.shared::cluster.u32 %r20, [%r11];\n"
          "barrier.cluster.arrive; barrier.cluster.wait; add.u32 %r20, %r20, 600;\n"
          "st.release.cluster.shared::cta.u32 [%r7], %r20; ld.acquire.cluster.shared::cta.u32 %r9, "
          "[%r7];"});
    show("volatile", {"ld.volatile.shared::cluster.u32 %r9, [%r11];"});
    show("atomics with scopes",
         {"mapa.shared::cluster.u32 %r20, %r6, %r4;\n"
          "atom.acq_rel.cluster.shared::cluster.add.u32 %r21, [%r20], 1;\n"
          "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r9, [%r6];"});
    show("red with scopes",
         {"mapa.shared::cluster.u32 %r20, %r6, %r4; add.u32 %r21, %r8, 1000;\n"
          "red.relaxed.cluster.shared::cluster.max.u32 [%r20], %r21;\n"
          "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r9, [%r6];"});
    show("a guarded remote load",
         {"mov.u32 %r9, 7; setp.lt.u32 %p2, %r1, 31; @%p2 ld.shared::cluster.u32 %r9, [%r11];"});
}

static void barriers() {
    show("barriers, aligned and relaxed",
         {"barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n"
          "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
          "ld.shared::cluster.u32 %r9, [%r11];"});
    show("fences",
         {"fence.acq_rel.cluster; fence.sc.cluster; fence.proxy.async; "
          "fence.proxy.async.shared::cluster;\n"
          "fence.mbarrier_init.release.cluster; membar.gl; ld.shared::cluster.u32 %r9, [%r11];"});
    show("griddepcontrol",
         {"griddepcontrol.launch_dependents; griddepcontrol.wait; mov.u32 %r9, 5;"});
    show("elect.sync", {"mov.u32 %r9, 0; @%p1 bra E; elect.sync %r20|%p2, 0xfffffffe; selp.u32 "
                        "%r9, 1, 0, %p2; E:"});
}

static void mbarriers() {
    show("a remote arrival with a count",
         {"@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12], 32;\n" + wait(0) +
              "mov.u32 %r9, 32;",
          32});
    const std::string announce =
        "@%p1 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r12], 128;\n";
    show("a remote arrival that announces bytes",
         {announce +
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r8, [%r12];\n" +
          wait(0) + "ld.shared.u32 %r9, [%r7];"});
    show("bytes announced and brought",
         {"@%p1 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r12], 8;\n"
          "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n"
          "@%p1 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r12], 8;\n" +
          wait(0) + "mov.u32 %r9, 7;"});
    show("a remote arrival that drops out",
         {"@%p1 mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r12];\n"
          "@%p1 mbarrier.arrive.shared::cta.b64 %d4, [%r10];\n" +
              wait(0) + "@%p1 mbarrier.arrive.shared::cta.b64 %d4, [%r10];\n" + wait(1) +
              "mov.u32 %r9, 9;",
          2});
    show("waiting with a scope and a time",
         {"@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r12];\n" +
          wait(0, ".acquire.cluster", ", 1000") + "mov.u32 %r9, 3;"});
    show("st.async.weak of pairs",
         {"shl.b32 %r20, %r1, 3; mapa.shared::cluster.u32 %r21, %r6, %r4; add.u32 %r21, %r21, "
          "%r20;\n"
          "setp.lt.u32 %p2, %r1, 16; add.u32 %r22, %r8, 200;\n" +
          announce +
          "@%p2 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r21], {%r22, "
          "%r22}, "
          "[%r12];\n" +
          wait(0) + "ld.shared.u32 %r9, [%r7];"});
    show("a bulk copy of 16 bytes",
         {"@%p1 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r12], 16;\n"
          "add.u32 %r20, %r6, 112; mapa.shared::cluster.u32 %r21, %r6, %r4; fence.proxy.async;\n"
          "barrier.cluster.arrive; barrier.cluster.wait;\n"
          "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r21], "
          "[%r20], 16, "
          "[%r12];\n" +
          wait(0) +
          "ld.shared.u32 %r9, [%r7]; setp.eq.u32 %p2, %r1, 1; @%p2 add.u32 %r9, %r9, -1;\n"
          "setp.eq.u32 %p2, %r1, 31; @%p2 mov.u32 %r9, %r1;"});
}

static void directives() {
    const std::string size = "mov.u32 %r9, %cluster_nctarank;";
    show(".reqnctapercluster", {size, 1, false, ".explicitcluster .reqnctapercluster 2, 1, 1"});
    show(".maxclusterrank", {size, 1, true, ".maxclusterrank 2"});
}

int main() {
    addresses();
    registers();
    accesses();
    barriers();
    mbarriers();
    directives();
}
