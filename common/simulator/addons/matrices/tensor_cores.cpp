// Executes mma.sync and wmma.mma: d = a * b + c, with matrices that are distributed across the
// registers of a warp.
//
// Builds on  fragments.h, which says which lane and register contain each element.
// Rounding   Products of f16, bf16 and tf32 are exact. They are added to c one after the other in
//            double precision, and the sum is rounded once, to nearest. Tensor cores add several
//            products at a time and truncate the bits far below the largest of them, so their last
//            bits may differ. Results with small integers are exact on both. For tf32, the lower 13
//            bits of each f32 are ignored. f64 is computed by a chain of fma. A NaN result always
//            has the same bits.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "simulator/addons/matrices/whole_warp.h"
#include "simulator/base/half.h"
#include "simulator/execute/fragments.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

namespace {

/// The number of elements in the largest supported matrix. Elements are doubles, which represent
/// 32-bit integers, and sums of products of 8-bit integers, exactly.
constexpr u32 kMaxElements = 1024;
using MatrixElements = std::array<double, kMaxElements>;

/// The distances in `MatrixElements` between neighbouring lines of a matrix fragment, and between
/// neighbouring elements in a line. Matrix a and the accumulators are stored row by row. In matrix
/// b, all elements with the same index k are next to each other.
struct Strides {
    u32 line_stride, element_stride;
};
Strides compute_strides(const MatrixFragment& f, const MatrixShape& shape) {
    if (f.part == Part::a) return {f.elements_per_line, 1};
    if (f.part == Part::b || f.is_transposed) return {1, shape.n};
    return {f.elements_per_line, 1};
}

/// Calls `body` for each element. The arguments are the lane's register, the element's index in the
/// register, and the element's index in `MatrixElements`.
template <class Lane, class Body>
void for_each_element(const Warp& w, const MatrixFragment& f, const MatrixShape& shape, Body body) {
    const u32 elements_per_register = f.elements_of_register();
    const Strides strides = compute_strides(f, shape);
    for (u32 index = 0; index < f.registers(); ++index) {
        Lane* lanes = w.lanes<Lane>(f.slots[index]);
        for (u32 lane = 0; lane < kLanes; ++lane) {
            const MatrixFragment::Place place = f.place(lane, index);
            const u32 element_index =
                place.line * strides.line_stride + place.across * strides.element_stride;
            for (u32 e = 0; e < elements_per_register; ++e)
                body(lanes[lane], e, element_index + e * strides.element_stride);
        }
    }
}

template <class Lane, class Decode>
void read_elements_with(const Warp& w, const MatrixFragment& f, const MatrixShape& shape,
                        MatrixElements& elements, Decode decode) {
    for_each_element<Lane>(w, f, shape,
                           [&](Lane bits, u32 e, u32 at) { elements[at] = decode(bits, e); });
}

i32 extract_signed(u32 word, u32 e, u32 bits) {
    return static_cast<i32>(word << (32 - bits * (e + 1))) >> (32 - bits);
}
i32 extract_unsigned(u32 word, u32 e, u32 bits) {
    return static_cast<i32>(word >> bits * e & ((1u << bits) - 1));
}

void read_fragment(const Warp& w, const MatrixFragment& f, const MatrixShape& shape,
                   MatrixElements& elements) {
    const u32 bits = number_bits(f.number);
    constexpr u32 kTf32Bits = 0xffffe000;
    const auto extract_16_bits = [](u32 word, u32 e) { return static_cast<u16>(word >> 16 * e); };
    switch (f.number) {
        case NumberType::f16:
            read_elements_with<u32>(w, f, shape, elements, [&](u32 word, u32 e) {
                return to_float(F16{extract_16_bits(word, e)});
            });
            break;
        case NumberType::bf16:
            read_elements_with<u32>(w, f, shape, elements, [&](u32 word, u32 e) {
                return to_float(BF16{extract_16_bits(word, e)});
            });
            break;
        case NumberType::tf32:
            read_elements_with<u32>(w, f, shape, elements, [](u32 word, u32) {
                return std::bit_cast<float>(word & kTf32Bits);
            });
            break;
        case NumberType::f64:
            read_elements_with<u64>(w, f, shape, elements,
                                    [](u64 word, u32) { return std::bit_cast<double>(word); });
            break;
        case NumberType::f32:
            read_elements_with<u32>(w, f, shape, elements,
                                    [](u32 word, u32) { return std::bit_cast<float>(word); });
            break;
        case NumberType::s8:
        case NumberType::s4:
            read_elements_with<u32>(w, f, shape, elements,
                                    [=](u32 word, u32 e) { return extract_signed(word, e, bits); });
            break;
        case NumberType::u8:
        case NumberType::u4:
            read_elements_with<u32>(w, f, shape, elements, [=](u32 word, u32 e) {
                return extract_unsigned(word, e, bits);
            });
            break;
        default:
            read_elements_with<u32>(w, f, shape, elements,
                                    [](u32 word, u32) { return static_cast<i32>(word); });
    }
}

/// Adds the products of a and b to the m * n elements of `sums`.
template <class Add>
void multiply(const MatrixShape& shape, u32 steps, const MatrixElements& a, const MatrixElements& b,
              MatrixElements& sums, Add add_product) {
    for (u32 row = 0; row < shape.m; ++row) {
        double* sum_row = sums.data() + row * shape.n;
        for (u32 k = 0; k < steps; ++k) {
            const double left_element = a[row * steps + k];
            const double* right_row = b.data() + k * shape.n;
            for (u32 col = 0; col < shape.n; ++col)
                sum_row[col] = add_product(sum_row[col], left_element, right_row[col]);
        }
    }
}

void write_fragment(const Warp& w, const MatrixOp& op, const MatrixElements& sums) {
    switch (op.d.number) {
        case NumberType::f64:
            for_each_element<u64>(w, op.d, op.shape, [&](u64& word, u32, u32 at) {
                word = std::bit_cast<u64>(sums[at]);
            });
            break;
        case NumberType::f16:
            for_each_element<u32>(w, op.d, op.shape, [&](u32& word, u32 e, u32 at) {
                word = (word & 0xffffu << 16 * (1 - e)) | u32{to_f16(sums[at]).bits} << 16 * e;
            });
            break;
        case NumberType::s32:
            for_each_element<u32>(w, op.d, op.shape, [&](u32& word, u32, u32 at) {
                constexpr double kMinResult = std::numeric_limits<i32>::min(),
                                 kMaxResult = std::numeric_limits<i32>::max();
                const double sum =
                    op.saturates ? std::clamp(sums[at], kMinResult, kMaxResult) : sums[at];
                word = static_cast<u32>(static_cast<i64>(sum));
            });
            break;
        default:
            for_each_element<u32>(w, op.d, op.shape, [&](u32& word, u32, u32 at) {
                const double sum = sums[at];
                word = sum != sum ? kCanonicalNan32 : std::bit_cast<u32>(static_cast<float>(sum));
            });
    }
}

template <class Add>
const Op* multiply_with(Warp& w, const Op* op, Add add_product) {
    if (!is_whole_warp(w, op)) return nullptr;
    const MatrixOp& matrix = *op->matrix;
    MatrixElements a, b, sums;
    read_fragment(w, matrix.a, matrix.shape, a);
    read_fragment(w, matrix.b, matrix.shape, b);
    read_fragment(w, matrix.c, matrix.shape, sums);
    multiply(matrix.shape, matrix.a.elements_per_line, a, b, sums, add_product);
    write_fragment(w, matrix, sums);
    return op + 1;
}

const Op* run_product(Warp& w, const Op* op) {
    return multiply_with(w, op, [](double sum, double x, double y) { return sum + x * y; });
}
const Op* run_fma_product(Warp& w, const Op* op) {
    return multiply_with(w, op, [](double sum, double x, double y) { return std::fma(x, y, sum); });
}
/// Multiplies one-bit matrices 32 bits at a time. Counts the bit positions at which the operands
/// differ (xor), or at which both are set (and).
const Op* run_bit_product(Warp& w, const Op* op) {
    return multiply_with(w, op, [both = op->matrix->uses_and](double sum, double x, double y) {
        const auto a = static_cast<i32>(x), b = static_cast<i32>(y);
        return sum + std::popcount(static_cast<u32>(both ? a & b : a ^ b));
    });
}

// ---- the supported instructions ----

/// The supported products for one element type of matrix a: the element types of the accumulators,
/// and the shapes for mma and for wmma.
struct SupportedProducts {
    NumberType a;
    std::array<NumberType, 2> accumulators;
    std::string_view mma, wmma;

