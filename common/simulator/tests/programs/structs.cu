// Tests structs as kernel parameters and in memory, with padding, unions and bit fields.
// expect: a struct as a parameter: ok
// expect: a large struct as a parameter: ok
// expect: an array inside a parameter, indexed by data: ok
// expect: many parameters of all sizes: ok
// expect: structs in global memory: ok
// expect: bit fields: ok
// expect: unions: ok
// expect: packed: ok
// expect: a function object: ok
#include <cstring>

#include "check.h"

struct Small {
    char a;
    int b;
    short c;
    double d;
};
struct Large {
    int values[200];
    float factor;
    int* out;
};

__global__ void small(double* out, Small s, int i) {
    *out = s.a + s.b * 10 + s.c * 100 + s.d * 1000 + i;
}
__global__ void large(Large l) {
    l.out[threadIdx.x] = static_cast<int>(l.values[199] * l.factor) + l.values[0];
}
__global__ void indexed(Large l) {
    l.out[threadIdx.x] = l.values[threadIdx.x * 7 % 200];
}
__global__ void many(double* out, char a, short b, char c, int d, long long e, float f, char g,
                     double h, bool i, float3 j, char3 k) {
    *out = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j.x + j.y * 2 +
           j.z * 3 + k.x + k.y + k.z;
}

struct Particle {
    float3 position;
    char kind;
    double mass;
};
__host__ __device__ Particle moved(Particle p, int i) {
    p.position.x += i;
    p.position.z = p.position.y * 2;
    p.kind ^= 0x20;
    p.mass *= 1.5;
    return p;
}
__global__ void move(Particle* particles) {
    particles[threadIdx.x] = moved(particles[threadIdx.x], threadIdx.x);
}

struct Fields {
    unsigned low : 5;
    int middle : 9;
    unsigned high : 18;
    unsigned long long wide : 40;
    unsigned rest : 7;
};
__host__ __device__ Fields changed(Fields f, int i) {
    f.low += i;
    f.middle = f.middle - 3 * i;
    f.high = f.high * 5 + f.low;
    f.wide += 1ull << 35;
    f.rest = i;
    return f;
}
__global__ void fields(Fields* f) {
    f[threadIdx.x] = changed(f[threadIdx.x], threadIdx.x);
}

union Bits {
    float real;
    unsigned bits;
    unsigned char bytes[4];
};
__host__ __device__ unsigned through_union(int i) {
    Bits b;
    b.real = i * 0.75f;
    b.bytes[3] ^= 0x80;
    return b.bits + b.bytes[i % 4];
}
__global__ void unions(unsigned* out) {
    out[threadIdx.x] = through_union(threadIdx.x);
}

struct __attribute__((packed)) Packed {
    char a;
    int b;
    short c;
};
__global__ void packed(Packed* p) {
    p[threadIdx.x].b = p[threadIdx.x].a + threadIdx.x * 100000;
    p[threadIdx.x].c = static_cast<short>(p[threadIdx.x].b >> 3);
}

struct Scaled {
    int factor;
    double offset;
    __device__ int operator()(int i) const { return static_cast<int>(i * factor + offset * 4); }
};
template <class F>
__global__ void call(int* out, F function) {
    out[threadIdx.x] = function(threadIdx.x);
}

int main() {
    DeviceArray<double> number(1);
    small<<<1, 1>>>(number, Small{1, 2, 3, 4.5}, 7);
    expect_equal<double>("a struct as a parameter", number.read(), {1 + 20 + 300 + 4500 + 7});

    DeviceArray<int> ints(96);
    Large l;
    for (int i = 0; i < 200; ++i) l.values[i] = i * 3 + 1;
    l.factor = 0.5f, l.out = ints;
    large<<<1, 96>>>(l);
    expect_equal("a large struct as a parameter", ints.read(), std::vector<int>(96, 299 + 1));
    indexed<<<1, 96>>>(l);
    expect_equal("an array inside a parameter, indexed by data", ints.read(),
                 for_threads<int>(96, [&](int i) { return l.values[i * 7 % 200]; }));

    many<<<1, 1>>>(number, 1, 2, 3, 4, 5, 6, 7, 8, true, make_float3(1, 2, 3), make_char3(1, 2, 3));
    expect_equal<double>("many parameters of all sizes", number.read(),
                         {1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 9 + 14 + 6});

    {
        std::vector<Particle> host(40);
        for (int i = 0; i < 40; ++i)
            host[i] = {{i * 0.5f, i * 2.0f, 0}, static_cast<char>('a' + i % 26), i * 0.125};
        DeviceArray<Particle> particles(host);
        move<<<1, 40>>>(particles);
        const std::vector<Particle> got = particles.read();
        std::vector<double> flat, wanted;
        for (int i = 0; i < 40; ++i) {
            const Particle p = moved(host[i], i);
            for (double x : {double{got[i].position.x}, double{got[i].position.z},
                             double(got[i].kind), got[i].mass})
                flat.push_back(x);
            for (double x : {double{p.position.x}, double{p.position.z}, double(p.kind), p.mass})
                wanted.push_back(x);
        }
        expect_equal("structs in global memory", flat, wanted);
    }
    {
        std::vector<Fields> host(32);
        for (int i = 0; i < 32; ++i)
            host[i] = {static_cast<unsigned>(i * 3 % 32), i - 20, static_cast<unsigned>(i * 999),
                       i * 12345ull, 1};
        DeviceArray<Fields> device(host);
        fields<<<1, 32>>>(device);
        const std::vector<Fields> got = device.read();
        std::vector<unsigned long long> flat, wanted;
        for (int i = 0; i < 32; ++i) {
            const Fields f = changed(host[i], i);
            for (unsigned long long x :
                 {0ull + got[i].low, 0ull + got[i].middle, 0ull + got[i].high, 0ull + got[i].wide,
                  0ull + got[i].rest})
                flat.push_back(x);
            for (unsigned long long x :
                 {0ull + f.low, 0ull + f.middle, 0ull + f.high, 0ull + f.wide, 0ull + f.rest})
                wanted.push_back(x);
        }
        expect_equal("bit fields", flat, wanted);
    }
    DeviceArray<unsigned> bits(64);
    unions<<<1, 64>>>(bits);
    expect_equal("unions", bits.read(), for_threads<unsigned>(64, through_union));
    {
        std::vector<Packed> host(48);
        for (int i = 0; i < 48; ++i) host[i] = {static_cast<char>(i * 5), 0, 0};
        DeviceArray<Packed> device(host);
        packed<<<1, 48>>>(device);
        const std::vector<Packed> got = device.read();
        std::vector<int> flat, wanted;
        for (int i = 0; i < 48; ++i) {
            const int b = host[i].a + i * 100000;
            flat.push_back(got[i].b), flat.push_back(got[i].c);
            wanted.push_back(b), wanted.push_back(static_cast<short>(b >> 3));
        }
        expect_equal("packed", flat, wanted);
    }
    call<<<1, 64>>>(static_cast<int*>(ints), Scaled{6, 0.5});
    std::vector<int> got = ints.read();
    got.resize(64);
    expect_equal("a function object", got, for_threads<int>(64, [](int i) { return i * 6 + 2; }));
}
