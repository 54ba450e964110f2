// C++ in kernels: the device heap, virtual functions, closures, iterators, operators, templates.
#include "../cases.h"

#include <cstdint>
#include <new>

// clean shapes_with_virtual_areas
class Shape {
public:
    __device__ virtual float area() const = 0;
    __device__ virtual void scale(float by) = 0;
    __device__ virtual ~Shape() {}
};
class Circle : public Shape {
public:
    __device__ explicit Circle(float r) : radius_(r) {}
    __device__ float area() const override { return 3.f * radius_ * radius_; }
    __device__ void scale(float by) override { radius_ *= by; }

private:
    float radius_;
};
class Rectangle : public Shape {
public:
    __device__ Rectangle(float a, float b) : a_(a), b_(b) {}
    __device__ float area() const override { return a_ * b_; }
    __device__ void scale(float by) override { a_ *= by, b_ *= by; }

protected:
    float a_, b_;
};
class Square final : public Rectangle {
public:
    __device__ explicit Square(float a) : Rectangle(a, a) {}
    __device__ ~Square() override { a_ = -1; }
};
__global__ void build_world(Shape** shapes, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (i % 3) {
        case 0: shapes[i] = new Circle(float(i)); break;
        case 1: shapes[i] = new Rectangle(float(i), 2.f); break;
        default: shapes[i] = new Square(float(i));
    }
}
__global__ void measure_world(Shape* const* shapes, float* areas, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shapes[i]->scale(2.f);
    areas[i] = shapes[i]->area();
}
__global__ void destroy_world(Shape** shapes, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) delete shapes[i];
}
static void shapes_with_virtual_areas() {
    const int n = 50;
    Shape** shapes = device_zeros<Shape*>(n);
    float* areas = device_zeros<float>(n);
    build_world<<<1, 64>>>(shapes, n);
    measure_world<<<2, 32>>>(shapes, areas, n);
    destroy_world<<<1, 32>>>(shapes, n);
    const auto got = to_host(areas, n);
    for (int i = 0; i < n; ++i)
        expect(got[i] == (i % 3 == 0 ? 12.f * i * i : i % 3 == 1 ? 8.f * i : 4.f * i * i), "area");
}

// clean binary_trees_on_the_heap
struct TreeNode {
    int key;
    TreeNode *left = nullptr, *right = nullptr;
    __device__ explicit TreeNode(int k) : key(k) {}
};
__device__ void insert(TreeNode*& root, int key) {
    TreeNode** at = &root;
    while (*at != nullptr) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = new TreeNode(key);
}
__device__ int write_sorted(const TreeNode* node, int* out, int at) {
    if (node == nullptr) return at;
    at = write_sorted(node->left, out, at);
    out[at++] = node->key;
    return write_sorted(node->right, out, at);
}
__device__ void free_tree(TreeNode* node) {
    if (node == nullptr) return;
    free_tree(node->left);
    free_tree(node->right);
    delete node;
}
__global__ void tree_sort(int* data, int each) {
    int* mine = data + threadIdx.x * each;
    TreeNode* root = nullptr;
    for (int i = 0; i < each; ++i) insert(root, mine[i]);
    write_sorted(root, mine, 0);
    free_tree(root);
}
static void binary_trees_on_the_heap() {
    const int threads = 16, each = 20;
    int* data = to_device(random_numbers(threads * each, 1000));
    tree_sort<<<1, threads>>>(data, each);
    const auto got = to_host(data, threads * each);
    for (int i = 1; i < threads * each; ++i)
        expect(i % each == 0 || got[i - 1] <= got[i], "sorted");
}

