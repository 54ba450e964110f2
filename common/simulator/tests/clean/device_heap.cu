// The correct counterparts of ../bugs/device_heap.cu: malloc and free in kernels.
#include "../cases.h"

// clean every_byte_of_a_block
__global__ void uses_all(int* out, int n) {
    char* bytes = static_cast<char*>(malloc(n));
    for (int i = 0; i < n; ++i) bytes[i] = static_cast<char>(i);
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += bytes[i];
    out[threadIdx.x] = sum;
    free(bytes);
}
static void every_byte_of_a_block() {
    int* out = device_zeros<int>(32);
    for (int n : {1, 13, 16, 17, 100}) uses_all<<<1, 32>>>(out, n);
    expect(to_host(out, 32)[31] == 4950, "sum");
}

// Allocates arrays of increasing size in a loop, and frees each one after copying it to the next.
// clean block_after_block
__global__ void grows(int* out) {
    int* list = nullptr;
    int count = 0;
    for (int size = 1; size <= 64; size *= 2) {
        int* larger = static_cast<int*>(malloc(size * sizeof(int)));
        for (int i = 0; i < count; ++i) larger[i] = list[i];
        for (; count < size; ++count) larger[count] = count;
        free(list);
        list = larger;
    }
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += list[i];
    free(list);
    out[threadIdx.x] = sum;
}
static void block_after_block() {
    int* out = device_zeros<int>(64);
    grows<<<2, 32>>>(out);
    expect(to_host(out, 64)[0] == 2016, "sum");
}

// A second kernel, which allocates nothing, reads a list that an earlier kernel has allocated.
struct Node {
    int value;
    Node* next;
};
__global__ void makes_list(Node** first, int count) {
    for (int i = 0; i < count; ++i) *first = new Node{i, *first};
}
__global__ void reads_list(int* out, Node** first) {
    int sum = 0;
    for (const Node* node = *first; node != nullptr; node = node->next) sum += node->value;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// clean list_of_an_earlier_launch
static void list_of_an_earlier_launch() {
    Node** first = device_zeros<Node*>(1);
    int* out = device_zeros<int>(256);
    makes_list<<<1, 1>>>(first, 20);
    reads_list<<<8, 32>>>(out, first);
    expect(to_host(out, 256)[255] == 190, "sum");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"every_byte_of_a_block", every_byte_of_a_block},
                        {"block_after_block", block_after_block},
                        {"list_of_an_earlier_launch", list_of_an_earlier_launch},
                    });
}
