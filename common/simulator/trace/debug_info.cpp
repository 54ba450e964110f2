#include "simulator/trace/debug_info.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "simulator/trace/dwarf.h"

namespace coalesce::simulator {
namespace {

using dwarf::Attribute;
using dwarf::Entry;

/// The maximum nesting depth of types. Types that are nested more deeply are ignored.
constexpr int kMaxDepth = 8;

/// Returns the state space for a DWARF address class. PTX defines the numbers of these classes.
ptx::StateSpace space_of_class(u64 address_class) {
    switch (address_class) {
        case 4: return ptx::StateSpace::constant;
        case 5: return ptx::StateSpace::global;
        case 7: return ptx::StateSpace::param;
        case 8: return ptx::StateSpace::shared;
        default: return ptx::StateSpace::local;
    }
}

/// Returns the register name that a DWARF register number encodes. The bytes of the number are the
/// characters of the name, with the first character in the highest byte.
std::string register_name(u64 number) {
    std::string name;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (const auto c = static_cast<char>(number >> shift)) name += c;
    return name;
}

class DebugInfoReader {
public:
    explicit DebugInfoReader(const ptx::Module& module) : module_(module), tree_(module.text) {}

    DebugInfo read() {
        for (const Entry* unit : tree_.units) find_functions(*unit);
        return std::move(info_);
    }

private:
    u64 number(const Entry& entry, u32 attribute, u64 otherwise = 0) const {
        const Attribute* found = tree_.find(entry, attribute);
        return found ? found->number : otherwise;
    }
    std::string text(const Entry& entry, u32 attribute) const {
        const Attribute* found = tree_.find(entry, attribute);
        return found ? found->text : "";
    }

    // ---- types ----

    const Entry* type_of(const Entry& entry) const { return tree_.referred(entry, dwarf::kType); }

    /// Returns the type without typedefs, const and volatile.
    const Entry* bare_type(const Entry* type) const {
        for (int depth = 0; type && depth < 4 * kMaxDepth; ++depth) {
            if (type->tag != dwarf::kTypedef && type->tag != dwarf::kConstType &&
                type->tag != dwarf::kVolatileType)
                return type;
            type = type_of(*type);
        }
        return nullptr;
    }

    std::string name_of(const Entry* type, int depth = 0) const {
        if (!type || depth > kMaxDepth) return "void";
        const Entry* inner = type_of(*type);
        switch (type->tag) {
            case dwarf::kPointerType: return name_of(inner, depth + 1) + "*";
            case dwarf::kReferenceType: return name_of(inner, depth + 1) + "&";
            case dwarf::kRvalueReferenceType: return name_of(inner, depth + 1) + "&&";
            case dwarf::kConstType: return "const " + name_of(inner, depth + 1);
            case dwarf::kVolatileType: return "volatile " + name_of(inner, depth + 1);
            default: return text(*type, dwarf::kName);
        }
    }

    std::optional<ScalarType> scalar(const Entry* type) const {
        const Entry* bare = bare_type(type);
        if (!bare) return std::nullopt;
        ScalarType made{.name = name_of(type)};
        made.bytes = static_cast<u32>(number(*bare, dwarf::kByteSize));
        switch (bare->tag) {
            case dwarf::kPointerType:
            case dwarf::kReferenceType:
            case dwarf::kRvalueReferenceType:
                made.kind = ScalarKind::pointer;
                made.bytes = 8;
                return made;
            case dwarf::kEnumerationType: made.kind = ScalarKind::signed_integer; return made;
            case dwarf::kBaseType: break;
            default: return std::nullopt;
        }
        switch (number(*bare, dwarf::kEncoding)) {
            case dwarf::kBoolean: made.kind = ScalarKind::boolean; break;
            case dwarf::kFloat: made.kind = ScalarKind::real; break;
            case dwarf::kSigned: made.kind = ScalarKind::signed_integer; break;
            case dwarf::kSignedChar: made.kind = ScalarKind::character; break;
            default: made.kind = ScalarKind::unsigned_integer; break;
        }
        return made;
    }