    bool supports_accumulator(NumberType number) const {
        return number == accumulators[0] || number == accumulators[1];
    }
};
constexpr SupportedProducts kProducts[] = {
    {NumberType::f16,
     {NumberType::f16, NumberType::f32},
     "m16n8k8 m16n8k16",
     "m16n16k16 m32n8k16 m8n32k16"},
    {NumberType::bf16,
     {NumberType::f32, NumberType::f32},
     "m16n8k8 m16n8k16",
     "m16n16k16 m32n8k16 m8n32k16"},
    {NumberType::tf32, {NumberType::f32, NumberType::f32}, "m16n8k4 m16n8k8", "m16n16k8"},
    {NumberType::f64,
     {NumberType::f64, NumberType::f64},
     "m8n8k4 m16n8k4 m16n8k8 m16n8k16",
     "m8n8k4"},
    {NumberType::s8,
     {NumberType::s32, NumberType::s32},
     "m8n8k16 m16n8k16 m16n8k32",
     "m16n16k16 m32n8k16 m8n32k16"},
    {NumberType::s4, {NumberType::s32, NumberType::s32}, "m8n8k32 m16n8k32 m16n8k64", "m8n8k32"},
    {NumberType::b1,
     {NumberType::s32, NumberType::s32},
     "m8n8k128 m16n8k128 m16n8k256",
     "m8n8k128"}};

bool is_word_in_list(std::string_view word, std::string_view list) {
    for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' '))
            return true;
    }
    return false;
}

