// Reads the contents of a variable, element by element. An address becomes a Relocation, because
// addresses of symbols are unknown until the module is loaded.
#include "simulator/ptx/initialiser.h"

#include <utility>

namespace coalesce::simulator::ptx {
namespace {

class InitialiserReader {
public:
    InitialiserReader(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                      u64 element_size, u64& bytes_left)
        : lexer_(lexer), variable_(variable), remaining_bytes_(bytes_left) {
        strides_.resize(dimensions.size());
        u64 stride = element_size;
        for (std::size_t level = dimensions.size(); level-- > 0;) {
            strides_[level] = stride;
            stride *= dimensions[level];
        }
        const bool is_open_ended = !dimensions.empty() && dimensions[0] == 0;
        variable_bytes_ = is_open_ended ? kLargestVariable : variable.size;
    }

    u64 read_all() {
        if (lexer_.is_at('{')) {
            read_braces(0, 0);
        } else {
            read_element(0);
        }
        return last_element_end_;
    }

private:
    void read_braces(std::size_t level, u64 start) {
        if (level >= strides_.size()) lexer_.fail_expected("fewer braces than this");
        lexer_.expect('{');
        u64 offset = start;
        while (!lexer_.is_at('}')) {
            if (lexer_.is_at('{')) {
                read_braces(level + 1, offset);
                offset += strides_[level];
            } else {
                read_element(offset);
                offset += size_of(variable_.type);
            }
            if (offset > variable_bytes_) fail_too_many();
            if (!lexer_.accept(',') && !lexer_.is_at('}')) lexer_.fail_expected("',' or '}'");
        }
        lexer_.expect('}');
    }

    void read_element(u64 offset) {
        if (lexer_.is_at(TokenKind::identifier) && !lexer_.is_at_identifier("WARP_SZ")) {
            const u32 bytes = size_of(variable_.type);
            if (bytes < 4)
                lexer_.fail("an address does not fit into an element of ." +
                            std::string(name_of(variable_.type)));
            add_relocation(offset, bytes, read_address());
            return;
        }
        const Constant constant = read_constant(lexer_);
        if (lexer_.accept('(')) {  // one byte of an address, such as 0xFF00(symbol)
            const Relocation address = read_address();
            lexer_.expect(')');
            add_byte_relocation(offset, constant.bits, address);
            return;
        }
        if (constant.kind != Constant::Kind::immediate && size_of(variable_.type) < 4) {
            lexer_.fail("a floating-point number does not fit into an element of ." +
                        std::string(name_of(variable_.type)));
        }
        store_value(offset, constant.convert_to(variable_.type));
    }

    /// Reads an address without its offset. The caller must set the offset.
    Relocation read_address() {
        Relocation address;
        address.symbol = lexer_.expect_identifier("a symbol");
        if (address.symbol == "generic" && lexer_.accept('(')) {
            address.is_generic = true;
            address.symbol = lexer_.expect_identifier("a symbol");
            address.addend = read_addend();
            lexer_.expect(')');
        }
        address.addend =
            static_cast<i64>(static_cast<u64>(address.addend) + static_cast<u64>(read_addend()));
        return address;
    }

    i64 read_addend() { return lexer_.is_at('+') || lexer_.is_at('-') ? read_integer(lexer_) : 0; }

    void store_value(u64 offset, u64 value) {
        const u32 bytes = size_of(variable_.type);
        reserve_bytes(offset + bytes);
        for (u32 i = 0; i < bytes && i < 8; ++i) {
            variable_.initial_bytes[offset + i] = static_cast<u8>(value >> (8 * i));
        }
    }

    void add_relocation(u64 offset, u32 bytes, Relocation address) {
        reserve_bytes(offset + bytes);
        address.offset = offset;
        address.bytes = bytes;
        variable_.relocations.push_back(std::move(address));
    }

    void add_byte_relocation(u64 offset, u64 mask, Relocation address) {
        // A packed structure stores a pointer as eight bytes: 0xFF(p), 0xFF00(p), 0xFF0000(p) and
        // so on. Combine these bytes into one relocation, byte by byte.
        if (size_of(variable_.type) != 1)
            lexer_.fail("a mask is allowed only in an array of bytes");
        if (mask == 0xff) {
            add_relocation(offset, 1, address);
            return;
        }
        if (variable_.relocations.empty()) lexer_.fail_expected("0xFF as the first mask");
        Relocation& last_relocation = variable_.relocations.back();
        address.offset = last_relocation.offset;
        address.bytes = last_relocation.bytes;
        const bool continues_last = address == last_relocation && last_relocation.bytes < 8 &&
                                    mask == u64{0xff} << (8 * last_relocation.bytes) &&
                                    offset == last_relocation.offset + last_relocation.bytes;
        if (!continues_last)
            lexer_.fail("the bytes of an address must follow one another, lowest first");
        ++last_relocation.bytes;
        reserve_bytes(offset + 1);
    }

    void reserve_bytes(u64 end) {
        if (end > variable_bytes_) fail_too_many();
        if (end > last_element_end_) last_element_end_ = end;
        const u64 initialised_bytes = variable_.initial_bytes.size();
        if (end <= initialised_bytes) return;
        if (end - initialised_bytes > remaining_bytes_) {
            lexer_.fail("the initialisers of this module fill too many bytes");
        }
        remaining_bytes_ -= end - initialised_bytes;
        variable_.initial_bytes.resize(end);
    }

    [[noreturn]] void fail_too_many() const {
        lexer_.fail("more initialisers than '" + variable_.name + "' has elements");
    }

    Lexer& lexer_;
    Variable& variable_;
    std::vector<u64> strides_;  ///< the distance in bytes between items, for each level of braces
    u64 variable_bytes_;        ///< the size of the variable in bytes
    u64& remaining_bytes_;
    u64 last_element_end_ = 0;  ///< the end of the last element
};

}  // namespace

u64 read_initialiser(Lexer& lexer, Variable& variable, const std::vector<u64>& dimensions,
                     u64 element_size, u64& bytes_left) {
    return InitialiserReader(lexer, variable, dimensions, element_size, bytes_left).read_all();
}

}  // namespace coalesce::simulator::ptx
