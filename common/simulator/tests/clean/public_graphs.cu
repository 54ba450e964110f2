// Graph algorithms as in benchmark suites: traversals, components, trees and orderings.
#include "../cases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

/// A graph in CSR format: edges[first[v]] to edges[first[v + 1] - 1] are the neighbours of v.
struct Graph {
    int n;
    const int *first, *edges, *weights;
};
struct HostGraph {
    int n = 0;
    std::vector<int> first, edges, weights;
    Graph on_device() const { return {n, to_device(first), to_device(edges), to_device(weights)}; }
};

/// Returns an undirected graph with at least two components, whose edge weights all differ.
static HostGraph make_graph(int n, int pairs, unsigned seed) {
    std::vector<std::vector<std::pair<int, int>>> neighbours(n);
    const auto ends = random_numbers(2 * pairs, n, seed);
    for (int i = 0; i < pairs; ++i) {
        const int a = ends[2 * i], b = ends[2 * i + 1];
        if (a == b || a % 10 == 9 || b % 10 == 9) continue;
        bool known = false;
        for (const auto& [to, weight] : neighbours[a]) known |= to == b;
        if (known) continue;
        neighbours[a].push_back({b, 1 + i * 37 % 1009});
        neighbours[b].push_back({a, 1 + i * 37 % 1009});
    }
    HostGraph graph{n, {0}, {}, {}};
    for (auto& list : neighbours) {
        std::sort(list.begin(), list.end());
        for (const auto& [to, weight] : list) {
            graph.edges.push_back(to);
            graph.weights.push_back(weight);
        }
        graph.first.push_back(static_cast<int>(graph.edges.size()));
    }
    return graph;
}

static std::vector<int> distances(const HostGraph& graph, int from) {
    std::vector<int> distance(graph.n, -1), queue{from};
    distance[from] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const int v = queue[i];
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const int to = graph.edges[e];
            if (distance[to] >= 0) continue;
            distance[to] = distance[v] + 1;
            queue.push_back(to);
        }
    }
    return distance;
}

/// Returns, for each vertex, the vertex with the smallest number in its component.
static std::vector<int> parts(const HostGraph& graph) {
    std::vector<int> part(graph.n, -1);
    for (int v = 0; v < graph.n; ++v) {
        if (part[v] >= 0) continue;
        const auto distance = distances(graph, v);
        for (int w = 0; w < graph.n; ++w) {
            if (distance[w] >= 0) part[w] = v;
        }
    }
    return part;
}

// clean levels_by_two_kernels
__global__ void visit(Graph graph, const bool* in_frontier, const bool* visited,
                      volatile bool* is_next) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n || !in_frontier[v]) return;
    for (int e = graph.first[v]; e < graph.first[v + 1]; e++) {
        const int to = graph.edges[e];
        if (!visited[to]) is_next[to] = true;
    }
}
__global__ void advance(int n, bool* in_frontier, int* cost, bool* visited, bool* is_next,
                        volatile bool* again, int level) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    in_frontier[v] = is_next[v];
    if (!is_next[v]) return;
    is_next[v] = false;
    visited[v] = true;
    cost[v] = level;
    *again = true;
}
static void levels_by_two_kernels() {
    const auto graph = make_graph(300, 500, 3);
    const Graph device = graph.on_device();
    bool *frontier = device_zeros<bool>(graph.n), *visited = device_zeros<bool>(graph.n);
    bool *is_next = device_zeros<bool>(graph.n), *again = device_zeros<bool>(1);
    int* cost = to_device(std::vector<int>(graph.n, -1));
    const bool yes = true, no = false;
    need(cudaMemcpy(is_next, &yes, 1, cudaMemcpyHostToDevice));
    bool go_on = true;
    for (int level = 0; go_on; ++level) {
        need(cudaMemcpy(again, &no, 1, cudaMemcpyHostToDevice));
        advance<<<3, 128>>>(graph.n, frontier, cost, visited, is_next, again, level);
        visit<<<3, 128>>>(device, frontier, visited, is_next);
        need(cudaMemcpy(&go_on, again, 1, cudaMemcpyDeviceToHost));
    }
    expect(to_host(cost, graph.n) == distances(graph, 0), "distances");
}