    std::vector<u32> extents_of(const Entry& array) const {
        std::vector<u32> extents;
        for (const Entry* range : array.children) {
            if (range->tag != dwarf::kSubrangeType) continue;
            const Attribute* bound = range->find(dwarf::kUpperBound);
            extents.push_back(
                static_cast<u32>(bound ? bound->number + 1 : number(*range, dwarf::kCount)));
        }
        return extents;
    }

    u32 size_of(const Entry* type, int depth = 0) const {
        const Entry* bare = bare_type(type);
        if (!bare || depth > kMaxDepth) return 0;
        if (const auto one = scalar(bare)) return one->bytes;
        if (bare->tag != dwarf::kArrayType)
            return static_cast<u32>(number(*bare, dwarf::kByteSize));
        u32 size = size_of(type_of(*bare), depth + 1);
        for (const u32 extent : extents_of(*bare)) size *= extent;
        return size;
    }

    static u64 member_offset(const Attribute& location) {
        if (!location.is_block) return location.number;
        dwarf::Cursor cursor(location.block);
        return cursor.number(1) == dwarf::kPlusConstant ? cursor.uleb() : 0;
    }

    void add_parts(const Entry* type, const std::string& path, u32 offset,
                   std::vector<VariablePart>& parts, int depth = 0) const {
        const Entry* bare = bare_type(type);
        if (!bare || depth > kMaxDepth || parts.size() >= kMaxVariableParts) return;
        if (const auto one = scalar(type)) {
            parts.push_back({path, *one, offset});
        } else if (bare->tag == dwarf::kArrayType) {
            add_elements(*bare, 0, extents_of(*bare), path, offset, parts, depth);
        } else {
            for (const Entry* member : bare->children) {
                const Attribute* at = member->find(dwarf::kMemberLocation);
                const u32 inner = offset + static_cast<u32>(at ? member_offset(*at) : 0);
                const std::string name = text(*member, dwarf::kName);
                if (member->tag == dwarf::kMember)
                    add_parts(type_of(*member), name.empty() ? path : path + "." + name, inner,
                              parts, depth + 1);
                if (member->tag == dwarf::kInheritance)
                    add_parts(type_of(*member), path, inner, parts, depth + 1);
            }
        }
    }

    void add_elements(const Entry& array, std::size_t axis, const std::vector<u32>& extents,
                      const std::string& path, u32 offset, std::vector<VariablePart>& parts,
                      int depth) const {
        if (axis == extents.size())
            return add_parts(type_of(array), path, offset, parts, depth + 1);
        u32 stride = size_of(type_of(array));
        for (std::size_t k = axis + 1; k < extents.size(); ++k) stride *= extents[k];
        for (u32 k = 0; k < extents[axis] && parts.size() < kMaxVariableParts; ++k)
            add_elements(array, axis + 1, extents, path + "[" + std::to_string(k) + "]",
                         offset + k * stride, parts, depth);
    }

    /// Returns the scalar type of the elements of an array or of a pointer's target. If the
    /// elements are vectors such as float4, returns the scalar type of their components. Returns
    /// nothing for other structures.
    std::optional<ScalarType> element_of(const Entry* type) const {
        if (const auto one = scalar(type)) return one;
        std::vector<VariablePart> parts;
        add_parts(type, "", 0, parts);
        const auto differs = [&](const VariablePart& part) {
            return part.type.name != parts.front().type.name;
        };
        if (parts.empty() || std::any_of(parts.begin(), parts.end(), differs)) return std::nullopt;
        return parts.front().type;
    }

    // ---- functions ----

    void find_functions(const Entry& entry) {
        for (const Entry* child : entry.children) {
            if (child->tag == dwarf::kSubprogram) add_function(*child);
            find_functions(*child);
        }
    }

    void add_function(const Entry& entry) {
        const std::string first = text(entry, dwarf::kLowPc);
        for (const auto& [name, function] : module_.functions) {
            if (first.empty() || !function->labels.contains(first)) continue;
            function_ = function.get();
            add_variables(entry, 0, static_cast<u32>(function->body.size()), info_[name]);
            return;
        }
    }

