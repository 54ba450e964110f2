// Tests calls of functions that are selected at run time.
// expect: a table of functions: ok
// expect: a pointer from the host: ok
// expect: different functions in one warp: ok
// expect: virtual functions: ok
// expect: a callback: ok
#include "check.h"

using Function = int (*)(int);

__device__ __noinline__ int triple(int i) {
    return i * 3;
}
__device__ __noinline__ int square(int i) {
    return i * i;
}
__device__ __noinline__ int negate(int i) {
    return -i;
}

__device__ Function table[] = {triple, square, negate};
__device__ Function chosen = square;

__global__ void by_table(int* out, int which) {
    out[threadIdx.x] = table[which](threadIdx.x);
}
__global__ void from_host(int* out, Function function) {
    out[threadIdx.x] = function(threadIdx.x) + 1;
}
__global__ void different(int* out) {
    const int i = threadIdx.x;
    out[i] = table[i % 3](i);
    // Call through the table again after the lanes have reconverged.
    out[i] += table[(i / 32) % 3](i) * 1000;
}

struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const { return 4; }
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct Triangle : Shape {
    int base, height;
    __device__ Triangle(int b, int h) : base(b), height(h) {}
    __device__ int area() const override { return base * height / 2; }
    __device__ int corners() const override { return 3; }
};
__device__ __noinline__ int describe(const Shape* shape) {
    return shape->area() * 10 + shape->corners();
}
__global__ void shapes(int* out) {
    const int i = threadIdx.x;
    Square square_here(i);
    Triangle triangle_here(i, 4);
    const Shape* shape = i % 2 ? static_cast<const Shape*>(&square_here) : &triangle_here;
    out[i] = describe(shape);
}

__device__ __noinline__ int fold(const int* values, int count, int (*combine)(int, int)) {
    int result = values[0];
    for (int i = 1; i < count; ++i) result = combine(result, values[i]);
    return result;
}
__device__ __noinline__ int add(int a, int b) {
    return a + b;
}
__device__ __noinline__ int larger(int a, int b) {
    return a > b ? a : b;
}
__global__ void callbacks(int* out, const int* values, int count) {
    out[threadIdx.x] = fold(values, count, threadIdx.x % 2 ? add : larger);
}

template <class Launch, class Answer>
void test(const char* name, int count, Launch launch, Answer answer) {
    DeviceArray<int> out(count);
    launch(static_cast<int*>(out));
    expect_equal(name, out.read(), for_threads<int>(count, answer));
}

int main() {
    const auto answer = [](int which, int i) {
        return which == 0 ? i * 3 : which == 1 ? i * i : -i;
    };
    test(
        "a table of functions", 64, [](int* out) { by_table<<<1, 64>>>(out, 2); },
        [](int i) { return -i; });
    Function function;
    MUST(cudaMemcpyFromSymbol(&function, chosen, sizeof function));
    test(
        "a pointer from the host", 64, [&](int* out) { from_host<<<1, 64>>>(out, function); },
        [](int i) { return i * i + 1; });
    test(
        "different functions in one warp", 96, [](int* out) { different<<<1, 96>>>(out); },
        [&](int i) { return answer(i % 3, i) + answer(i / 32 % 3, i) * 1000; });
    test(
        "virtual functions", 64, [](int* out) { shapes<<<1, 64>>>(out); },
        [](int i) { return i % 2 ? i * i * 10 + 4 : i * 4 / 2 * 10 + 3; });
    const std::vector<int> values = {3, 9, -4, 8, 1};
    DeviceArray<int> in(values);
    test(
        "a callback", 32, [&](int* out) { callbacks<<<1, 32>>>(out, in, 5); },
        [](int i) { return i % 2 ? 17 : 9; });
}