// clean frontier_queues
__global__ void expand(Graph graph, const int* frontier, int size, int* next, int* next_size,
                       int* distance, int level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const int v = frontier[i];
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const int to = graph.edges[e];
        if (atomicCAS(&distance[to], -1, level) == -1) next[atomicAdd(next_size, 1)] = to;
    }
}
static void frontier_queues() {
    const auto graph = make_graph(400, 700, 5);
    const Graph device = graph.on_device();
    std::vector<int> start(graph.n, -1);
    start[0] = 0;
    int *distance = to_device(start), *next_size = device_zeros<int>(1);
    int *frontier = device_zeros<int>(graph.n), *next = device_zeros<int>(graph.n);
    int size = 1;
    for (int level = 1; size > 0; ++level) {
        need(cudaMemset(next_size, 0, sizeof(int)));
        expand<<<(size + 63) / 64, 64>>>(device, frontier, size, next, next_size, distance, level);
        need(cudaMemcpy(&size, next_size, sizeof size, cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    expect(to_host(distance, graph.n) == distances(graph, 0), "distances");
}

// clean search_in_one_block
__global__ void search_by_block(Graph graph, int* distance) {
    __shared__ int queue[2][512];
    __shared__ int sizes[2];
    for (int v = threadIdx.x; v < graph.n; v += blockDim.x) distance[v] = v == 0 ? 0 : -1;
    if (threadIdx.x == 0) {
        queue[0][0] = 0;
        sizes[0] = 1;
        sizes[1] = 0;
    }
    __syncthreads();
    for (int level = 1, now = 0; sizes[now] > 0; ++level, now = 1 - now) {
        for (int i = threadIdx.x; i < sizes[now]; i += blockDim.x) {
            const int v = queue[now][i];
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                if (atomicCAS(&distance[graph.edges[e]], -1, level) == -1)
                    queue[1 - now][atomicAdd(&sizes[1 - now], 1)] = graph.edges[e];
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) sizes[now] = 0;
        __syncthreads();
    }
}
static void search_in_one_block() {
    const auto graph = make_graph(350, 500, 7);
    int* distance = device_zeros<int>(graph.n);
    search_by_block<<<1, 96>>>(graph.on_device(), distance);
    expect(to_host(distance, graph.n) == distances(graph, 0), "distances");
}

// clean parts_by_labels
__global__ void spread_labels(Graph graph, int* labels, int* changed) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n) return;
    const int mine = *static_cast<volatile int*>(&labels[v]);
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        if (atomicMin(&labels[graph.edges[e]], mine) > mine) atomicExch(changed, 1);
    }
}
static void parts_by_labels() {
    const auto graph = make_graph(300, 260, 9);
    const Graph device = graph.on_device();
    int *labels = device_iota<int>(graph.n), *changed = device_zeros<int>(1);
    for (int again = 1; again;) {
        need(cudaMemset(changed, 0, sizeof(int)));
        spread_labels<<<3, 128>>>(device, labels, changed);
        need(cudaMemcpy(&again, changed, sizeof again, cudaMemcpyDeviceToHost));
    }
    expect(to_host(labels, graph.n) == parts(graph), "smallest of each part");
}

// clean union_and_find
// Each lookup halves the path to the root. A compare-and-swap links a root to a smaller one.
__device__ int find_root(int* parent, int v) {
    volatile int* links = parent;
    for (;;) {
        const int above = links[v];
        if (above == v) return v;
        const int next = links[above];
        if (next != above) atomicCAS(&parent[v], above, next);
        v = next;
    }
}
__global__ void unite(Graph graph, int* parent) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n) return;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        int a = v, b = graph.edges[e];
        if (b < v) continue;
        while (true) {
            a = find_root(parent, a);
            b = find_root(parent, b);
            if (a == b) break;
            if (a < b) {
                const int swap = a;
                a = b;
                b = swap;
            }
            if (atomicCAS(&parent[a], a, b) == a) break;
        }
    }
}
__global__ void flatten(int* parent, int* roots, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) roots[v] = find_root(parent, v);
}
static void union_and_find() {
    const auto graph = make_graph(400, 380, 11);
    int *parent = device_iota<int>(graph.n), *roots = device_zeros<int>(graph.n);
    unite<<<4, 128>>>(graph.on_device(), parent);
    flatten<<<4, 128>>>(parent, roots, graph.n);
    expect(to_host(roots, graph.n) == parts(graph), "smallest of each part");
}