// clean vector_that_grows
template <class T>
class DeviceVector {
public:
    __device__ DeviceVector() {}
    __device__ DeviceVector(const DeviceVector&) = delete;
    __device__ DeviceVector(DeviceVector&& other)
        : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
        other.data_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    __device__ ~DeviceVector() { free(data_); }
    __device__ void push_back(const T& value) {
        if (size_ == capacity_) grow();
        new (data_ + size_++) T(value);
    }
    __device__ T* begin() { return data_; }
    __device__ T* end() { return data_ + size_; }
    __device__ int size() const { return size_; }

private:
    __device__ void grow() {
        const int bigger = capacity_ ? 2 * capacity_ : 4;
        T* moved = static_cast<T*>(malloc(bigger * sizeof(T)));
        for (int i = 0; i < size_; ++i) moved[i] = data_[i];
        free(data_);
        data_ = moved;
        capacity_ = bigger;
    }
    T* data_ = nullptr;
    int size_ = 0, capacity_ = 0;
};
__device__ DeviceVector<int> divisors(int n) {
    DeviceVector<int> found;
    for (int d = 1; d <= n; ++d) {
        if (n % d == 0) found.push_back(d);
    }
    return found;
}
__global__ void sum_divisors(int* sums, int* counts, int n) {
    for (int i = 1 + threadIdx.x; i <= n; i += blockDim.x) {
        DeviceVector<int> all = divisors(i);
        int sum = 0;
        for (const int d : all) sum += d;
        sums[i] = sum;
        counts[i] = all.size();
    }
}
static void vector_that_grows() {
    const int n = 120;
    int *sums = device_zeros<int>(n + 1), *counts = device_zeros<int>(n + 1);
    sum_divisors<<<1, 32>>>(sums, counts, n);
    const auto s = to_host(sums, n + 1), c = to_host(counts, n + 1);
    expect(s[6] == 12 && s[28] == 56 && c[120] == 16 && s[97] == 98 && c[64] == 7, "divisors");
}

// clean heap_block_shared_by_a_block
// One thread allocates memory, all threads use it, and the last launch frees it.
__device__ float* scratch_of[4];
__global__ void allocate_and_fill(int n) {
    __shared__ float* scratch;
    if (threadIdx.x == 0) {
        scratch = static_cast<float*>(malloc(n * sizeof(float)));
        scratch_of[blockIdx.x] = scratch;
    }
    __syncthreads();
    if (scratch == nullptr) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) scratch[i] = float(blockIdx.x + i);
}
__global__ void consume_and_free(float* out, int n) {
    const float* scratch = scratch_of[blockIdx.x];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += scratch[n - 1 - i];
    atomicAdd(out + blockIdx.x, sum);
    __syncthreads();
    if (threadIdx.x == 0) free(scratch_of[blockIdx.x]);
}
static void heap_block_shared_by_a_block() {
    float* out = device_zeros<float>(4);
    allocate_and_fill<<<4, 32>>>(100);
    consume_and_free<<<4, 64>>>(out, 100);
    const auto got = to_host(out, 4);
    for (int b = 0; b < 4; ++b) expect(got[b] == 4950.f + 100 * b, "sum");
}

// clean closures_as_kernels
template <class F>
__global__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
struct Apply {
    int* out;
    const int* in;
    int shift;
    __device__ void operator()(int i) const { out[i] = in[i] << shift; }
};
struct Polynomial {
    int c[3];
    __host__ __device__ constexpr int operator()(int x) const { return (c[2] * x + c[1]) * x + c[0]; }
};
template <class Outer, class Inner>
struct Composed {
    Outer outer;
    Inner inner;
    int* out;
    __device__ void operator()(int i) const { out[i] = outer(inner(i)); }
};
static void closures_as_kernels() {
    const int n = 200;
    int *in = device_iota<int>(n), *a = device_zeros<int>(n), *b = device_zeros<int>(n);
    for_each_index<<<2, 64>>>(n, Apply{a, in, 3});
    constexpr Polynomial p{{1, 2, 3}}, q{{5, 1, 0}};
    for_each_index<<<2, 64>>>(n, Composed<Polynomial, Polynomial>{p, q, b});
    const auto ga = to_host(a, n), gb = to_host(b, n);
    for (int i = 0; i < n; ++i) expect(ga[i] == i * 8 && gb[i] == p(q(i)), "value");
}

