// Creates the types. Equal types are created only once, so the key of a type can contain the
// addresses of its element types.
#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

const Type* Types::basic_type(Type::Kind kind) {
    Type type;
    type.kind = kind;
    return find_or_add_type(std::move(type));
}

const Type* Types::integer(u32 bits) {
    Type type;
    type.kind = Type::Kind::integer;
    type.bits = bits;
    return find_or_add_type(std::move(type));
}

const Type* Types::pointer(Space space) {
    Type type;
    type.kind = Type::Kind::pointer;
    type.space = space;
    return find_or_add_type(std::move(type));
}

const Type* Types::array(const Type* element, u64 count) {
    Type type;
    type.kind = Type::Kind::array;
    type.count = count;
    type.elements = {element};
    return find_or_add_type(std::move(type));
}

const Type* Types::vector(const Type* element, u64 count) {
    Type type;
    type.kind = Type::Kind::vector;
    type.count = count;
    type.elements = {element};
    return find_or_add_type(std::move(type));
}

const Type* Types::structure(std::vector<const Type*> members, bool is_packed) {
    Type type;
    type.kind = Type::Kind::structure;
    type.is_packed = is_packed;
    type.elements = std::move(members);
    return find_or_add_type(std::move(type));
}

const Type* Types::function(const Type* return_type, std::vector<const Type*> parameters,
                            bool is_variadic) {
    Type type;
    type.kind = Type::Kind::function;
    type.is_variadic = is_variadic;
    type.elements = std::move(parameters);
    type.elements.insert(type.elements.begin(), return_type);
    return find_or_add_type(std::move(type));
}

Type* Types::named(const std::string& name) {
    Type*& type_entry = named_types_[name];
    if (!type_entry) {
        type_entry = &owned_types_.emplace_back();
        type_entry->kind = Type::Kind::opaque;
    }
    return type_entry;
}

const Type* Types::find_or_add_type(Type type) {
    std::string key =
        std::to_string(static_cast<int>(type.kind)) + ' ' + std::to_string(type.bits) + ' ' +
        std::to_string(static_cast<u32>(type.space)) + ' ' + std::to_string(type.count) +
        (type.is_packed ? 'p' : ' ') + (type.is_variadic ? 'v' : ' ');
    for (const Type* element : type.elements) {
        key += ' ' + std::to_string(reinterpret_cast<std::uintptr_t>(element));
    }
    const Type*& type_entry = types_by_key_[key];
    if (!type_entry) type_entry = &owned_types_.emplace_back(std::move(type));
    return type_entry;
}

namespace {

std::string format_list(const std::vector<const Type*>& types, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < types.size(); ++i) {
        text += (i > from ? ", " : "") + text_of(*types[i]);
    }
    return text;
}

}  // namespace

std::string text_of(const Type& type) {
    switch (type.kind) {
        case Type::Kind::nothing: return "void";
        case Type::Kind::integer: return "i" + std::to_string(type.bits);
        case Type::Kind::half: return "half";
        case Type::Kind::bfloat: return "bfloat";
        case Type::Kind::single: return "float";
        case Type::Kind::real: return "double";
        case Type::Kind::pointer:
            if (type.space == Space::generic) return "ptr";
            return "ptr addrspace(" + std::to_string(static_cast<u32>(type.space)) + ")";
        case Type::Kind::array:
            return "[" + std::to_string(type.count) + " x " + text_of(*type.element()) + "]";
        case Type::Kind::vector:
            return "<" + std::to_string(type.count) + " x " + text_of(*type.element()) + ">";
        case Type::Kind::structure: return "{ " + format_list(type.elements, 0) + " }";
        case Type::Kind::function:
            return text_of(*type.element()) + " (" + format_list(type.elements, 1) + ")";
        case Type::Kind::label: return "label";
        case Type::Kind::metadata: return "metadata";
        case Type::Kind::opaque: return "opaque";
    }
    return "";
}

}  // namespace coalesce::translator
