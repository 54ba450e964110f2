// Stores one field of records of 32 bytes. The twin stores into an array of this field.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;
struct Particle {
    u32 x, y, z, mass, vx, vy, vz, id;
};

__global__ void store_field(Particle* particles, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 mass = in[i];
    particles[i].mass = mass;  // lint uncoalesced-store
}

__global__ void store_array(u32* masses, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    masses[i] = in[i];
}

void run(const Buffers& b) {
    store_field<<<blocks_for(b.elements, kBlock), kBlock>>>(reinterpret_cast<Particle*>(b.out),
                                                            b.in);
}
void run_twin(const Buffers& b) {
    store_array<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"structures_store", 1l << 26, 1l << 21, 1, 8, run, run_twin}};

}  // namespace