// clean expression_templates
template <class E>
struct Expr {
    __host__ __device__ const E& self() const { return static_cast<const E&>(*this); }
};
struct Vec : Expr<Vec> {
    const float* data;
    __host__ __device__ explicit Vec(const float* d) : data(d) {}
    __device__ float at(int i) const { return data[i]; }
};
struct Constant : Expr<Constant> {
    float value;
    __host__ __device__ explicit Constant(float v) : value(v) {}
    __device__ float at(int) const { return value; }
};
template <class L, class R, char OP>
struct Binary : Expr<Binary<L, R, OP>> {
    L l;
    R r;
    __host__ __device__ Binary(const L& a, const R& b) : l(a), r(b) {}
    __device__ float at(int i) const {
        return OP == '+' ? l.at(i) + r.at(i) : OP == '*' ? l.at(i) * r.at(i) : l.at(i) - r.at(i);
    }
};
template <class L, class R>
Binary<L, R, '+'> operator+(const Expr<L>& l, const Expr<R>& r) {
    return {l.self(), r.self()};
}
template <class L, class R>
Binary<L, R, '*'> operator*(const Expr<L>& l, const Expr<R>& r) {
    return {l.self(), r.self()};
}
template <class L, class R>
Binary<L, R, '-'> operator-(const Expr<L>& l, const Expr<R>& r) {
    return {l.self(), r.self()};
}
template <class E>
__global__ void assign(float* out, E e, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = e.at(i);
}
static void expression_templates() {
    const int n = 90;
    float *x = device_iota<float>(n), *out = device_zeros<float>(n);
    const Vec v(x);
    assign<<<1, 128>>>(out, (v + Constant(1.f)) * (v - Constant(2.f)) + v * v, n);
    const auto got = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(got[i] == (i + 1.f) * (i - 2.f) + float(i) * i, "value");
}

// clean jump_table_of_operations
using Operation = float (*)(float, float);
__device__ float plus_op(float a, float b) { return a + b; }
__device__ float minus_op(float a, float b) { return a - b; }
__device__ float times_op(float a, float b) { return a * b; }
__device__ Operation operations[] = {plus_op, minus_op, times_op};
__constant__ unsigned char program[] = {0, 2, 1, 1, 2, 0};
__global__ void calculate(float* acc, const float* operands, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = acc[i];
    for (int pc = 0; pc < int(sizeof program); ++pc)
        value = operations[(program[pc] + i) % 3](value, operands[pc]);
    acc[i] = value;
}
static void jump_table_of_operations() {
    const int n = 70;
    const std::vector<float> operands{3, 2, 4, 1, 5, 6};
    const int code[] = {0, 2, 1, 1, 2, 0};
    float* acc = device_iota<float>(n);
    calculate<<<3, 32>>>(acc, to_device(operands), n);
    const auto got = to_host(acc, n);
    for (int i = 0; i < n; ++i) {
        float want = float(i);
        for (int pc = 0; pc < 6; ++pc) {
            const int op = (code[pc] + i) % 3;
            want = op == 0 ? want + operands[pc] : op == 1 ? want - operands[pc] : want * operands[pc];
        }
        expect(got[i] == want, "value");
    }
}

// clean dual_numbers
struct Dual {
    float v, d;
    __device__ friend Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
    __device__ friend Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
    __device__ Dual& operator+=(Dual b) { return *this = *this + b; }
};
template <class T>
__device__ T horner(const float* c, int degree, T x) {
    T sum{c[degree], 0.f};
    for (int k = degree - 1; k >= 0; --k) sum = sum * x + T{c[k], 0.f};
    return sum;
}
__global__ void derivatives(Dual* out, const float* c, int degree) {
    extern __shared__ Dual duals[];
    duals[threadIdx.x] = horner(c, degree, Dual{float(threadIdx.x), 1.f});
    __syncthreads();
    if (threadIdx.x + 1 < blockDim.x) {
        Dual both = duals[threadIdx.x];
        both += duals[threadIdx.x + 1];
        out[threadIdx.x] = both;
    }
}
static void dual_numbers() {
    Dual* out = device_zeros<Dual>(31);
    derivatives<<<1, 32, 32 * sizeof(Dual)>>>(out, to_device<float>({1, 2, 3, 1}), 3);
    const auto got = to_host(out, 31);
    for (int x = 0; x < 31; ++x) {
        const auto value = [](int t) { return 1 + 2 * t + 3 * t * t + t * t * t; };
        const auto slope = [](int t) { return 2 + 6 * t + 3 * t * t; };
        expect(got[x].v == value(x) + value(x + 1), "value");
        expect(got[x].d == slope(x) + slope(x + 1), "derivative");
    }
}

