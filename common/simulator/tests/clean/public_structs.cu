// Structs, unions, bit-fields and classes in every memory space.
#include "../cases.h"

#include <algorithm>

// clean padded_through_all_memories
// Members are written one by one, but structs are copied as a whole, including unwritten padding.
struct Padded {
    char tag;
    double weight;
    short small;
};
__global__ void make_padded(Padded* out) {
    out[threadIdx.x].tag = 'a' + threadIdx.x % 26;
    out[threadIdx.x].weight = threadIdx.x * 0.125;
    out[threadIdx.x].small = -threadIdx.x;
}
__global__ void pass_padded_on(Padded* out, const Padded* in) {
    __shared__ Padded shared[64];
    Padded local[3];
    shared[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 3; ++k) local[k] = shared[(threadIdx.x + k) % 64];
    out[threadIdx.x] = local[(threadIdx.x + 1) % 3];
}
static void padded_through_all_memories() {
    Padded *in = nullptr, *out = nullptr;
    need(cudaMalloc(&in, 64 * sizeof(Padded)));
    need(cudaMalloc(&out, 64 * sizeof(Padded)));
    make_padded<<<1, 64>>>(in);
    pass_padded_on<<<1, 64>>>(out, in);
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) {
        const int from = (i + (i + 1) % 3) % 64;
        expect(host[i].tag == 'a' + from % 26, "tag");
        expect(host[i].weight == from * 0.125 && host[i].small == -from, "numbers");
    }
}

// clean padded_result_of_a_function
struct Root {
    bool exists;
    float at;
    double residue;
    bool is_exact;
};
__device__ __noinline__ Root square_root(int of) {
    Root root;
    root.exists = of >= 0;
    root.at = 0;
    root.residue = 0;
    root.is_exact = false;
    if (!root.exists) return root;
    while ((root.at + 1) * (root.at + 1) <= of) root.at += 1;
    root.residue = of - static_cast<double>(root.at) * root.at;
    root.is_exact = root.residue == 0;
    return root;
}
__global__ void roots_of(Root* out, const int* in) {
    const Root root = square_root(in[threadIdx.x]);
    out[threadIdx.x] = root;
}
static void padded_result_of_a_function() {
    auto in = random_numbers(64, 150);
    for (int& x : in) x -= 20;
    Root* out = nullptr;
    need(cudaMalloc(&out, 64 * sizeof(Root)));
    roots_of<<<1, 64>>>(out, to_device(in));
    const auto host = to_host(out, 64);
    for (int i = 0; i < 64; ++i) {
        expect(host[i].exists == (in[i] >= 0), "exists");
        if (in[i] < 0) continue;
        expect(host[i].at * host[i].at + host[i].residue == in[i], "root");
        expect(host[i].is_exact == (host[i].residue == 0), "exact");
    }
}

// clean variants_with_a_tag
struct Shape {
    enum Kind { kCircle, kBox, kSegments } kind;
    union {
        float radius;
        struct {
            double width, height;
        } box;
        short lengths[5];
    };
};
__device__ Shape make_shape(int i) {
    Shape shape;
    shape.kind = static_cast<Shape::Kind>(i % 3);
    switch (shape.kind) {
        case Shape::kCircle: shape.radius = i; break;
        case Shape::kBox:
            shape.box.width = i;
            shape.box.height = 2;
            break;
        case Shape::kSegments:
            for (int k = 0; k < 5; ++k) shape.lengths[k] = i + k;
    }
    return shape;
}
__device__ double extent(const Shape& shape) {
    switch (shape.kind) {
        case Shape::kCircle: return 2 * shape.radius;
        case Shape::kBox: return shape.box.width + shape.box.height;
        default: break;
    }
    int sum = 0;
    for (const short length : shape.lengths) sum += length;
    return sum;
}
__global__ void store_shapes(Shape* shapes) {
    shapes[threadIdx.x] = make_shape(threadIdx.x);
}
__global__ void reverse_shapes(double* out, const Shape* shapes) {
    __shared__ Shape shared[48];
    shared[47 - threadIdx.x] = shapes[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = extent(shared[threadIdx.x]);
}
static void variants_with_a_tag() {
    Shape* shapes = nullptr;
    need(cudaMalloc(&shapes, 48 * sizeof(Shape)));
    double* out = device_zeros<double>(48);
    store_shapes<<<1, 48>>>(shapes);
    reverse_shapes<<<1, 48>>>(out, shapes);
    const auto host = to_host(out, 48);
    for (int t = 0; t < 48; ++t) {
        const int i = 47 - t;
        expect(host[t] == (i % 3 == 0 ? 2 * i : i % 3 == 1 ? i + 2 : 5 * i + 10), "extent");
    }
}

// clean union_of_word_and_bytes
union Pixel {
    unsigned word;
    struct {
        unsigned char r, g, b, a;
    };
    unsigned char channels[4];
};
__global__ void blend(Pixel* out, const Pixel* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pixel pixel = in[i], other;
    other.word = in[n - 1 - i].word;
    pixel.r = (pixel.r + other.r) / 2;
    pixel.g = pixel.channels[2] ^ other.channels[1];
    pixel.a = 255;
    out[i].word = pixel.word;
}
static void union_of_word_and_bytes() {
    const int n = 200;
    std::vector<Pixel> in(n);
    const auto words = random_numbers(n, 1 << 24);
    for (int i = 0; i < n; ++i) in[i].word = words[i];
    Pixel* out = device_zeros<Pixel>(n);
    blend<<<2, 128>>>(out, to_device(in), n);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) {
        const Pixel &a = in[i], &b = in[n - 1 - i];
        expect(host[i].r == (a.r + b.r) / 2 && host[i].g == (a.b ^ b.g), "red and green");
        expect(host[i].b == a.b && host[i].a == 255, "blue and alpha");
    }
}