// clean shortest_paths
__global__ void relax(Graph graph, const bool* active, int* cost, int* next_cost) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n || !active[v]) return;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
        atomicMin(&next_cost[graph.edges[e]], cost[v] + graph.weights[e]);
}
__global__ void take_over(int n, bool* active, int* cost, const int* next_cost, int* left) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const bool better = v < n && next_cost[v] < cost[v];
    if (better) cost[v] = next_cost[v];
    if (v < n) active[v] = better;
    const int count = __syncthreads_count(better);
    if (threadIdx.x == 0 && count > 0) atomicAdd(left, count);
}
static void shortest_paths() {
    const auto graph = make_graph(250, 500, 13);
    const int far = 1 << 29;
    const Graph device = graph.on_device();
    std::vector<int> start(graph.n, far);
    int* cost = to_device(start);
    start[0] = 0;
    int *next_cost = to_device(start), *left = device_zeros<int>(1);
    bool* active = device_zeros<bool>(graph.n);
    int count = 1;
    while (count > 0) {
        need(cudaMemset(left, 0, sizeof(int)));
        take_over<<<2, 128>>>(graph.n, active, cost, next_cost, left);
        relax<<<2, 128>>>(device, active, cost, next_cost);
        need(cudaMemcpy(&count, left, sizeof count, cudaMemcpyDeviceToHost));
    }
    for (int pass = 0; pass < graph.n; ++pass) {
        for (int v = 0; v < graph.n; ++v) {
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                int& there = start[graph.edges[e]];
                there = std::min(there, start[v] + graph.weights[e]);
            }
        }
    }
    for (int& value : start) value = std::min(value, far);
    expect(to_host(cost, graph.n) == start, "costs");
}

// clean page_rank
__global__ void rank_pages(Graph graph, double* next, const double* rank, double* difference) {
    __shared__ double changes[64];
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    double change = 0;
    if (v < graph.n) {
        double sum = 0;
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            const int from = graph.edges[e];
            sum += rank[from] / (graph.first[from + 1] - graph.first[from]);
        }
        next[v] = 0.15 / graph.n + 0.85 * sum;
        change = next[v] > rank[v] ? next[v] - rank[v] : rank[v] - next[v];
    }
    changes[threadIdx.x] = change;
    for (int half = 32; half > 0; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) changes[threadIdx.x] += changes[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(difference, changes[0]);
}
static void page_rank() {
    const auto graph = make_graph(200, 500, 15);
    const Graph device = graph.on_device();
    std::vector<double> rank(graph.n, 1.0 / graph.n), next(graph.n);
    double *now = to_device(rank), *then = device_zeros<double>(graph.n);
    double *difference = device_zeros<double>(1), change = 1;
    int rounds = 0;
    for (; change > 1e-6 && rounds < 100; ++rounds) {
        need(cudaMemset(difference, 0, sizeof(double)));
        rank_pages<<<4, 64>>>(device, then, now, difference);
        need(cudaMemcpy(&change, difference, sizeof change, cudaMemcpyDeviceToHost));
        std::swap(now, then);
    }
    expect(rounds > 5 && rounds < 100, "rounds");
    for (int round = 0; round < rounds; ++round, std::swap(rank, next)) {
        for (int v = 0; v < graph.n; ++v) {
            double sum = 0;
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                const int from = graph.edges[e];
                sum += rank[from] / (graph.first[from + 1] - graph.first[from]);
            }
            next[v] = 0.15 / graph.n + 0.85 * sum;
        }
    }
    const auto host = to_host(now, graph.n);
    for (int v = 0; v < graph.n; ++v) expect(std::abs(host[v] - rank[v]) < 1e-12, "rank");
}

