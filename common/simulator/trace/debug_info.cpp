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

    DebugInfo read_all() {
        for (const Entry* unit : tree_.units) find_functions(*unit);
        return std::move(info_);
    }

private:
    u64 attribute_number(const Entry& entry, u32 attribute, u64 default_value = 0) const {
        const Attribute* attribute_found = tree_.find_attribute(entry, attribute);
        return attribute_found ? attribute_found->number : default_value;
    }
    std::string attribute_text(const Entry& entry, u32 attribute) const {
        const Attribute* attribute_found = tree_.find_attribute(entry, attribute);
        return attribute_found ? attribute_found->text : "";
    }

    // ---- types ----

    const Entry* find_type(const Entry& entry) const {
        return tree_.find_referred_entry(entry, dwarf::kType);
    }

    /// Returns the type without typedefs, const and volatile.
    const Entry* bare_type(const Entry* type) const {
        for (int depth = 0; type && depth < 4 * kMaxDepth; ++depth) {
            if (type->tag != dwarf::kTypedef && type->tag != dwarf::kConstType &&
                type->tag != dwarf::kVolatileType)
                return type;
            type = find_type(*type);
        }
        return nullptr;
    }

    std::string find_type_name(const Entry* type, int depth = 0) const {
        if (!type || depth > kMaxDepth) return "void";
        const Entry* inner_type = find_type(*type);
        switch (type->tag) {
            case dwarf::kPointerType: return find_type_name(inner_type, depth + 1) + "*";
            case dwarf::kReferenceType: return find_type_name(inner_type, depth + 1) + "&";
            case dwarf::kRvalueReferenceType: return find_type_name(inner_type, depth + 1) + "&&";
            case dwarf::kConstType: return "const " + find_type_name(inner_type, depth + 1);
            case dwarf::kVolatileType: return "volatile " + find_type_name(inner_type, depth + 1);
            default: return attribute_text(*type, dwarf::kName);
        }
    }

    std::optional<ScalarType> find_scalar_type(const Entry* type) const {
        const Entry* bare_entry = bare_type(type);
        if (!bare_entry) return std::nullopt;
        ScalarType scalar_type{.name = find_type_name(type)};
        scalar_type.bytes = static_cast<u32>(attribute_number(*bare_entry, dwarf::kByteSize));
        switch (bare_entry->tag) {
            case dwarf::kPointerType:
            case dwarf::kReferenceType:
            case dwarf::kRvalueReferenceType:
                scalar_type.kind = ScalarKind::pointer;
                scalar_type.bytes = 8;
                return scalar_type;
            case dwarf::kEnumerationType:
                scalar_type.kind = ScalarKind::signed_integer;
                return scalar_type;
            case dwarf::kBaseType: break;
            default: return std::nullopt;
        }
        switch (attribute_number(*bare_entry, dwarf::kEncoding)) {
            case dwarf::kBoolean: scalar_type.kind = ScalarKind::boolean; break;
            case dwarf::kFloat: scalar_type.kind = ScalarKind::real; break;
            case dwarf::kSigned: scalar_type.kind = ScalarKind::signed_integer; break;
            case dwarf::kSignedChar: scalar_type.kind = ScalarKind::character; break;
            default: scalar_type.kind = ScalarKind::unsigned_integer; break;
        }
        return scalar_type;
    }

    std::vector<u32> find_extents(const Entry& array) const {
        std::vector<u32> extents;
        for (const Entry* range : array.children) {
            if (range->tag != dwarf::kSubrangeType) continue;
            const Attribute* bound = range->find_attribute(dwarf::kUpperBound);
            extents.push_back(static_cast<u32>(bound ? bound->number + 1
                                                     : attribute_number(*range, dwarf::kCount)));
        }
        return extents;
    }

    u32 find_size(const Entry* type, int depth = 0) const {
        const Entry* bare_entry = bare_type(type);
        if (!bare_entry || depth > kMaxDepth) return 0;
        if (const auto scalar_type = find_scalar_type(bare_entry)) return scalar_type->bytes;
        if (bare_entry->tag != dwarf::kArrayType)
            return static_cast<u32>(attribute_number(*bare_entry, dwarf::kByteSize));
        u32 size = find_size(find_type(*bare_entry), depth + 1);
        for (const u32 extent : find_extents(*bare_entry)) size *= extent;
        return size;
    }

    static u64 member_offset(const Attribute& location) {
        if (!location.is_block) return location.number;
        dwarf::Cursor cursor(location.block);
        return cursor.read_number(1) == dwarf::kPlusConstant ? cursor.read_uleb() : 0;
    }

    void add_parts(const Entry* type, const std::string& path, u32 offset,
                   std::vector<VariablePart>& variable_parts, int depth = 0) const {
        const Entry* bare_entry = bare_type(type);
        if (!bare_entry || depth > kMaxDepth || variable_parts.size() >= kMaxVariableParts) return;
        if (const auto scalar_type = find_scalar_type(type)) {
            variable_parts.push_back({path, *scalar_type, offset});
        } else if (bare_entry->tag == dwarf::kArrayType) {
            add_elements(*bare_entry, 0, find_extents(*bare_entry), path, offset, variable_parts,
                         depth);
        } else {
            for (const Entry* member : bare_entry->children) {
                const Attribute* location_attribute =
                    member->find_attribute(dwarf::kMemberLocation);
                const u32 member_begin =
                    offset +
                    static_cast<u32>(location_attribute ? member_offset(*location_attribute) : 0);
                const std::string name = attribute_text(*member, dwarf::kName);
                if (member->tag == dwarf::kMember)
                    add_parts(find_type(*member), name.empty() ? path : path + "." + name,
                              member_begin, variable_parts, depth + 1);
                if (member->tag == dwarf::kInheritance)
                    add_parts(find_type(*member), path, member_begin, variable_parts, depth + 1);
            }
        }
    }

    void add_elements(const Entry& array, std::size_t axis, const std::vector<u32>& extents,
                      const std::string& path, u32 offset, std::vector<VariablePart>& parts,
                      int depth) const {
        if (axis == extents.size())
            return add_parts(find_type(array), path, offset, parts, depth + 1);
        u32 stride = find_size(find_type(array));
        for (std::size_t k = axis + 1; k < extents.size(); ++k) stride *= extents[k];
        for (u32 k = 0; k < extents[axis] && parts.size() < kMaxVariableParts; ++k)
            add_elements(array, axis + 1, extents, path + "[" + std::to_string(k) + "]",
                         offset + k * stride, parts, depth);
    }

    /// Returns the scalar type of the elements of an array or of a pointer's target. If the
    /// elements are vectors such as float4, returns the scalar type of their components. Returns
    /// nothing for other structures.
    std::optional<ScalarType> find_element_type(const Entry* type) const {
        if (const auto scalar_type = find_scalar_type(type)) return scalar_type;
        std::vector<VariablePart> parts;
        add_parts(type, "", 0, parts);
        const auto differs_from_first = [&](const VariablePart& part) {
            return part.type.name != parts.front().type.name;
        };
        if (parts.empty() || std::any_of(parts.begin(), parts.end(), differs_from_first))
            return std::nullopt;
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
        const std::string first_label = attribute_text(entry, dwarf::kLowPc);
        for (const auto& [name, function] : module_.functions) {
            if (first_label.empty() || !function->labels.contains(first_label)) continue;
            function_ = function.get();
            add_variables(entry, 0, static_cast<u32>(function->body.size()), info_[name]);
            return;
        }
    }

    u32 find_instruction_index(const std::string& label, u32 default_value) const {
        const auto label_entry = function_->labels.find(label);
        return label_entry == function_->labels.end() ? default_value : label_entry->second;
    }

    void add_variables(const Entry& scope, u32 begin, u32 end,
                       std::vector<SourceVariable>& variables) {
        for (const Entry* child : scope.children) {
            if (child->tag == dwarf::kVariable || child->tag == dwarf::kFormalParameter)
                add_variable(*child, begin, end, variables);
            if (child->tag != dwarf::kLexicalBlock) continue;
            add_variables(
                *child, find_instruction_index(attribute_text(*child, dwarf::kLowPc), begin),
                find_instruction_index(attribute_text(*child, dwarf::kHighPc), end), variables);
        }
    }

    void add_variable(const Entry& entry, u32 begin, u32 end,
                      std::vector<SourceVariable>& variables) {
        SourceVariable variable;
        variable.name = attribute_text(entry, dwarf::kName);
        variable.where = {static_cast<u32>(attribute_number(entry, dwarf::kDeclarationFile)),
                          static_cast<u32>(attribute_number(entry, dwarf::kDeclarationLine))};
        variable.is_parameter = entry.tag == dwarf::kFormalParameter;
        variable.begin = begin;
        variable.end = end;
        const Entry* type = find_type(entry);
        const Entry* bare_entry = bare_type(type);
        const Attribute* location = entry.find_attribute(dwarf::kLocation);
        if (variable.name.empty() || !bare_entry || !location) return;
        variable.bytes = find_size(type);
        add_parts(type, "", 0, variable.parts);
        if (bare_entry->tag == dwarf::kArrayType) {
            variable.extents = find_extents(*bare_entry);
            variable.element = find_element_type(find_type(*bare_entry));
        } else if (bare_entry->tag == dwarf::kPointerType) {
            variable.element = find_element_type(find_type(*bare_entry));
        }
        const ptx::StateSpace space = space_of_class(attribute_number(entry, dwarf::kAddressClass));
        if (location->is_block)
            add_variable_place(location->block, space, begin, end, variable);
        else
            add_places(location->number, space, variable);
        variables.push_back(std::move(variable));
    }

    /// Adds the locations in the list at `offset` of .debug_loc. Each location has a range of
    /// instructions for which it is valid.
    void add_places(u64 offset, ptx::StateSpace space, SourceVariable& variables) const {
        for (dwarf::Cursor cursor(tree_.locations, offset); !cursor.is_at_end();) {
            const std::string begin = cursor.read_symbol(), end = cursor.read_symbol();
            if (begin.empty() && end.empty()) return;
            const u64 size = cursor.read_number(2);
            dwarf::Section expression;
            const std::size_t first = cursor.offset();
            expression.bytes = cursor.read_block(size);
            if (const auto symbol = tree_.locations.symbols.lower_bound(first);
                symbol != tree_.locations.symbols.end() && symbol->first < first + size)
                expression.symbols[symbol->first - first] = symbol->second;
            add_variable_place(expression, space, find_instruction_index(begin, kNone),
                               find_instruction_index(end, variables.end), variables);
        }
    }

    static void add_variable_place(const dwarf::Section& expression, ptx::StateSpace space,
                                   u32 begin, u32 end, SourceVariable& variables) {
        if (expression.bytes.empty()) return;
        VariablePlace variable_place{.space = space, .begin = begin, .end = end};
        dwarf::Cursor cursor(expression);
        const u64 operation = cursor.read_number(1);
        if (operation == dwarf::kRegisterX) {
            variable_place.is_register = true;
            variable_place.symbol = register_name(cursor.read_uleb());
        } else if (operation == dwarf::kAddress) {
            variable_place.symbol = cursor.read_symbol();
            if (!cursor.is_at_end() && cursor.read_number(1) == dwarf::kPlusConstant)
                variable_place.offset = cursor.read_uleb();
        } else {
            return;
        }
        variables.places.push_back(std::move(variable_place));
    }

    const ptx::Module& module_;
    const dwarf::Tree tree_;
    const ptx::Function* function_ = nullptr;  ///< the function whose variables are being read
    DebugInfo info_;
};

}  // namespace

DebugInfo read_debug_info(const ptx::Module& module) {
    try {
        return DebugInfoReader(module).read_all();
    } catch (const std::out_of_range&) {
        throw std::runtime_error("the debug information is damaged");
    }
}

}  // namespace coalesce::simulator