// clean bit_fields
struct Date {
    unsigned day : 5;
    unsigned month : 4;
    int year : 14;
    bool is_leap : 1;
};
__global__ void next_day(Date* dates, int days) {
    Date date = dates[threadIdx.x];
    for (int i = 0; i < days; ++i) {
        const unsigned length =
            date.month == 2 ? 28 + date.is_leap : 30 + ((date.month + date.month / 8) & 1);
        if (date.day < length) {
            date.day++;
            continue;
        }
        date.day = 1;
        date.month = date.month % 12 + 1;
        if (date.month != 1) continue;
        date.year++;
        date.is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    }
    dates[threadIdx.x] = date;
}
static void bit_fields() {
    std::vector<Date> dates(40);
    for (int i = 0; i < 40; ++i) {
        dates[i].day = 1 + i % 28;
        dates[i].month = 1;
        dates[i].year = 1880 + 7 * i;
        dates[i].is_leap =
            dates[i].year % 4 == 0 && (dates[i].year % 100 != 0 || dates[i].year % 400 == 0);
    }
    Date* on_device = to_device(dates);
    next_day<<<1, 40>>>(on_device, 365);
    const auto host = to_host(on_device, 40);
    for (int i = 0; i < 40; ++i) {
        if (dates[i].is_leap) {
            const bool first = dates[i].day == 1;
            expect(host[i].day == (first ? 31 : dates[i].day - 1), "day after a leap year");
            expect(host[i].month == (first ? 12 : 1) && host[i].year == dates[i].year + !first,
                   "year");
        } else {
            expect(host[i].day == dates[i].day && host[i].month == 1, "day");
            expect(host[i].year == dates[i].year + 1, "year");
        }
    }
}

// clean bit_fields_begun_in_a_kernel
struct Flags {
    unsigned low : 3;
    unsigned : 5;
    unsigned high : 8;
    unsigned is_set : 1;
};
__global__ void make_flags(Flags* out) {
    Flags flags = {};
    flags.low = threadIdx.x;
    flags.high = threadIdx.x * 3;
    flags.is_set = threadIdx.x % 5 == 0;
    __shared__ Flags shared[32];
    shared[threadIdx.x] = flags;
    shared[threadIdx.x].low ^= 7;
    __syncwarp();
    out[threadIdx.x] = shared[threadIdx.x ^ 1];
}
static void bit_fields_begun_in_a_kernel() {
    Flags* out = nullptr;
    need(cudaMalloc(&out, 32 * sizeof(Flags)));
    make_flags<<<1, 32>>>(out);
    const auto host = to_host(out, 32);
    for (int t = 0; t < 32; ++t) {
        const int i = t ^ 1;
        expect(host[t].low == (~i & 7) && host[t].high == i * 3, "fields");
        expect(host[t].is_set == (i % 5 == 0), "flag");
    }
}

