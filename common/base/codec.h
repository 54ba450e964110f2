// Converts structs to JSON and back. Each struct has one description for both directions, so
// reading and writing always agree. A missing key, an unknown key, and a value of the wrong type
// are errors, so that a mistake never becomes an empty value.
//
//     void describe(auto& codec, Place& place) {
//         fields(codec, "file", place.file, "line", place.line);
//     }
//     std::string text = codec::write(place);
//     Place same = codec::read<Place>(text);
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_names.h"

namespace coalesce::codec {

using Json = nlohmann::ordered_json;

/// An error in the JSON text. The message starts with the path of the value, as in
/// "failures[0].line: expected a whole number".
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Writer;
class Reader;

template <class T>
concept Described = requires(Writer& writer, T& value) {
    describe(writer, value);
};

/// An enumeration whose values JSON represents by their names, with dashes instead of underscores.
/// It needs a function `constexpr E last_of(E)` that returns its last value. If a function
/// `name_in_json(E)` exists, it supplies the names instead.
template <class E>
concept Named = std::is_enum_v<E> && requires(E value) {
    { last_of(value) } -> std::same_as<E>;
};
template <Named E>
std::string to_enumerator_name(E value) {
    if constexpr (requires { name_in_json(value); }) {
        return name_in_json(value);
    } else {
        return dashed_name(value);
    }
}

template <class T>
Json encode(const T& value);
template <class T>
void decode(const Json& json, T& value, const std::string& path);

/// A codec that writes the fields of a struct into a JSON object.
class Writer {
public:
    static constexpr bool kIsReading = false;
    template <class T>
    void operator()(const char* key, const T& value) {
        json[key] = encode(value);
    }
    bool has(const char*) const { return true; }
    Json json = Json::object();
};

/// A codec that reads the fields of a struct from a JSON object.
class Reader {
public:
    static constexpr bool kIsReading = true;
    Reader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
        if (!json.is_object()) throw Error(path_ + ": expected an object");
    }
    template <class T>
    void operator()(const char* key, T& value) {
        const auto found = json_.find(key);
        if (found == json_.end()) throw Error(path_ + ": no \"" + key + "\"");
        read_keys_.push_back(key);
        decode(*found, value, path_.empty() ? key : path_ + "." + key);
    }
    /// Reports whether the key is present. Use it for keys that older files may lack.
    bool has(const char* key) const { return json_.contains(key); }
    /// Throws Error if the object has a key that was never read.
    void finish() const {
        for (const auto& [key, value] : json_.items()) {
            bool is_known = false;
            for (const std::string_view read_key : read_keys_)
                is_known = is_known || read_key == key;
            if (!is_known) throw Error(path_ + ": unknown key \"" + key + "\"");
        }
    }

private:
    const Json& json_;
    std::string path_;
    std::vector<std::string_view> read_keys_;
};

/// Passes key-value pairs to the codec, in the given order.
template <class Codec>
void fields(Codec&) {}
template <class Codec, class T, class... More>
void fields(Codec& codec, const char* key, T& value, More&&... more) {
    codec(key, value);
    fields(codec, std::forward<More>(more)...);
}

/// Reads or writes the version of the file format. Its key is "format", by convention the first key
/// of a file. When reading, throws Error if the version is not `known`. `what` is the kind of file,
/// for the message.
template <class Codec>
void version(Codec& codec, const char* what, int known) {
    int format = known;
    codec("format", format);
    if (format != known)
        throw Error(std::string("this ") + what + " was written by another version of the course");
}

// ---- how each type is encoded ----

template <class T>
struct TypeCodec {
    static Json encode(const T& value) {
        if constexpr (Described<T>) {
            Writer writer;
            // `describe` takes a mutable value because it is also used for reading. A writer does
            // not change the value.
            describe(writer, const_cast<T&>(value));
            return std::move(writer.json);
        } else if constexpr (Named<T>) {
            return to_enumerator_name(value);
        } else {
            return value;
        }
    }
    static void decode(const Json& json, T& value, const std::string& path) {
        if constexpr (Described<T>) {
            Reader reader(json, path);
            describe(reader, value);
            reader.finish();
        } else if constexpr (Named<T>) {
            decode_name(json, value, path);
        } else if constexpr (std::same_as<T, bool>) {
            if (!json.is_boolean()) throw Error(path + ": expected true or false");
            value = json.get<bool>();
        } else if constexpr (std::integral<T>) {
            decode_integer(json, value, path);
        } else if constexpr (std::floating_point<T>) {
            if (!json.is_number()) throw Error(path + ": expected a number");
            value = json.get<T>();
        } else {
            if (!json.is_string()) throw Error(path + ": expected a string");
            value = json.get<std::string>();
        }
    }

private:
    static void decode_name(const Json& json, T& value, const std::string& path) {
        if (!json.is_string()) throw Error(path + ": expected a name");
        for (int i = 0; i <= static_cast<int>(last_of(T{})); ++i) {
            value = static_cast<T>(i);
            if (json.get<std::string>() == to_enumerator_name(value)) return;
        }
        throw Error(path + ": unknown name \"" + json.get<std::string>() + "\"");
    }
    static void decode_integer(const Json& json, T& value, const std::string& path) {
        const bool fits = json.is_number_unsigned()
                              ? json.get<std::uint64_t>() <=
                                    static_cast<std::uint64_t>(std::numeric_limits<T>::max())
                              : json.is_number_integer() && std::is_signed_v<T> &&
                                    json.get<std::int64_t>() >=
                                        static_cast<std::int64_t>(std::numeric_limits<T>::min());
        if (!fits) throw Error(path + ": expected a whole number");
        value = json.get<T>();
    }
};

