// Tests every order of three and of four axes, on arrays with odd extents and with extents of 1.
#include <algorithm>
#include <cstdio>

#include "harness/verify.h"

// Includes the program of the step, and renames its main.
#define main step_main
#include "main.cu"
#undef main

namespace {

using namespace coalesce;

// Reports whether `permute` is correct for this array, and prints what is wrong.
bool is_right(const Permutation& permutation) {
    VerifiedBuffers buffers(problem_of(permutation));
    buffers.prepare();
    permute(buffers.out(), buffers.in(), permutation);
    const bool is_launched = cudaGetLastError() == cudaSuccess;
    const Comparison comparison = buffers.check();
    if (is_launched && comparison.is_right()) return true;
    std::printf("%s\n%s", text_of(permutation).c_str(), comparison.text().c_str());
    return false;
}

// Tries all orders of the axes of an array, and returns how many there are.
int try_orders(int rank, std::array<int, 4> extents, int& wrong) {
    std::array<int, 4> order{0, 1, 2, 3};
    int orders = 0;
    do {
        wrong += !is_right({rank, extents, order});
        ++orders;
    } while (std::next_permutation(order.begin(), order.begin() + rank));
    return orders;
}

}  // namespace

int main(int argc, char** argv) {
    int orders = 0, wrong = 0;
    for (const auto& extents :
         {std::array{5, 7, 3, 0}, {33, 1, 65, 0}, {4, 68, 8, 0}, {1, 1, 9, 0}}) {
        orders += try_orders(3, extents, wrong);
    }
    for (const auto& extents :
         {std::array{3, 5, 7, 11}, {2, 1, 35, 3}, {4, 8, 12, 36}, {1, 6, 1, 5}, {1, 1, 1, 1}}) {
        orders += try_orders(4, extents, wrong);
    }
    std::printf("%d orders of axes, %d wrong\n", orders, wrong);
    // The main of the step is compiled too, but it is not used here.
    static_cast<void>(argc);
    static_cast<void>(argv);
    static_cast<void>(step_main);
    return wrong == 0 && orders == 4 * 6 + 5 * 24 ? 0 : 1;
}