/// Returns the signed integer type of the same size as `number`. Signed and unsigned integers
/// support the same shapes and may be mixed.
NumberType to_signed_type(NumberType number) {
    if (number == NumberType::u8) return NumberType::s8;
    return number == NumberType::u4 ? NumberType::s4 : number;
}

/// Returns the matrix operation that the instruction specifies, or nothing if a modifier is unknown
/// or the combination is not supported.
std::optional<MatrixOp> parse_matrix_op(const ptx::Instruction& i, bool is_wmma) {
    static constexpr std::string_view kPlainModifiers[] = {
        "sync", "aligned", "mma", "satfinite", "row", "col", "popc", "xor", "and", "rn"};
    MatrixOp op;
    std::vector<NumberType> numbers;
    std::string_view shape_name;
    for (const std::string& m : i.modifiers) {
        if (const NumberType number = parse_number_type(m); number != NumberType::none)
            numbers.push_back(number);
        else if (const MatrixShape shape = parse_matrix_shape(m); shape.m != 0)
            shape_name = m, op.shape = shape;
        else if (std::find(std::begin(kPlainModifiers), std::end(kPlainModifiers), m) ==
                 std::end(kPlainModifiers))
            return std::nullopt;
    }
    // For f16, the modifiers of wmma contain only the types of the accumulators d and c.
    if (is_wmma && numbers.size() == 2)
        numbers = {numbers[0], NumberType::f16, NumberType::f16, numbers[1]};
    if (numbers.size() != 4) return std::nullopt;
    const NumberType a = to_signed_type(numbers[1]);
    const bool is_known = std::any_of(
        std::begin(kProducts), std::end(kProducts), [&](const SupportedProducts& entry) {
            return entry.a == a && is_word_in_list(shape_name, is_wmma ? entry.wmma : entry.mma) &&
                   entry.supports_accumulator(numbers[0]) && entry.supports_accumulator(numbers[3]);
        });
    const bool is_mixed = numbers[0] != numbers[3] && !is_wmma;
    if (!is_known || is_mixed || to_signed_type(numbers[2]) != a) return std::nullopt;
    op.d = MatrixFragment(Part::accumulator, numbers[0], op.shape);
    op.a = MatrixFragment(Part::a, numbers[1], op.shape);
    op.b = MatrixFragment(Part::b, numbers[2], op.shape);
    op.c = MatrixFragment(Part::accumulator, numbers[3], op.shape);
    op.saturates = i.has("satfinite");
    op.uses_and = i.has("and");
    return op;
}

