// Loads one field of records of 32 bytes. The twin loads an array that holds only this field.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;
struct Particle {
    u32 x, y, z, mass, vx, vy, vz, id;
};

__global__ void load_field(u32* out, const Particle* particles) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 mass = particles[i].mass;  // lint uncoalesced-load
    out[i] = mass + 1;
}

__global__ void load_array(u32* out, const u32* masses) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = masses[i] + 1;
}

__global__ void fill_masses(u32* in, long n, int stride, int first) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i * stride + first] = hash(i);
}

void run(const Buffers& b) {
    load_field<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out,
                                                           reinterpret_cast<const Particle*>(b.in));
}
void run_twin(const Buffers& b) {
    load_array<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void fill(const Buffers& b, bool is_twin) {
    fill_masses<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, b.elements, is_twin ? 1 : 8,
                                                            is_twin ? 0 : 3);
}

const Register registration{{"structures_load", 1l << 26, 1l << 21, 8, 1, run, run_twin, fill}};

}  // namespace