// clean particles_in_both_layouts
struct Particle {
    float position[3];
    unsigned char kind;
    float velocity[3];
};
struct Particles {
    float* position[3];
    float* velocity[3];
    unsigned char* kind;
};
__global__ void to_arrays(Particles out, const Particle* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Particle p = in[i];
    for (int k = 0; k < 3; ++k) {
        out.position[k][i] = p.position[k];
        out.velocity[k][i] = p.velocity[k];
    }
    out.kind[i] = p.kind;
}
__global__ void move_and_pack(Particle* out, Particles in, int n, float time) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 3; ++k) {
        out[i].position[k] = in.position[k][i] + time * in.velocity[k][i];
        out[i].velocity[k] = in.kind[i] == 2 ? -in.velocity[k][i] : in.velocity[k][i];
    }
    out[i].kind = in.kind[i];
}
static void particles_in_both_layouts() {
    const int n = 150;
    std::vector<Particle> in(n);
    for (int i = 0; i < n; ++i)
        in[i] = {
            {i * 1.f, i * 2.f, i * 3.f}, static_cast<unsigned char>(i % 4), {1, i % 7 * 1.f, -2}};
    Particles arrays{};
    for (int k = 0; k < 3; ++k) {
        arrays.position[k] = device_zeros<float>(n);
        arrays.velocity[k] = device_zeros<float>(n);
    }
    arrays.kind = device_zeros<unsigned char>(n);
    Particle* out = nullptr;
    need(cudaMalloc(&out, n * sizeof(Particle)));
    to_arrays<<<2, 96>>>(arrays, to_device(in), n);
    move_and_pack<<<2, 96>>>(out, arrays, n, 0.5f);
    const auto host = to_host(out, n);
    for (int i = 0; i < n; ++i) {
        expect(host[i].kind == in[i].kind, "kind");
        for (int k = 0; k < 3; ++k) {
            expect(host[i].position[k] == in[i].position[k] + 0.5f * in[i].velocity[k], "position");
            expect(host[i].velocity[k] == (i % 4 == 2 ? -1 : 1) * in[i].velocity[k], "velocity");
        }
    }
}

// clean nested_structs_as_arguments
struct Axis {
    bool is_reversed;
    long long begin, step;
};
struct Box {
    char name;
    Axis axes[2];
    float scale;
};
__device__ long long at(Axis axis, int i) {
    return axis.begin + (axis.is_reversed ? -i : i) * axis.step;
}
__global__ void corners(long long* out, const Box box, Axis extra) {
    Axis chosen = box.axes[0];
    if (threadIdx.x % 3 == 1) chosen = box.axes[1];
    if (threadIdx.x % 3 == 2) chosen = extra;
    out[threadIdx.x] = at(chosen, threadIdx.x) * static_cast<long long>(box.scale) + box.name;
}
static void nested_structs_as_arguments() {
    const Box box{'B', {{false, 10, 3}, {true, 1000, 7}}, 2};
    const Axis extra{true, -5, 11};
    auto* out = device_zeros<long long>(60);
    corners<<<1, 60>>>(out, box, extra);
    const auto host = to_host(out, 60);
    for (int i = 0; i < 60; ++i) {
        const Axis& axis = i % 3 == 2 ? extra : box.axes[i % 3];
        expect(host[i] == 2 * (axis.begin + (axis.is_reversed ? -i : i) * axis.step) + 'B',
               "value");
    }
}

// clean virtual_functions
// The kernel constructs the objects, so their virtual tables contain device functions.
class Animal {
public:
    __device__ explicit Animal(int legs) : legs_(legs) {}
    __device__ virtual ~Animal() {}
    __device__ virtual int noise(int times) const { return times; }
    __device__ int legs() const { return legs_; }

private:
    int legs_;
};
class Dog : public Animal {
public:
    __device__ Dog() : Animal(4) {}
    __device__ int noise(int times) const override { return 10 * times; }
};
class Parrot : public Animal {
public:
    __device__ explicit Parrot(const Animal* heard) : Animal(2), heard_(heard) {}
    __device__ int noise(int times) const override { return heard_->noise(times) + 1; }

private:
    const Animal* heard_;
};
__global__ void make_animals(Animal** animals, int n) {
    for (int i = 0; i < n; ++i) {
        if (i % 3 == 0)
            animals[i] = new Dog;
        else if (i % 3 == 1)
            animals[i] = new Parrot(animals[i - 1]);
        else
            animals[i] = new Animal(100);
    }
}
__global__ void listen(int* out, Animal** animals) {
    const Animal* animal = animals[threadIdx.x];
    out[threadIdx.x] = animal->noise(threadIdx.x) * 1000 + animal->legs();
}
__global__ void free_animals(Animal** animals, int n) {
    for (int i = 0; i < n; ++i) delete animals[i];
}
static void virtual_functions() {
    Animal** animals = device_zeros<Animal*>(30);
    int* out = device_zeros<int>(30);
    make_animals<<<1, 1>>>(animals, 30);
    listen<<<1, 30>>>(out, animals);
    free_animals<<<1, 1>>>(animals, 30);
    const auto host = to_host(out, 30);
    for (int i = 0; i < 30; ++i) {
        const int noise = i % 3 == 0 ? 10 * i : i % 3 == 1 ? 10 * i + 1 : i;
        expect(host[i] == noise * 1000 + (i % 3 == 0 ? 4 : i % 3 == 1 ? 2 : 100), "noise");
    }
}

