// SPDX-License-Identifier: BSD-3-Clause
// GrB_get and GrB_set: names, types, settings of descriptors and of the library.
#include <atomic>
#include <cstring>
#include <optional>

#include <coppice/version.h>

#include "device/device.hpp"
#include "tables.hpp"

namespace coppice::graphblas {

int blocking_mode();

std::atomic<int>& default_orientation() {
    static std::atomic<int> orientation{GrB_ROWMAJOR};
    return orientation;
}

namespace {

/// Value of an option: an integer, a text or a size, if it has one.
struct option {
    enum { none, absent, integer, text, size } kind = none; ///< absent: the field exists, this object has no value
    std::int32_t number = 0;
    std::string string = {};
    std::size_t bytes = 0;
};
option integer_option(int value) { return {option::integer, value}; }
option text_option(std::string value) { return {option::text, 0, std::move(value)}; }

/// The name that an object was given or has by definition; empty if it has none.
option name_option(object_head const& object) {
    return text_option(object.predefined || object.name ? object.text() : "");
}
option type_option(GrB_Type type, bool code) {
    if (!type) return {option::absent};
    return code ? integer_option(type->code) : name_option(*type);
}
/// Types of an operator, null for an operand that it does not have or does not use.
option operator_option(GrB_Type z, GrB_Type x, GrB_Type y, int field) {
    switch (field) {
    case GrB_INP0_TYPE_CODE:
        return type_option(x, true);
    case GrB_INP1_TYPE_CODE:
        return type_option(y, true);
    case GrB_OUTP_TYPE_CODE:
        return type_option(z, true);
    case GrB_INP0_TYPE_STRING:
        return type_option(x, false);
    case GrB_INP1_TYPE_STRING:
        return type_option(y, false);
    case GrB_OUTP_TYPE_STRING:
        return type_option(z, false);
    default:
        return {};
    }
}
option element_option(GrB_Type type, int field) {
    if (field == GrB_EL_TYPE_CODE) return type_option(type, true);
    return field == GrB_EL_TYPE_STRING ? type_option(type, false) : option{};
}

option option_of(GrB_Type_opaque& t, int field) {
    if (field == GrB_SIZE) return {option::size, 0, {}, t.size};
    return element_option(&t, field);
}
option option_of(GrB_UnaryOp_opaque& o, int field) { return operator_option(o.z, o.x, nullptr, field); }
option option_of(GrB_IndexUnaryOp_opaque& o, int field) { return operator_option(o.z, o.x, o.s, field); }
option option_of(GrB_BinaryOp_opaque& o, int field) { return operator_option(o.z, o.x, o.y, field); }
option option_of(GrB_Monoid_opaque& o, int field) { return option_of(*o.op, field); }
option option_of(GrB_Semiring_opaque& o, int field) { return option_of(*o.multiply, field); }
option option_of(GrB_Descriptor_opaque& d, int field) {
    switch (field) {
    case GrB_OUTP_FIELD:
        return integer_option(d.replace ? GrB_REPLACE : GrB_DEFAULT);
    case GrB_MASK_FIELD:
        return integer_option((d.complement ? GrB_COMP : 0) | (d.structure ? GrB_STRUCTURE : 0));
    case GrB_INP0_FIELD:
        return integer_option(d.transpose0 ? GrB_TRAN : GrB_DEFAULT);
    case GrB_INP1_FIELD:
        return integer_option(d.transpose1 ? GrB_TRAN : GrB_DEFAULT);
    default:
        return {};
    }
}
option option_of(GrB_Scalar_opaque& s, int field) {
    if (field == GrB_STORAGE_ORIENTATION_HINT) return integer_option(s.orientation);
    return element_option(s.type, field);
}
option option_of(table& t, int field) {
    if (field == GrB_STORAGE_ORIENTATION_HINT) return integer_option(t.orientation);
    return element_option(t.type, field);
}
option option_of(GrB_Global_opaque&, int field) {
    switch (field) {
    case GrB_LIBRARY_VER_MAJOR:
        return integer_option(COPPICE_VERSION_MAJOR);
    case GrB_LIBRARY_VER_MINOR:
        return integer_option(COPPICE_VERSION_MINOR);
    case GrB_LIBRARY_VER_PATCH:
        return integer_option(COPPICE_VERSION_PATCH);
    case GrB_API_VER_MAJOR:
        return integer_option(GRB_VERSION);
    case GrB_API_VER_MINOR:
        return integer_option(GRB_SUBVERSION);
    case GrB_API_VER_PATCH:
        return integer_option(0);
    case GrB_BLOCKING_MODE:
        return integer_option(blocking_mode());
    case COPPICE_BACKEND:
        return integer_option(int(device::current_backend()));
    case COPPICE_DEVICE_NAME:
        return text_option(device::device_name());
    case COPPICE_LAST_RUN:
        return text_option(device::last_run());
    case COPPICE_DEVICE_RUNS:
        return integer_option(int(device::counts().device));
    case COPPICE_HOST_RUNS:
        return integer_option(int(device::counts().host));
    case GrB_STORAGE_ORIENTATION_HINT:
        return integer_option(default_orientation());
    default:
        return {};
    }
}

failure no_such_field(int field) {
    return {GrB_INVALID_VALUE,
            "field " + std::to_string(field) + " does not exist for this object and this kind of value"};
}

template <class Object>
option checked_option(Object* object, void const* value, int field) {
    require_alive(object, "object");
    require_pointer(value, "value");
    option found = field == GrB_NAME ? name_option(*object) : option_of(*object, field);
    if (found.kind == option::none) throw no_such_field(field);
    if (found.kind == option::absent) // as in SuiteSparse:GraphBLAS
        throw failure{GrB_NO_VALUE, "the operator does not use the operand of field " + std::to_string(field)};
    return found;
}

template <class Object>
GrB_Info get_scalar(Object* object, GrB_Scalar value, int field) {
    return guarded(nullptr, [&] {
        option const found = checked_option(object, value, field);
        require_alive(value, "value");
        if (found.kind == option::text) throw no_such_field(field);
        bool const is_size = found.kind == option::size;
        std::uint64_t const size = found.bytes;
        require_compatible(value->type, is_size ? GrB_UINT64 : GrB_INT32, "value");
        void const* const from = is_size ? static_cast<void const*>(&size) : &found.number;
        convert(value->type, value->value.data(), is_size ? GrB_UINT64 : GrB_INT32, from, 1);
        value->present = true;
        return GrB_SUCCESS;
    });
}
template <class Object>
GrB_Info get_text(Object* object, char* value, int field) {
    return guarded(nullptr, [&] {
        option const found = checked_option(object, value, field);
        if (found.kind != option::text) throw no_such_field(field);
        std::memcpy(value, found.string.c_str(), found.string.size() + 1);
        return GrB_SUCCESS;
    });
}
template <class Object>
GrB_Info get_integer(Object* object, std::int32_t* value, int field) {
    return guarded(nullptr, [&] {
        option const found = checked_option(object, value, field);
        if (found.kind != option::integer) throw no_such_field(field);
        *value = found.number;
        return GrB_SUCCESS;
    });
}
template <class Object>
GrB_Info get_size(Object* object, std::size_t* value, int field) {
    return guarded(nullptr, [&] {
        option const found = checked_option(object, value, field);
        if (found.kind == option::integer) throw no_such_field(field);
        *value = found.kind == option::text ? found.string.size() + 1 : found.bytes;
        return GrB_SUCCESS;
    });
}

template <class Object>
GrB_Info set_text(Object* object, char const* value, int field) {
    return guarded(object, [&] {
        require_alive(object, "object");
        require_pointer(value, "value");
        if (field != GrB_NAME) throw no_such_field(field);
        constexpr bool may_change = std::is_base_of_v<table, Object> || std::is_same_v<Object, GrB_Scalar_opaque> ||
                                    std::is_same_v<Object, GrB_Descriptor_opaque>;
        if (object->predefined || (object->name && !may_change))
            throw failure{GrB_ALREADY_SET, std::string("the object has the name ") + object->text()};
        object->name = std::make_unique<std::string>(value);
        return GrB_SUCCESS;
    });
}

int checked_orientation(std::int32_t value) {
    if (value < GrB_ROWMAJOR || value > GrB_UNKNOWN)
        throw failure{GrB_INVALID_VALUE, "orientation is " + std::to_string(value) + ", expected a GrB_Orientation"};
    return value;
}

GrB_Info set_number(object_head&, std::int32_t, int field) { throw no_such_field(field); }
GrB_Info set_number(GrB_Global_opaque&, std::int32_t value, int field) {
    if (field == GrB_STORAGE_ORIENTATION_HINT) {
        default_orientation() = checked_orientation(value);
        return GrB_SUCCESS;
    }
    if (field != COPPICE_BACKEND) throw no_such_field(field);
    device::set_backend(value);
    return GrB_SUCCESS;
}
GrB_Info set_number(GrB_Descriptor_opaque& d, std::int32_t value, int field) {
    if (d.predefined) throw failure{GrB_INVALID_VALUE, "a predefined descriptor does not change"};
    if (field == GrB_MASK_FIELD) { // the value replaces both settings of the mask
        if (value != GrB_DEFAULT && value != GrB_COMP && value != GrB_STRUCTURE && value != GrB_COMP_STRUCTURE)
            throw failure{GrB_INVALID_VALUE,
                          "the mask of a descriptor does not take the value " + std::to_string(value)};
        d.complement = value == GrB_COMP || value == GrB_COMP_STRUCTURE;
        d.structure = value == GrB_STRUCTURE || value == GrB_COMP_STRUCTURE;
        return GrB_SUCCESS;
    }
    return GrB_Descriptor_set(&d, field, value);
}
/// For a scalar, a vector or a matrix.
template <class Object>
GrB_Info set_orientation(Object& object, std::int32_t value, int field) {
    if (field != GrB_STORAGE_ORIENTATION_HINT) throw no_such_field(field);
    object.orientation = checked_orientation(value);
    return GrB_SUCCESS;
}
GrB_Info set_number(GrB_Scalar_opaque& s, std::int32_t value, int field) { return set_orientation(s, value, field); }
GrB_Info set_number(table& t, std::int32_t value, int field) { return set_orientation(t, value, field); }
template <class Object>
GrB_Info set_integer(Object* object, std::int32_t value, int field) {
    return guarded(object, [&] {
        require_alive(object, "object");
        return set_number(*object, value, field);
    });
}
template <class Object>
GrB_Info set_scalar(Object* object, GrB_Scalar value, int field) {
    return guarded(object, [&] {
        require_alive(object, "object");
        require_alive(value, "value");
        if (!value->present) throw failure{GrB_EMPTY_OBJECT, "value is an empty GrB_Scalar, expected a value"};
        require_compatible(GrB_INT32, value->type, "value");
        std::int32_t number = 0;
        convert(GrB_INT32, &number, value->type, value->value.data(), 1);
        return set_number(*object, number, field);
    });
}
constexpr std::pair<int, char const*> c_names[] = {
    {GrB_BOOL_CODE, "bool"},          {GrB_INT8_CODE, "int8_t"},     {GrB_INT16_CODE, "int16_t"},
    {GrB_INT32_CODE, "int32_t"},      {GrB_INT64_CODE, "int64_t"},   {GrB_UINT8_CODE, "uint8_t"},
    {GrB_UINT16_CODE, "uint16_t"},    {GrB_UINT32_CODE, "uint32_t"}, {GrB_UINT64_CODE, "uint64_t"},
    {GrB_FP32_CODE, "float"},         {GrB_FP64_CODE, "double"},     {GxB_FC32_CODE, "float complex"},
    {GxB_FC64_CODE, "double complex"}};

/// Name of a type in C; a user-defined one has the name that it was given, or none.
std::string c_name(GrB_Type_opaque const& type) {
    for (auto const& [code, name] : c_names)
        if (code == type.code) return name;
    return type.name ? type.name->substr(0, GxB_MAX_NAME_LEN - 1) : std::string();
}
template <class Object>
GrB_Info copy_c_name(char* to, Object* object) {
    return guarded(nullptr, [&] {
        require_pointer(to, "name");
        require_alive(object, "object");
        std::string name;
        if constexpr (std::is_same_v<Object, GrB_Type_opaque>)
            name = c_name(*object);
        else
            name = c_name(*object->type);
        std::memcpy(to, name.c_str(), name.size() + 1);
        return GrB_SUCCESS;
    });
}

template <class Object>
GrB_Info type_of(GrB_Type* to, Object object) {
    return guarded(nullptr, [&] {
        require_pointer(to, "type");
        require_alive(object, "object");
        *to = object->type;
        return GrB_SUCCESS;
    });
}

/// GrB_get_VOID and GrB_set_VOID: no field has a value of type void*, so every call is an error.
template <class Object>
GrB_Info no_address(Object* object, int field) {
    return guarded(nullptr, [&]() -> GrB_Info {
        require_alive(object, "object");
        throw no_such_field(field);
    });
}

} // namespace

extern "C" {

GrB_Info GxB_Type_name(char* name, GrB_Type type) { return copy_c_name(name, type); }
GrB_Info GxB_Scalar_type_name(char* name, GrB_Scalar s) { return copy_c_name(name, s); }
GrB_Info GxB_Vector_type_name(char* name, GrB_Vector u) { return copy_c_name(name, u); }
GrB_Info GxB_Matrix_type_name(char* name, GrB_Matrix a) { return copy_c_name(name, a); }
GrB_Info GxB_Scalar_type(GrB_Type* type, GrB_Scalar s) { return type_of(type, s); }
GrB_Info GxB_Vector_type(GrB_Type* type, GrB_Vector u) { return type_of(type, u); }
GrB_Info GxB_Matrix_type(GrB_Type* type, GrB_Matrix a) { return type_of(type, a); }
GrB_Info GxB_Type_size(size_t* size, GrB_Type type) {
    return guarded(nullptr, [&] {
        require_pointer(size, "size");
        require_alive(type, "type");
        *size = type->size;
        return GrB_SUCCESS;
    });
}
GrB_Info GxB_Type_from_name(GrB_Type* type, char const* name) {
    return guarded(nullptr, [&] {
        require_pointer(type, "type");
        require_pointer(name, "name");
        *type = nullptr; // as in SuiteSparse:GraphBLAS, also for the name of a user-defined type
        for (GrB_Type t : {GrB_BOOL, GrB_INT8, GrB_INT16, GrB_INT32, GrB_INT64, GrB_UINT8, GrB_UINT16, GrB_UINT32,
                           GrB_UINT64, GrB_FP32, GrB_FP64, GxB_FC32, GxB_FC64})
            if (c_name(*t) == name) *type = t;
        return GrB_SUCCESS;
    });
}

#define COPPICE_OPTIONS(OBJECT)                                                                                        \
    GrB_Info GrB_##OBJECT##_get_Scalar(GrB_##OBJECT o, GrB_Scalar v, int field) { return get_scalar(o, v, field); }    \
    GrB_Info GrB_##OBJECT##_get_String(GrB_##OBJECT o, char* v, int field) { return get_text(o, v, field); }           \
    GrB_Info GrB_##OBJECT##_get_INT32(GrB_##OBJECT o, int32_t* v, int field) { return get_integer(o, v, field); }      \
    GrB_Info GrB_##OBJECT##_get_SIZE(GrB_##OBJECT o, size_t* v, int field) { return get_size(o, v, field); }           \
    GrB_Info GrB_##OBJECT##_get_VOID(GrB_##OBJECT o, void*, int field) { return no_address(o, field); }                \
    GrB_Info GrB_##OBJECT##_set_Scalar(GrB_##OBJECT o, GrB_Scalar v, int field) { return set_scalar(o, v, field); }    \
    GrB_Info GrB_##OBJECT##_set_String(GrB_##OBJECT o, char* v, int field) { return set_text(o, v, field); }           \
    GrB_Info GrB_##OBJECT##_set_INT32(GrB_##OBJECT o, int32_t v, int field) { return set_integer(o, v, field); }       \
    GrB_Info GrB_##OBJECT##_set_VOID(GrB_##OBJECT o, void*, int field, size_t) { return no_address(o, field); }
COPPICE_OPTIONS(Type)
COPPICE_OPTIONS(UnaryOp)
COPPICE_OPTIONS(IndexUnaryOp)
COPPICE_OPTIONS(BinaryOp)
COPPICE_OPTIONS(Monoid)
COPPICE_OPTIONS(Semiring)
COPPICE_OPTIONS(Descriptor)
COPPICE_OPTIONS(Scalar)
COPPICE_OPTIONS(Vector)
COPPICE_OPTIONS(Matrix)
COPPICE_OPTIONS(Global)
#undef COPPICE_OPTIONS

} // extern "C"
} // namespace coppice::graphblas