Handler choose_handler(NumberType a) {
    if (a == NumberType::b1) return run_bit_product;
    return a == NumberType::f64 ? run_fma_product : run_product;
}

Description describe_product(const ptx::Instruction& i, bool is_wmma) {
    std::optional<MatrixOp> op = parse_matrix_op(i, is_wmma);
    if (!op || i.operands.size() != 4) return std::nullopt;
    if (!is_wmma && (!i.has("row") || !i.has("col"))) return std::nullopt;
    const MatrixFragment* const fragments[] = {&op->d, &op->a, &op->b, &op->c};
    constexpr Role kRoles[] = {Role::fragment_d, Role::fragment_a, Role::fragment_b,
                               Role::fragment_c};
    std::vector<OperandRole> roles;
    for (std::size_t k = 0; k < std::size(kRoles); ++k) {
        if (!matches_fragment(i.operands[k], *fragments[k], is_wmma)) return std::nullopt;
        roles.push_back({kRoles[k], element_width(fragments[k]->number)});
    }
    const Handler handler = choose_handler(op->a.number);
    return describe_for_whole_warp(i, {.run = handler,
                                       .operands = std::move(roles),
                                       .matrix = std::make_shared<MatrixOp>(*std::move(op))});
}

}  // namespace

bool is_wmma_shape(std::string_view shape, Part part, NumberType number) {
    return std::any_of(std::begin(kProducts), std::end(kProducts),
                       [&](const SupportedProducts& known) {
                           return is_word_in_list(shape, known.wmma) &&
                                  (part == Part::accumulator ? known.supports_accumulator(number)
                                                             : to_signed_type(number) == known.a);
                       });
}

bool matches_fragment(const ptx::Operand& operand, const MatrixFragment& fragment, bool is_wmma) {
    constexpr std::size_t kElementsOfF16 = 8;
    const bool is_vector = operand.kind == ptx::Operand::Kind::vector;
    const std::size_t count = is_vector ? operand.elements.size() : 1;
    const bool has_repeated_registers =
        is_wmma && fragment.part != Part::accumulator && fragment.number == NumberType::f16;
    return count == (has_repeated_registers ? kElementsOfF16 : fragment.registers());
}

// mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.xor.popc | .and.popc} {d}, {a}, {b}, {c}
Description describe_mma(const ptx::Instruction& i, const ptx::Function&) {
    return describe_product(i, false);
}

// wmma.mma{.xor.popc | .and.popc}.sync.aligned.ROW.COL.SHAPE.D{.A.B}.C{.satfinite} {d}, {a}, {b},
// {c} wmma.load and wmma.store: wmma_memory.cpp
Description describe_wmma(const ptx::Instruction& i, const ptx::Function&) {
    if (i.has("mma")) return describe_product(i, true);
    return describe_fragment_access(i);
}

}  // namespace coalesce::simulator