// clean triangles
__global__ void count_triangles(Graph graph, unsigned long long* total) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n) return;
    unsigned found = 0;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const int w = graph.edges[e];
        if (w <= v) continue;
        int i = graph.first[v], k = graph.first[w];
        while (i < graph.first[v + 1] && k < graph.first[w + 1]) {
            const int a = graph.edges[i], b = graph.edges[k];
            if (a == b && a > w) ++found;
            if (a <= b) ++i;
            if (b <= a) ++k;
        }
    }
    if (found) atomicAdd(total, static_cast<unsigned long long>(found));
}
static void triangles() {
    const auto graph = make_graph(100, 1200, 17);
    auto* total = device_zeros<unsigned long long>(1);
    count_triangles<<<2, 64>>>(graph.on_device(), total);
    std::vector<std::vector<bool>> joined(graph.n, std::vector<bool>(graph.n));
    for (int v = 0; v < graph.n; ++v) {
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) joined[v][graph.edges[e]] = true;
    }
    unsigned long long want = 0;
    for (int a = 0; a < graph.n; ++a) {
        for (int b = a + 1; b < graph.n; ++b) {
            for (int c = b + 1; c < graph.n; ++c)
                want += joined[a][b] && joined[b][c] && joined[a][c];
        }
    }
    expect(want > 10 && to_host(total, 1)[0] == want, "triangles");
}

// clean independent_set_by_priorities
__device__ unsigned priority(int v) {
    return v * 2654435761u;
}
__global__ void choose(Graph graph, volatile int* state, const int* was, int* undecided) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n || was[v] != 0) return;
    bool is_highest = true;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const int w = graph.edges[e];
        if (was[w] == 0 && priority(w) > priority(v)) is_highest = false;
    }
    if (!is_highest) {
        atomicAdd(undecided, 1);
        return;
    }
    state[v] = 1;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) state[graph.edges[e]] = 2;
}
static void independent_set_by_priorities() {
    const auto graph = make_graph(300, 700, 19);
    const Graph device = graph.on_device();
    int *state = device_zeros<int>(graph.n), *was = device_zeros<int>(graph.n);
    int *undecided = device_zeros<int>(1), left = 1;
    while (left > 0) {
        need(cudaMemset(undecided, 0, sizeof(int)));
        need(cudaMemcpy(was, state, graph.n * sizeof(int), cudaMemcpyDeviceToDevice));
        choose<<<3, 128>>>(device, state, was, undecided);
        need(cudaMemcpy(&left, undecided, sizeof left, cudaMemcpyDeviceToHost));
    }
    const auto host = to_host(state, graph.n);
    for (int v = 0; v < graph.n; ++v) {
        int chosen = 0;
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
            chosen += host[graph.edges[e]] == 1;
        expect(host[v] == 1 ? chosen == 0 : host[v] == 2 && chosen > 0, "independent and maximal");
    }
}

// clean topological_levels
// Edges lead to higher vertices. A vertex joins the next level once it has no incoming edges left.
__global__ void remove_level(Graph graph, int* degree, volatile int* level, int now, int* removed) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n || level[v] != now) return;
    atomicAdd(removed, 1);
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        const int w = graph.edges[e];
        if (w > v && atomicSub(&degree[w], 1) == 1) level[w] = now + 1;
    }
}
static void topological_levels() {
    const auto graph = make_graph(200, 260, 21);
    std::vector<int> degree(graph.n), want(graph.n);
    for (int v = 0; v < graph.n; ++v) {
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            if (graph.edges[e] < v) {
                ++degree[v];
                want[v] = std::max(want[v], want[graph.edges[e]] + 1);
            }
        }
    }
    std::vector<int> start(graph.n);
    for (int v = 0; v < graph.n; ++v) start[v] = degree[v] == 0 ? 0 : -1;
    const Graph device = graph.on_device();
    int *level = to_device(start), *degrees = to_device(degree), *removed = device_zeros<int>(1);
    int count = 0;
    for (int now = 0; count < graph.n && now < graph.n; ++now) {
        remove_level<<<2, 100>>>(device, degrees, level, now, removed);
        need(cudaMemcpy(&count, removed, sizeof count, cudaMemcpyDeviceToHost));
    }
    expect(to_host(level, graph.n) == want, "levels");
}