template <class T>
struct TypeCodec<std::optional<T>> {
    static Json encode(const std::optional<T>& value) {
        return value ? codec::encode(*value) : Json(nullptr);
    }
    static void decode(const Json& json, std::optional<T>& value, const std::string& path) {
        value.reset();
        if (!json.is_null()) codec::decode(json, value.emplace(), path);
    }
};

template <class T>
struct TypeCodec<std::vector<T>> {
    static Json encode(const std::vector<T>& list) {
        Json json = Json::array();
        for (const T& one : list) json.push_back(codec::encode(one));
        return json;
    }
    static void decode(const Json& json, std::vector<T>& list, const std::string& path) {
        if (!json.is_array()) throw Error(path + ": expected a list");
        list.clear();
        for (const Json& one : json) {
            codec::decode(one, list.emplace_back(),
                          path + "[" + std::to_string(list.size() - 1) + "]");
        }
    }
};

template <class T>
struct TypeCodec<std::map<std::string, T>> {
    static Json encode(const std::map<std::string, T>& map) {
        Json json = Json::object();
        for (const auto& [key, value] : map) json[key] = codec::encode(value);
        return json;
    }
    static void decode(const Json& json, std::map<std::string, T>& map, const std::string& path) {
        if (!json.is_object()) throw Error(path + ": expected an object");
        map.clear();
        for (const auto& [key, value] : json.items()) {
            codec::decode(value, map[key], path + "." + key);
        }
    }
};

/// A string of arbitrary bytes. JSON strings must be valid UTF-8, so any other string is encoded as
/// a list of bytes.
struct BinaryString {
    std::string& bytes;
};
template <>
struct TypeCodec<BinaryString> {
    static Json encode(const BinaryString& value) {
        try {
            Json json = value.bytes;
            (void)json.dump();
            return json;
        } catch (const Json::type_error&) {
            return codec::encode(std::vector<std::uint8_t>(value.bytes.begin(), value.bytes.end()));
        }
    }
    static void decode(const Json& json, BinaryString& value, const std::string& path) {
        if (json.is_string()) return codec::decode(json, value.bytes, path);
        std::vector<std::uint8_t> bytes;
        codec::decode(json, bytes, path);
        value.bytes.assign(bytes.begin(), bytes.end());
    }
};

/// JSON is stored unchanged.
template <>
struct TypeCodec<Json> {
    static Json encode(const Json& json) { return json; }
    static void decode(const Json& json, Json& value, const std::string&) { value = json; }
};

template <class T, std::size_t count>
struct TypeCodec<std::array<T, count>> {
    static Json encode(const std::array<T, count>& list) {
        return TypeCodec<std::vector<T>>::encode({list.begin(), list.end()});
    }
    static void decode(const Json& json, std::array<T, count>& list, const std::string& path) {
        if (!json.is_array() || json.size() != count) {
            throw Error(path + ": expected a list of " + std::to_string(count));
        }
        for (std::size_t i = 0; i < count; ++i) codec::decode(json[i], list[i], path);
    }
};

template <class T>
Json encode(const T& value) {
    return TypeCodec<T>::encode(value);
}
template <class T>
void decode(const Json& json, T& value, const std::string& path) {
    TypeCodec<T>::decode(json, value, path);
}

// ---- strings of JSON ----

/// Writes a value as JSON, on one line or indented by one space per level. Replaces bytes that are
/// not valid UTF-8 with U+FFFD. Such bytes can occur in file names and in a kernel's output.
template <class T>
std::string write(const T& value, bool is_indented = false) {
    return encode(value).dump(is_indented ? 1 : -1, ' ', false, Json::error_handler_t::replace);
}

/// Parses JSON text. Throws Error if the text does not encode a T.
template <class T>
T read(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error("the text is not valid JSON");
    T value;
    decode(json, value, "");
    return value;
}

}  // namespace coalesce::codec
