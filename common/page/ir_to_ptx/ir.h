// The in-memory form of an LLVM IR module. The reader creates the module, passes change it, and the
// emitter prints it as PTX.
//
// Idea   As in LLVM, everything that an instruction can refer to is a Value: constants, arguments,
//        blocks, functions, variables and instructions. The module owns all values until it is
//        destroyed, so a pass can delete an instruction by removing it from its block.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "page/ir_to_ptx/debug_types.h"
#include "page/ir_to_ptx/instructions.h"
#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

struct Block;
struct Function;
struct Instruction;

/// A position in the source. `inlined_at` is the call site at which the code was inlined.
struct SourceLocation {
    std::string file;
    u32 line = 0, column = 0;
    std::string function;  ///< the function's name in the source
    const SourceLocation* inlined_at = nullptr;
};

/// Returns the outermost call site at which the code at `location` was inlined. Returns `location`
/// itself if the code was not inlined.
const SourceLocation* outermost_call_site(const SourceLocation* location);

struct Value {
    enum class Kind : u8 {
        argument,
        instruction,
        block,
        function,
        variable,
        number,      ///< Constant: an integer, or the bits of a floating-point number
        zero,        ///< Constant: null, zeroinitializer, false
        undefined,   ///< Constant: undef or poison
        aggregate,   ///< Constant: its operands are the elements
        expression,  ///< Constant: an operation on its operands
        inline_asm,  ///< InlineAsm
        metadata,    ///< an operand of a call; only its name is stored
    };
    Kind kind;
    const Type* type;
    std::string name;  ///< the name without % or @

    Value(Kind k, const Type* t, std::string n = "") : kind(k), type(t), name(std::move(n)) {}
    virtual ~Value() = default;
    bool has_kind(Kind k) const { return kind == k; }
    bool is_constant() const { return kind >= Kind::function && kind <= Kind::expression; }
};

/// The common base of instructions and constant expressions.
struct Operation : Value {
    using Value::Value;
    Op op = Op::count;
    std::vector<Value*> operands;
    /// For a getelementptr, the type whose size multiplies the first index. For an alloca or a
    /// load, the type in memory.
    const Type* memory_type = nullptr;
    /// The indices of an extractvalue or insertvalue, or the mask of a shufflevector.
    std::vector<u64> indices;
};
constexpr u64 kAnyLane = ~u64{0};

struct Constant : Operation {
    using Operation::Operation;
    u64 bits = 0, high = 0;  ///< a number, zero-extended to 64 bits; `high` contains bits 64 to 127
};

struct InlineAsm : Value {
    using Value::Value;
    std::string text, constraints;
    bool has_side_effects = false;
};

enum class Ordering : u8 { none, unordered, monotonic, acquire, release, acq_rel, seq_cst };

/// The bits of Instruction::flags.
namespace flag {
enum : u32 {
    nuw = 1 << 0,
    nsw = 1 << 1,
    exact = 1 << 2,
    disjoint = 1 << 3,
    nneg = 1 << 4,
    inbounds = 1 << 5,
    samesign = 1 << 6,
    nnan = 1 << 7,
    ninf = 1 << 8,
    nsz = 1 << 9,
    arcp = 1 << 10,
    contract_multiply_adds = 1 << 11,
    afn = 1 << 12,
    reassoc = 1 << 13,
    is_volatile = 1 << 14,
    is_atomic = 1 << 15,
    invariant = 1 << 16,  ///< a load with !invariant.load
};
}  // namespace flag

struct Instruction : Operation {
    using Operation::Operation;
    Block* parent = nullptr;
    const SourceLocation* location = nullptr;
    u32 flags = 0;
    u32 align = 0;          ///< the alignment of a memory operation in bytes; 0 if not given
    std::string predicate;  ///< the comparison or the atomic operation, such as "slt" or "add"
    Ordering ordering = Ordering::none;
    Ordering failure_ordering = Ordering::none;
    std::string scope;  ///< the syncscope; "" is the whole system
    /// For a phi, the blocks that its operands come from. For a br or a switch, the targets. The
    /// first target of a br is the one for true. The first target of a switch is the default, and
    /// each of operands[1...] has one of the following targets.
    std::vector<Block*> blocks;
    /// The callee of a call, whose operands are the arguments.
    Value* callee = nullptr;
    const Type* function_type = nullptr;
    /// For each argument of a call, the type T of its attribute byval(T), or nullptr if it has
    /// none. `by_value_align` contains the alignment of each argument.
    std::vector<const Type*> by_value;
    std::vector<u32> by_value_align;
    /// Whether a br carries the loop metadata llvm.loop.unroll.disable.
    bool is_not_unrolled = false;
    std::string text;  ///< the instruction's text in the IR, for messages

