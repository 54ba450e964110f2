// Tests cluster instructions and related instructions that are not simulated. The launch must fail
// with an error that names the instruction, and must not write results.
// simulator only
// expect: multimem.ld_reduce: cudaErrorUnsupportedPtxVersion
// expect: multimem.red: cudaErrorUnsupportedPtxVersion
// expect: multimem.st: cudaErrorUnsupportedPtxVersion
// expect: a reducing copy to another block: cudaErrorUnsupportedPtxVersion
// expect: a reducing copy to global memory: cudaErrorUnsupportedPtxVersion
// expect: a reducing copy of a tensor: cudaErrorUnsupportedPtxVersion
// expect: im2col: cudaErrorUnsupportedPtxVersion
// expect: tile::gather4: cudaErrorUnsupportedPtxVersion
// expect: cta_group::2: cudaErrorUnsupportedPtxVersion
// expect: tensors between blocks: cudaErrorUnsupportedPtxVersion
// expect: a copy of some bytes alone: cudaErrorUnsupportedPtxVersion
// expect: clusterlaunchcontrol: cudaErrorUnsupportedPtxVersion
// expect: st.bulk: cudaErrorUnsupportedPtxVersion
// expect: st.async to global memory: cudaErrorUnsupportedPtxVersion
// expect: red.async to global memory: cudaErrorUnsupportedPtxVersion
// expect: st.async of 16 bits: cudaErrorUnsupportedPtxVersion
// expect: red.async of 64-bit maxima: cudaErrorUnsupportedPtxVersion
// expect: a fence for tensor maps: cudaErrorUnsupportedPtxVersion
// expect: tensormap.replace: cudaErrorUnsupportedPtxVersion
// expect: a cluster barrier with a number: cudaErrorUnsupportedPtxVersion
// expect: wgmma: cudaErrorUnsupportedPtxVersion
// expect: extents as a vector: cudaErrorUnsupportedPtxVersion
// expect: places as a vector: cudaErrorUnsupportedPtxVersion
// expect: what is simulated: cudaSuccess
// expect-stderr: multimem.ld_reduce
// expect-exit: 2
#include <dlfcn.h>

#include "cluster_ptx.h"

/// Resets the context for the next case, because an unsupported instruction invalidates it.
static void fix() {
    reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "coalesceClearError"))();
}

static void refused(const char* name, const std::string& instruction) {
    unsigned host[64];
    result(name,
           run_cluster_case({"cvt.u64.u32 %d1, %r7; cvta.shared.u64 %d1, %d1; mov.u32 %r9, 1;\n"
                             "@%p1 " +
                             instruction},
                            host));
    fix();
}

int main() {
    refused("multimem.ld_reduce", "multimem.ld_reduce.relaxed.gpu.global.add.u32 %r9, [%d1];");
    refused("multimem.red", "multimem.red.relaxed.gpu.global.add.u32 [%d1], %r8;");
    refused("multimem.st", "multimem.st.relaxed.gpu.global.u32 [%d1], %r8;");
    refused("a reducing copy to another block",
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
            "[%r11], "
            "[%r7], 16, [%r12];");
    refused("a reducing copy to global memory",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d1], [%r7], 16;");
    refused("a reducing copy of a tensor",
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, "
            "%r1}], [%r7];");
    refused("im2col",
            "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
            "[%r11], "
            "[%d1, {%r1, %r1, %r1}], [%r12], {%h1};");
    refused("tile::gather4",
            "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
            "[%r7], "
            "[%d1, {%r1, %r1, %r1, %r1, %r1}], [%r10];");
    refused("cta_group::2",
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group:"
            ":2 [%r11], "
            "[%d1, {%r1, %r1}], [%r12];");
    refused(
        "tensors between blocks",
        "cp.async.bulk.tensor.2d.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], "
        "[%d1, {%r1, %r1}], [%r12];");
    refused("a copy of some bytes alone",
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1], [%r7], 16, %h1;");
    refused("clusterlaunchcontrol",
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
            "[%r7], [%r10];");
    refused("st.bulk", "st.bulk.weak.shared::cta [%d1], 64, 0;");
    refused("st.async to global memory", "st.async.mmio.release.sys.global.u32 [%d1], %r8;");
    refused("red.async to global memory", "red.async.mmio.release.sys.global.add.u32 [%d1], %r8;");
    refused("st.async of 16 bits",
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b16 [%r11], %h1, [%r12];");
    refused("red.async of 64-bit maxima",
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u64 "
            "[%r11], %d1, [%r12];");
    refused("a fence for tensor maps", "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;");
    refused("tensormap.replace",
            "tensormap.replace.tile.global_address.global.b1024.b64 [%d1], %d1;");
    refused("a cluster barrier with a number", "barrier.cluster.arrive 1;");
    refused("wgmma", "wgmma.fence.sync.aligned;");
    refused("extents as a vector", "mov.v4.u32 {%r20, %r21, %r22, %r23}, %cluster_nctaid;");
    refused("places as a vector", "mov.v4.u32 {%r20, %r21, %r22, %r23}, %cluster_ctaid;");
    unsigned host[64];
    result("what is simulated", run_cluster_case({"mov.u32 %r9, 1;"}, host));
}
