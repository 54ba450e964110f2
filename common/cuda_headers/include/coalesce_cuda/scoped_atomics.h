// The atomics of libcu++, for 4-byte and 8-byte values. Each operation is a relaxed atomic between
// two fences, which provide the requested memory order.
#pragma once

#include <cuda/std/cstdint>
#include <cuda/std/type_traits>

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

namespace std {
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

__device__ COALESCE_INLINED void atomic_thread_fence(memory_order order,
                                                     thread_scope scope = thread_scope_system) {
    if (order == memory_order_relaxed || scope == thread_scope_thread) return;
    if (scope == thread_scope_block)
        __threadfence_block();
    else if (scope == thread_scope_device)
        __threadfence();
    else
        __threadfence_system();
}

namespace coalesce_detail {

/// The fences around an atomic operation. The constructor executes the first fence, and the
/// destructor executes the second fence.
template <thread_scope Scope>
struct Fences {
    memory_order order;
    __device__ COALESCE_INLINED explicit Fences(memory_order how) : order(how) {
        if (order >= memory_order_release) atomic_thread_fence(order, Scope);
    }
    __device__ COALESCE_INLINED ~Fences() {
        if (order != memory_order_release) atomic_thread_fence(order, Scope);
    }
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;

// clang-format off
#define COALESCE_BY_SCOPE(function, ...)                                        \
    (Scope == thread_scope_block    ? function##_block(__VA_ARGS__)             \
     : Scope == thread_scope_system ? function##_system(__VA_ARGS__)            \
                                    : function(__VA_ARGS__))

/// The base class of atomic_ref, with atomic operations on an object in memory.
template <class T, thread_scope Scope>
class AtomicAccess {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "without the CUDA toolkit, only 4- and 8-byte atomics are supported");
    using Raw = Bits<T>;
    static __device__ COALESCE_INLINED Raw raw(T value) { return __builtin_bit_cast(Raw, value); }
    static __device__ COALESCE_INLINED T value_of(Raw value) { return __builtin_bit_cast(T, value); }
    __device__ COALESCE_INLINED Raw* place() const { return reinterpret_cast<Raw*>(at_); }

public:
    using value_type = T;
    __device__ COALESCE_INLINED explicit AtomicAccess(T* at) : at_(at) {}

    __device__ COALESCE_INLINED T load(memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        Raw value;
        if constexpr (sizeof(T) == 4) asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(value) : "l"(at_) : "memory");
        else asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(value) : "l"(at_) : "memory");
        return value_of(value);
    }
    __device__ COALESCE_INLINED void store(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        if constexpr (sizeof(T) == 4) asm volatile("st.relaxed.gpu.b32 [%0], %1;" : : "l"(at_), "r"(raw(value)) : "memory");
        else asm volatile("st.relaxed.gpu.b64 [%0], %1;" : : "l"(at_), "l"(raw(value)) : "memory");
    }
    __device__ COALESCE_INLINED T exchange(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return value_of(COALESCE_BY_SCOPE(atomicExch, place(), raw(value)));
    }
    __device__ COALESCE_INLINED bool compare_exchange_strong(T& expected, T wanted, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        const Raw before = raw(expected), old = COALESCE_BY_SCOPE(atomicCAS, place(), before, raw(wanted));
        expected = value_of(old);
        return old == before;
    }
    __device__ COALESCE_INLINED bool compare_exchange_weak(T& expected, T wanted, memory_order order = memory_order_seq_cst) const {
        return compare_exchange_strong(expected, wanted, order);
    }
    __device__ COALESCE_INLINED T fetch_add(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        if constexpr (std::is_floating_point_v<T>) return COALESCE_BY_SCOPE(atomicAdd, at_, value);
        else return value_of(COALESCE_BY_SCOPE(atomicAdd, place(), raw(value)));
    }
    __device__ COALESCE_INLINED T fetch_sub(T value, memory_order order = memory_order_seq_cst) const { return fetch_add(-value, order); }
    __device__ COALESCE_INLINED T fetch_min(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return COALESCE_BY_SCOPE(atomicMin, at_, value);
    }
    __device__ COALESCE_INLINED T fetch_max(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return COALESCE_BY_SCOPE(atomicMax, at_, value);
    }
    __device__ COALESCE_INLINED T fetch_and(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return value_of(COALESCE_BY_SCOPE(atomicAnd, place(), raw(value)));
    }
    __device__ COALESCE_INLINED T fetch_or(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return value_of(COALESCE_BY_SCOPE(atomicOr, place(), raw(value)));
    }
    __device__ COALESCE_INLINED T fetch_xor(T value, memory_order order = memory_order_seq_cst) const {
        const Fences<Scope> fences(order);
        return value_of(COALESCE_BY_SCOPE(atomicXor, place(), raw(value)));
    }
    __device__ COALESCE_INLINED void wait(T old, memory_order order = memory_order_seq_cst) const {
        while (raw(load(order)) == raw(old)) __nanosleep(20);
    }
    // notify_one() and notify_all() do nothing, because wait() polls the value.
    __device__ COALESCE_INLINED void notify_one() const {}
    __device__ COALESCE_INLINED void notify_all() const {}
    __device__ COALESCE_INLINED operator T() const { return load(); }
    __device__ COALESCE_INLINED T operator=(T value) const { store(value); return value; }
    __device__ COALESCE_INLINED T operator++() const { return fetch_add(1) + 1; }
    __device__ COALESCE_INLINED T operator++(int) const { return fetch_add(1); }
    __device__ COALESCE_INLINED T operator--() const { return fetch_sub(1) - 1; }
    __device__ COALESCE_INLINED T operator--(int) const { return fetch_sub(1); }
    __device__ COALESCE_INLINED T operator+=(T value) const { return fetch_add(value) + value; }
    __device__ COALESCE_INLINED T operator-=(T value) const { return fetch_sub(value) - value; }
    __device__ COALESCE_INLINED T operator&=(T value) const { return fetch_and(value) & value; }
    __device__ COALESCE_INLINED T operator|=(T value) const { return fetch_or(value) | value; }

private:
    T* at_;
};
#undef COALESCE_BY_SCOPE
// clang-format on

}  // namespace coalesce_detail

/// A reference to an ordinary object, through which the object is accessed atomically.
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public coalesce_detail::AtomicAccess<T, Scope> {
public:
    using coalesce_detail::AtomicAccess<T, Scope>::operator=;
    __device__ COALESCE_INLINED explicit atomic_ref(T& object)
        : coalesce_detail::AtomicAccess<T, Scope>(&object) {}
};

}  // namespace cuda