    bool has_flag(u32 f) const { return (flags & f) != 0; }
    bool ends_block() const { return op >= Op::br && op <= Op::unreachable; }
};

struct Argument : Value {
    using Value::Value;
    u32 index = 0;
    u32 align = 0;
    const Type* by_value = nullptr;  ///< byval(T): the argument is a copy of a T
    bool is_read_only = false;       ///< whether the argument is readonly or readnone
    bool is_no_alias = false;
};

struct Block : Value {
    using Value::Value;
    Function* parent = nullptr;
    std::vector<Instruction*> instructions;

    Instruction* last() const { return instructions.back(); }
};

/// The attributes after a function's name, as keys with optional values ("nvvm.maxntid" = "256").
using Attributes = std::map<std::string, std::string>;

struct Function : Value {
    using Value::Value;
    const Type* function_type = nullptr;
    std::vector<Argument*> arguments;
    std::vector<Block*> blocks;  ///< empty if the function is only declared
    Attributes attributes;
    bool is_kernel = false;
    std::string linkage;  ///< "internal", "weak_odr"; "" is external
    const SourceLocation* location = nullptr;
    std::vector<DebugVariable> debug_variables;  ///< the source variables held in allocas

    bool is_declaration() const { return blocks.empty(); }
    const Type* return_type() const { return function_type->elements.front(); }
};

struct Variable : Value {
    using Value::Value;  ///< the value is the address of the variable, so its type is a pointer
    const Type* memory_type = nullptr;
    Space space = Space::generic;
    Value* initial = nullptr;  ///< nullptr for an external variable
    u32 align = 0;
    bool is_constant_data = false;  ///< whether the variable is "constant" rather than "global"
    std::string linkage;
    std::optional<DebugVariable> debug;
};

class Module {
public:
    Types types;
    std::vector<Function*> functions;
    std::vector<Variable*> variables;
    std::deque<DebugType> debug_types;  ///< a deque, so that pointers to its elements stay valid

    /// Reports whether the module was compiled for a debugger, with variables in memory.
    bool has_debug_variables() const;

    /// Creates a value that the module owns, as in make<Constant>(kind, type).
    template <class T, class... Arguments>
    T* make(Arguments&&... arguments) {
        auto value_owner = std::make_unique<T>(std::forward<Arguments>(arguments)...);
        T* value = value_owner.get();
        values_.push_back(std::move(value_owner));
        return value;
    }
    Constant* number(const Type* type, u64 bits);
    Constant* undefined(const Type* type);
    /// Creates an instruction with the source position of `source`. The caller inserts it into a
    /// block.
    Instruction* instruction(Op op, const Type* type, std::vector<Value*> operands,
                             const Instruction& source);
    const SourceLocation* location(SourceLocation location);

private:
    std::vector<std::unique_ptr<Value>> values_;
    std::deque<SourceLocation> locations_;
};

// ---- queries and modifications ----

const Instruction* as_instruction(const Value* value);  ///< nullptr if not an instruction
Instruction* as_instruction(Value* value);
const Constant* as_constant(const Value* value);
/// Returns `value` as an Operation if it is an instruction or a constant expression, and otherwise
/// nullptr.
const Operation* as_operation(const Value* value);
/// Stores the sign-extended value of a constant integer in `number`. Returns false if `value` is
/// not a constant integer of at most 64 bits.
bool is_number(const Value* value, i64& number);
/// Returns the called function, or nullptr for indirect calls.
const Function* called_function(const Instruction& call);
void replace_uses(Function& function, const Value* old_value, Value* new_value);
/// Counts how often each value is used as an operand in the function.
std::map<const Value*, u32> count_uses(const Function& function);

/// Throws Untranslated for this instruction.
[[noreturn]] void fail(const Instruction& failed_instruction, const std::string& reason);

}  // namespace coalesce::translator