// clean arena_in_shared_memory
// An arena allocates aligned arrays of several types in dynamic shared memory.
class Arena {
public:
    __device__ explicit Arena(char* base) : at_(base) {}
    template <class T>
    __device__ T* take(int count) {
        at_ = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(at_) + alignof(T) - 1) /
                                      alignof(T) * alignof(T));
        T* piece = reinterpret_cast<T*>(at_);
        at_ += count * sizeof(T);
        return piece;
    }

private:
    char* at_;
};
__global__ void ranks_by_counts(const unsigned char* keys, int* ranks, double* mean, int n) {
    extern __shared__ __align__(16) char memory[];
    Arena arena(memory);
    unsigned char* cached = arena.take<unsigned char>(n);
    int* counts = arena.take<int>(256);
    double* partial = arena.take<double>(blockDim.x);
    for (int i = threadIdx.x; i < n; i += blockDim.x) cached[i] = keys[i];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[i] = 0;
    partial[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[cached[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int rank = 0;
        for (int k = 0; k < cached[i]; ++k) rank += counts[k];
        for (int j = 0; j < i; ++j) rank += cached[j] == cached[i];
        ranks[i] = rank;
        partial[threadIdx.x] += cached[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < blockDim.x; ++t) partial[0] += partial[t];
        *mean = partial[0] / n;
    }
}
static void arena_in_shared_memory() {
    const int n = 77;
    const auto numbers = random_numbers(n, 20);
    const std::vector<unsigned char> keys(numbers.begin(), numbers.end());
    int* ranks = device_zeros<int>(n);
    double *mean = device_zeros<double>(1), sum = 0;
    ranks_by_counts<<<1, 32, 80 + 1024 + 8 + 32 * 8>>>(to_device(keys), ranks, mean, n);
    for (const int k : keys) sum += k;
    expect(to_host(mean, 1)[0] == sum / n, "mean");
    const auto got = to_host(ranks, n);
    std::vector<int> sorted(n, -1);
    for (int i = 0; i < n; ++i) sorted[got[i]] = keys[i];
    for (int i = 1; i < n; ++i) expect(sorted[i - 1] >= 0 && sorted[i - 1] <= sorted[i], "sorted");
}

// clean soa_reference_proxies
// An iterator over a structure of arrays. An assignment to its reference assigns to every array.
struct Soa {
    float* mass;
    int2* cell;
    struct Reference {
        float& mass;
        int2& cell;
        __device__ Reference& operator=(const Reference& from) {
            mass = from.mass;
            cell = from.cell;
            return *this;
        }
    };
    __device__ Reference operator[](int i) const { return {mass[i], cell[i]}; }
};
__global__ void reverse_pairs(Soa out, Soa in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i ^ 1] = in[i];
}
static void soa_reference_proxies() {
    const int n = 128;
    std::vector<int2> cells(n);
    for (int i = 0; i < n; ++i) cells[i] = make_int2(i, -i);
    Soa in{device_iota<float>(n), to_device(cells)};
    Soa out{device_zeros<float>(n), device_zeros<int2>(n)};
    reverse_pairs<<<2, 64>>>(out, in, n);
    const auto m = to_host(out.mass, n);
    const auto c = to_host(out.cell, n);
    for (int i = 0; i < n; ++i) expect(m[i] == (i ^ 1) && c[i].y == -(i ^ 1), "pair");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"shapes_with_virtual_areas", shapes_with_virtual_areas},
                        {"binary_trees_on_the_heap", binary_trees_on_the_heap},
                        {"vector_that_grows", vector_that_grows},
                        {"heap_block_shared_by_a_block", heap_block_shared_by_a_block},
                        {"closures_as_kernels", closures_as_kernels},
                        {"expression_templates", expression_templates},
                        {"jump_table_of_operations", jump_table_of_operations},
                        {"dual_numbers", dual_numbers},
                        {"arena_in_shared_memory", arena_in_shared_memory},
                        {"soa_reference_proxies", soa_reference_proxies},
                    });
}