    u32 index_of(const std::string& label, u32 otherwise) const {
        const auto found = function_->labels.find(label);
        return found == function_->labels.end() ? otherwise : found->second;
    }

    void add_variables(const Entry& scope, u32 begin, u32 end, std::vector<SourceVariable>& to) {
        for (const Entry* child : scope.children) {
            if (child->tag == dwarf::kVariable || child->tag == dwarf::kFormalParameter)
                add_variable(*child, begin, end, to);
            if (child->tag != dwarf::kLexicalBlock) continue;
            add_variables(*child, index_of(text(*child, dwarf::kLowPc), begin),
                          index_of(text(*child, dwarf::kHighPc), end), to);
        }
    }

    void add_variable(const Entry& entry, u32 begin, u32 end, std::vector<SourceVariable>& to) {
        SourceVariable variable;
        variable.name = text(entry, dwarf::kName);
        variable.where = {static_cast<u32>(number(entry, dwarf::kDeclarationFile)),
                          static_cast<u32>(number(entry, dwarf::kDeclarationLine))};
        variable.is_parameter = entry.tag == dwarf::kFormalParameter;
        variable.begin = begin;
        variable.end = end;
        const Entry* type = type_of(entry);
        const Entry* bare = bare_type(type);
        const Attribute* location = entry.find(dwarf::kLocation);
        if (variable.name.empty() || !bare || !location) return;
        variable.bytes = size_of(type);
        add_parts(type, "", 0, variable.parts);
        if (bare->tag == dwarf::kArrayType) {
            variable.extents = extents_of(*bare);
            variable.element = element_of(type_of(*bare));
        } else if (bare->tag == dwarf::kPointerType) {
            variable.element = element_of(type_of(*bare));
        }
        const ptx::StateSpace space = space_of_class(number(entry, dwarf::kAddressClass));
        if (location->is_block)
            add_place(location->block, space, begin, end, variable);
        else
            add_places(location->number, space, variable);
        to.push_back(std::move(variable));
    }

    /// Adds the locations in the list at `offset` of .debug_loc. Each location has a range of
    /// instructions for which it is valid.
    void add_places(u64 offset, ptx::StateSpace space, SourceVariable& to) const {
        for (dwarf::Cursor cursor(tree_.locations, offset); !cursor.is_at_end();) {
            const std::string begin = cursor.symbol(), end = cursor.symbol();
            if (begin.empty() && end.empty()) return;
            const u64 size = cursor.number(2);
            dwarf::Section expression;
            const std::size_t first = cursor.at();
            expression.bytes = cursor.block(size);
            if (const auto symbol = tree_.locations.symbols.lower_bound(first);
                symbol != tree_.locations.symbols.end() && symbol->first < first + size)
                expression.symbols[symbol->first - first] = symbol->second;
            add_place(expression, space, index_of(begin, kNone), index_of(end, to.end), to);
        }
    }

    static void add_place(const dwarf::Section& expression, ptx::StateSpace space, u32 begin,
                          u32 end, SourceVariable& to) {
        if (expression.bytes.empty()) return;
        VariablePlace place{.space = space, .begin = begin, .end = end};
        dwarf::Cursor cursor(expression);
        const u64 operation = cursor.number(1);
        if (operation == dwarf::kRegisterX) {
            place.is_register = true;
            place.symbol = register_name(cursor.uleb());
        } else if (operation == dwarf::kAddress) {
            place.symbol = cursor.symbol();
            if (!cursor.is_at_end() && cursor.number(1) == dwarf::kPlusConstant)
                place.offset = cursor.uleb();
        } else {
            return;
        }
        to.places.push_back(std::move(place));
    }

    const ptx::Module& module_;
    const dwarf::Tree tree_;
    const ptx::Function* function_ = nullptr;  ///< the function whose variables are being read
    DebugInfo info_;
};

}  // namespace

DebugInfo read_debug_info(const ptx::Module& module) {
    try {
        return DebugInfoReader(module).read();
    } catch (const std::out_of_range&) {
        throw std::runtime_error("the debug information is damaged");
    }
}

}  // namespace coalesce::simulator