// clean tables_of_functions
__device__ int add_two(int a, int b) {
    return a + b;
}
__device__ int subtract(int a, int b) {
    return a - b;
}
__device__ int multiply(int a, int b) {
    return a * b;
}
__device__ int (*const operations[])(int, int) = {add_two, subtract, multiply};
struct Step {
    int (*operation)(int, int);
    short operand;
};
__global__ void calculate(int* out, int rounds) {
    Step steps[3];
    for (int k = 0; k < 3; ++k) {
        steps[k].operation = operations[(k + threadIdx.x) % 3];
        steps[k].operand = k + 2;
    }
    int value = threadIdx.x;
    for (int i = 0; i < rounds; ++i) value = steps[i % 3].operation(value, steps[i % 3].operand);
    out[threadIdx.x] = value;
}
static void tables_of_functions() {
    int* out = device_zeros<int>(32);
    calculate<<<1, 32>>>(out, 8);
    const auto host = to_host(out, 32);
    for (int t = 0; t < 32; ++t) {
        int value = t;
        for (int i = 0; i < 8; ++i) {
            const int operand = i % 3 + 2, which = (i % 3 + t) % 3;
            value = which == 0 ? value + operand : which == 1 ? value - operand : value * operand;
        }
        expect(host[t] == value, "value");
    }
}

// clean lists_from_malloc
struct Item {
    int value;
    Item* next;
};
__global__ void sorted_lists(int* out, const int* in, int each) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    Item* head = nullptr;
    for (int i = 0; i < each; ++i) {
        Item* item = static_cast<Item*>(malloc(sizeof(Item)));
        if (!item) return;
        item->value = in[t * each + i];
        Item** place = &head;
        while (*place && (*place)->value < item->value) place = &(*place)->next;
        item->next = *place;
        *place = item;
    }
    for (int i = 0; head; ++i) {
        Item* item = head;
        out[t * each + i] = item->value;
        head = item->next;
        free(item);
    }
}
static void lists_from_malloc() {
    auto in = random_numbers(64 * 12, 1000);
    int* out = device_zeros<int>(64 * 12);
    sorted_lists<<<2, 32>>>(out, to_device(in), 12);
    for (int t = 0; t < 64; ++t) std::sort(in.begin() + 12 * t, in.begin() + 12 * t + 12);
    expect(to_host(out, 64 * 12) == in, "sorted lists");
}

// clean optional_values
template <class T>
struct Optional {
    bool has_value = false;
    T value;
    __device__ Optional() {}
    __device__ Optional(T v) : has_value(true), value(v) {}
    template <class F>
    __device__ auto then(F f) const -> Optional<decltype(f(value))> {
        if (!has_value) return {};
        return f(value);
    }
};
__device__ Optional<long long> find_divisor(int n) {
    for (int d = 2; d * d <= n; ++d) {
        if (n % d == 0) return static_cast<long long>(d);
    }
    return {};
}
__global__ void describe(double* out) {
    const int n = threadIdx.x + 2;
    const auto half = find_divisor(n).then([](long long d) { return d * 0.5; });
    out[threadIdx.x] = half.has_value ? half.value : -1;
}
static void optional_values() {
    double* out = device_zeros<double>(100);
    describe<<<1, 100>>>(out);
    const auto host = to_host(out, 100);
    for (int i = 0; i < 100; ++i) {
        const int n = i + 2;
        int d = 2;
        while (n % d != 0) ++d;
        expect(host[i] == (d == n ? -1 : d * 0.5), "half of the smallest divisor");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"padded_through_all_memories", padded_through_all_memories},
                        {"padded_result_of_a_function", padded_result_of_a_function},
                        {"variants_with_a_tag", variants_with_a_tag},
                        {"union_of_word_and_bytes", union_of_word_and_bytes},
                        {"bit_fields", bit_fields},
                        {"bit_fields_begun_in_a_kernel", bit_fields_begun_in_a_kernel},
                        {"particles_in_both_layouts", particles_in_both_layouts},
                        {"nested_structs_as_arguments", nested_structs_as_arguments},
                        {"virtual_functions", virtual_functions},
                        {"tables_of_functions", tables_of_functions},
                        {"lists_from_malloc", lists_from_malloc},
                        {"optional_values", optional_values},
                    });
}
