// The types of LLVM IR. In a module, equal types are the same object.
//
// Read next  layout.h computes the sizes of types in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace coalesce::translator {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// Address spaces, with NVPTX's numbers.
enum class Space : u32 {
    generic = 0,
    global = 1,
    shared = 3,
    constant = 4,
    local = 5,
    param = 101
};

struct Type {
    enum class Kind : u8 {
        nothing,  ///< void
        integer,
        half,
        bfloat,
        single,  ///< float
        real,    ///< double
        pointer,
        array,
        vector,
        structure,
        function,
        label,
        metadata,
        /// a structure without a body, a token, or a target type; values cannot have this type
        opaque,
    };
    Kind kind = Kind::nothing;
    u32 bits = 0;                  ///< the width of an integer
    Space space = Space::generic;  ///< the address space of a pointer
    u64 count = 0;                 ///< the number of elements of an array or a vector
    bool is_packed = false;        ///< whether a structure has no padding
    bool is_variadic = false;      ///< whether a function is variadic
    /// For arrays and vectors, the element type. For functions, the result type followed by the
    /// parameter types.
    std::vector<const Type*> elements;

    bool has_kind(Kind k) const { return kind == k; }
    bool is_integer(u32 width) const { return kind == Kind::integer && bits == width; }
    bool is_floating() const { return kind >= Kind::half && kind <= Kind::real; }
    bool is_aggregate() const { return kind >= Kind::array && kind <= Kind::structure; }
    const Type* element() const { return elements.front(); }
};

/// The types of a module. Each type is created only once.
class Types {
public:
    const Type* nothing() { return basic_type(Type::Kind::nothing); }
    const Type* half() { return basic_type(Type::Kind::half); }
    const Type* bfloat() { return basic_type(Type::Kind::bfloat); }
    const Type* single() { return basic_type(Type::Kind::single); }
    const Type* real() { return basic_type(Type::Kind::real); }
    const Type* label() { return basic_type(Type::Kind::label); }
    const Type* metadata() { return basic_type(Type::Kind::metadata); }
    const Type* opaque() { return basic_type(Type::Kind::opaque); }
    const Type* integer(u32 bits);
    const Type* pointer(Space space = Space::generic);
    const Type* array(const Type* element, u64 count);
    const Type* vector(const Type* element, u64 count);
    const Type* structure(std::vector<const Type*> members, bool is_packed);
    const Type* function(const Type* return_type, std::vector<const Type*> parameters,
                         bool is_variadic);

    /// Returns the type with this name, such as %struct.Pair. The name may be used before the
    /// type's definition has been read.
    Type* named(const std::string& name);

private:
    const Type* basic_type(Type::Kind kind);
    const Type* find_or_add_type(Type type);

    std::deque<Type> owned_types_;
    std::map<std::string, const Type*> types_by_key_;
    std::map<std::string, Type*> named_types_;
};

/// Returns the type in the syntax of the IR, for messages.
std::string text_of(const Type& type);

}  // namespace coalesce::translator