// clean lightest_tree
// Boruvka's algorithm: each component selects its lightest outgoing edge. Then components merge.
__global__ void lightest_edges(Graph graph, const int* part, unsigned long long* best) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= graph.n) return;
    for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
        if (part[graph.edges[e]] == part[v]) continue;
        const auto weight = static_cast<unsigned long long>(graph.weights[e]);
        atomicMin(&best[part[v]], weight << 32 | static_cast<unsigned>(graph.edges[e]));
    }
}
__global__ void hook(int n, const int* part, int* hooked, const unsigned long long* best,
                     unsigned long long* total, int* changed) {
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    hooked[p] = p;
    if (part[p] != p || best[p] == ~0ull) return;
    const int other = part[best[p] & 0xffffffff];
    const bool mutual = best[other] >> 32 == best[p] >> 32;  // both chose the same edge
    if (mutual && p < other) return;
    hooked[p] = other;
    atomicAdd(total, best[p] >> 32);
    atomicExch(changed, 1);
}
__global__ void jump(int n, int* part, const int* hooked) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int p = part[v];
    while (hooked[p] != p) p = hooked[p];
    part[v] = p;
}
static void lightest_tree() {
    const auto graph = make_graph(150, 400, 23);
    const Graph device = graph.on_device();
    int *part = device_iota<int>(graph.n), *hooked = device_zeros<int>(graph.n);
    auto* best = device_zeros<unsigned long long>(graph.n);
    auto* total = device_zeros<unsigned long long>(1);
    int *changed = device_zeros<int>(1), again = 1;
    while (again) {
        need(cudaMemset(best, 0xff, graph.n * sizeof *best));
        need(cudaMemset(changed, 0, sizeof(int)));
        lightest_edges<<<2, 96>>>(device, part, best);
        hook<<<2, 96>>>(graph.n, part, hooked, best, total, changed);
        jump<<<2, 96>>>(graph.n, part, hooked);
        need(cudaMemcpy(&again, changed, sizeof again, cudaMemcpyDeviceToHost));
    }
    struct Edge {
        int weight, a, b;
    };
    std::vector<Edge> edges;
    for (int v = 0; v < graph.n; ++v) {
        for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
            edges.push_back({graph.weights[e], v, graph.edges[e]});
    }
    std::sort(edges.begin(), edges.end(), [](auto& x, auto& y) { return x.weight < y.weight; });
    std::vector<int> of(graph.n);
    std::iota(of.begin(), of.end(), 0);
    unsigned long long want = 0;
    for (const Edge& edge : edges) {
        const int from = of[edge.a], to = of[edge.b];
        if (from == to) continue;
        want += edge.weight;
        std::replace(of.begin(), of.end(), from, to);
    }
    expect(to_host(total, 1)[0] == want, "weight of the tree");
}

// clean ranks_in_a_list
// Pointer jumping: after k rounds, each element looks 2^k elements ahead.
__global__ void jump_ahead(int* next_out, int* rank_out, const int* next, const int* rank, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    rank_out[i] = rank[i] + rank[next[i]];
    next_out[i] = next[next[i]];
}
static void ranks_in_a_list() {
    const int n = 500;
    std::vector<int> next(n), rank(n, 1), want(n);
    for (int k = 0; k < n; ++k) {
        const int at = k * 7 % n;  // a permutation, because 7 and 500 are coprime
        next[at] = k + 1 < n ? (k + 1) * 7 % n : at;
        want[at] = n - 1 - k;
    }
    rank[(n - 1) * 7 % n] = 0;
    int *next_a = to_device(next), *next_b = device_zeros<int>(n);
    int *rank_a = to_device(rank), *rank_b = device_zeros<int>(n);
    for (int reach = 1; reach < n; reach *= 2) {
        jump_ahead<<<4, 128>>>(next_b, rank_b, next_a, rank_a, n);
        std::swap(next_a, next_b);
        std::swap(rank_a, rank_b);
    }
    expect(to_host(rank_a, n) == want, "ranks");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"levels_by_two_kernels", levels_by_two_kernels},
                        {"frontier_queues", frontier_queues},
                        {"search_in_one_block", search_in_one_block},
                        {"parts_by_labels", parts_by_labels},
                        {"union_and_find", union_and_find},
                        {"shortest_paths", shortest_paths},
                        {"page_rank", page_rank},
                        {"triangles", triangles},
                        {"independent_set_by_priorities", independent_set_by_priorities},
                        {"topological_levels", topological_levels},
                        {"lightest_tree", lightest_tree},
                        {"ranks_in_a_list", ranks_in_a_list},
                    });
}
