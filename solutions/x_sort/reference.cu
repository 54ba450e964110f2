// data[index]: the smallest value for which more than `index` elements are at most as large.
__device__ int sort_reference(const int* data, int n, int index) {
    int low = -1000, high = 1000;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        int count = 0;
        for (int i = 0; i < n; ++i) count += data[i] <= middle;
        if (count > index) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
