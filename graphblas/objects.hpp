// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The opaque objects of the GraphBLAS C API. A handle points to an object, which begins with a number that gives its
/// kind and whether it is alive. Memory of freed objects is reused for objects of the same kind only, so that a handle
/// that was freed is recognised until then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "include/GraphBLAS.h"
#include "structure.hpp"

namespace coppice::graphblas {

inline constexpr std::uint64_t freed_object = 0xdeadb10c00000000;
inline constexpr std::uint64_t live_objects = 0x636f70706963e000; ///< of all kinds; their numbers follow
template <class Object>
inline constexpr std::uint64_t live_object = 0;
/// Whether the first word of a handle's memory is that of a live object of any kind.
constexpr bool is_live(std::uint64_t word) { return word > live_objects && word - live_objects < 16; }

/// Values of one type: bytes that are shared between objects until one of them changes.
struct contents {
    pattern_pointer where;
    std::shared_ptr<bytes const> values;
};

/// Entries by position, row by row: the bitmap form, or the full form if `flags` is null. A position without an entry
/// has any valid value. Only predefined types have this form. Copies share the arrays; an array is changed by its only
/// owner.
struct grid {
    index rows = 0, columns = 0, entries = 0;
    std::shared_ptr<buffer<std::uint8_t>> flags = {};
    std::shared_ptr<bytes> values = {};
    explicit operator bool() const { return values != nullptr; }
    index positions() const { return rows * columns; }
    std::uint8_t const* flag_data() const { return flags ? flags->data() : nullptr; }
};
/// Entries as a list, by position, or both.
struct stored {
    contents list = {};
    grid dense = {};
    index entries() const { return dense ? dense.entries : list.where->entries(); }
};

namespace device {
struct forms;
}

struct object_head {
    std::uint64_t magic = freed_object;
    bool predefined = false;
    char const* constant_name = "";            ///< of a predefined object
    std::unique_ptr<std::string> name = {};    ///< of another one, by GrB_set
    std::unique_ptr<std::string> message = {}; ///< of the last error
    char const* text() const { return name ? name->c_str() : constant_name; }
};

/// Names of the functors of operators.hpp that compiled kernels know.
enum class functor : std::uint8_t {
    other,
    first,
    second,
    pair,
    min,
    max,
    plus,
    minus,
    times,
    div,
    eq,
    ne,
    gt,
    lt,
    ge,
    le,
    bit_or,
    bit_and,
    bit_xor,
    bit_xnor,
    any,
    rminus,
    rdiv,
    lor,
    land,
    lxor,
    atan2,
    hypot,
    fmod,
    copysign,
    make_complex
};
/// Operators whose result is an index of an operand.
enum class positional : std::uint8_t { none, firsti, firsti1, firstj, firstj1, secondi, secondi1, secondj, secondj1 };

using unary_loop = void (*)(void* z, void const* x, index n);
/// z[k] = op(x[k * sx], y[k * sy])
using binary_loop = void (*)(void* z, void const* x, index sx, void const* y, index sy, index n);
/// *z = ((x[0] op x[1]) op x[2]) ... for n > 0 values
using fold_loop = void (*)(void* z, void const* x, index n);
/// z[k] = x[k] compared with *s
using compare_loop = void (*)(bool* z, void const* x, void const* s, index n);
/// z[k] = op(row, column, *s) for entries of row *i and columns j[k] if `in_row`, otherwise of rows i[k] and column *j
using position_loop = void (*)(void* z, index const* i, index const* j, bool in_row, index n, void const* s);

} // namespace coppice::graphblas

struct GrB_Type_opaque : coppice::graphblas::object_head {
    int code = GrB_UDT_CODE;
    std::size_t size = 0;
    std::unique_ptr<std::string> definition = {}; ///< in C, of a user-defined type that has one
};
struct GrB_UnaryOp_opaque : coppice::graphblas::object_head {
    GrB_Type z = nullptr, x = nullptr;
    GxB_unary_function function = nullptr;
    coppice::graphblas::unary_loop loop = nullptr; ///< of a predefined operator
    bool identity = false;
    char const* functor_name = nullptr;           ///< in operators.hpp, of a predefined operator
    std::unique_ptr<std::string> definition = {}; ///< in C, if it was compiled
};
struct GrB_IndexUnaryOp_opaque : coppice::graphblas::object_head {
    GrB_Type z = nullptr, x = nullptr, s = nullptr; ///< x: null if the value is not used
    GxB_index_unary_function function = nullptr;
    coppice::graphblas::compare_loop loop = nullptr;       ///< of a predefined comparison of values
    coppice::graphblas::position_loop positions = nullptr; ///< of a predefined operator of positions
    bool is_condition = false;                             ///< of positions: it selects ranges of rows and columns
    bool uses_row = true;                                  ///< `positions` does
    char const* functor_name = nullptr;
    std::unique_ptr<std::string> definition = {};
};
struct GrB_BinaryOp_opaque : coppice::graphblas::object_head {
    GrB_Type z = nullptr, x = nullptr, y = nullptr;
    GxB_binary_function function = nullptr;
    coppice::graphblas::binary_loop loop = nullptr;
    coppice::graphblas::fold_loop fold = nullptr; ///< of a predefined operator T x T -> T
    coppice::graphblas::functor kind = coppice::graphblas::functor::other;
    coppice::graphblas::positional position = coppice::graphblas::positional::none;
    char const* functor_name = nullptr;
    std::unique_ptr<std::string> definition = {};
};
struct GrB_Monoid_opaque : coppice::graphblas::object_head {
    GrB_BinaryOp op = nullptr;
    alignas(16) std::byte small_identity[16] = {}, small_terminal[16] = {};
    std::unique_ptr<std::byte[]> large_identity = {}, large_terminal = {};
    bool has_terminal = false, any_is_terminal = false;
    void const* identity() const { return large_identity ? large_identity.get() : small_identity; }
    void const* terminal() const { return large_terminal ? large_terminal.get() : small_terminal; }
};
struct GrB_Semiring_opaque : coppice::graphblas::object_head {
    GrB_Monoid add = nullptr;
    GrB_BinaryOp multiply = nullptr;
};
struct GrB_Descriptor_opaque : coppice::graphblas::object_head {
    bool replace = false, complement = false, structure = false, transpose0 = false, transpose1 = false;
};
struct GrB_Scalar_opaque : coppice::graphblas::object_head {
    GrB_Type type = nullptr;
    bool present = false;
    int orientation = GrB_ROWMAJOR; ///< a hint, as that of a table; it has no effect
    std::vector<std::byte> value = {};
};

namespace coppice::graphblas {

/// A matrix, or a vector as a matrix of one row.
struct table : object_head {
    GrB_Type type = nullptr;
    index rows = 0, columns = 0;
    int orientation = GrB_ROWMAJOR;

    /// Elements that were set or removed since the entries were computed; they are merged at the next use.
    struct change {
        index row, column;
        bool removed;
    };
    std::mutex guard = {};
    stored data = {};                                 ///< empty: only the device has the entries
    std::shared_ptr<device::forms const> device = {}; ///< null: only the host has them
    contents transposed = {};                         ///< computed on demand; empty after a change
    index list_work = 0;      ///< entries of lists that updates have merged since the last conversion
    index transpose_gain = 0; ///< operations of products that the transpose would have saved
    std::vector<change> changes = {};
    std::vector<std::byte> changed_values = {};
};

} // namespace coppice::graphblas

struct GrB_Vector_opaque : coppice::graphblas::table {};
struct GrB_Matrix_opaque : coppice::graphblas::table {};
struct GrB_Global_opaque : coppice::graphblas::object_head {};

namespace coppice::graphblas {

#define COPPICE_LIVE(OBJECT, NUMBER)                                                                                   \
    template <>                                                                                                        \
    inline constexpr std::uint64_t live_object<GrB_##OBJECT##_opaque> = live_objects + NUMBER
COPPICE_LIVE(Type, 1);
COPPICE_LIVE(UnaryOp, 2);
COPPICE_LIVE(IndexUnaryOp, 3);
COPPICE_LIVE(BinaryOp, 4);
COPPICE_LIVE(Monoid, 5);
COPPICE_LIVE(Semiring, 6);
COPPICE_LIVE(Descriptor, 7);
COPPICE_LIVE(Scalar, 8);
COPPICE_LIVE(Vector, 9);
COPPICE_LIVE(Matrix, 10);
COPPICE_LIVE(Global, 11);
#undef COPPICE_LIVE

/// An error of a call: its code and the sentence for GrB_error.
struct failure {
    GrB_Info code;
    std::string message;
};

/// Memory of freed objects of one kind, the oldest is reused first.
template <class Object>
class object_store {
public:
    /// Returns a new live object.
    static Object* make() {
        object_store& store = instance();
        void* memory = nullptr;
        {
            std::scoped_lock const lock(store.guard_);
            if (store.freed_.size() - store.first_ > quarantine) memory = store.freed_[store.first_++];
            if (store.first_ > quarantine) {
                store.freed_.erase(store.freed_.begin(), store.freed_.begin() + std::ptrdiff_t(store.first_));
                store.first_ = 0;
            }
        }
        if (!memory) {
            memory = ::operator new(sizeof(Object));
            try {
                std::scoped_lock const lock(store.guard_);
                store.freed_.reserve(++store.made_ + quarantine + 1); // so that remove() does not allocate
            } catch (...) {
                ::operator delete(memory);
                throw;
            }
        }
        auto* const object = new (memory) Object();
        object->magic = live_object<Object>;
        return object;
    }
    static void remove(Object* object) {
        object_store& store = instance();
        object->~Object();
        // The first word outlives the object, for handles that are used after the object was freed.
        new (object) std::uint64_t(freed_object);
        std::scoped_lock const lock(store.guard_);
        store.freed_.push_back(object);
    }

private:
    static constexpr std::size_t quarantine = 64;
    static object_store& instance() {
        static auto* const store = new object_store; // programs may free objects when they end
        return *store;
    }
    std::mutex guard_;
    std::vector<void*> freed_;
    std::size_t first_ = 0, made_ = 0;
};

inline std::uint64_t first_word(void const* object) { return *static_cast<std::uint64_t const volatile*>(object); }

/// Throws unless the handle is that of a live object.
template <class Object>
void require_alive(Object const* object, char const* what) {
    if (!object) throw failure{GrB_NULL_POINTER, std::string(what) + " is NULL, expected an object"};
    std::uint64_t const word = first_word(object);
    if (word == live_object<Object>) return;
    if (word == freed_object) throw failure{GrB_UNINITIALIZED_OBJECT, std::string(what) + " has been freed"};
    throw failure{GrB_UNINITIALIZED_OBJECT,
                  std::string(what) + " is not an object of this kind: it was not initialised"};
}
template <class Object>
void require_alive_or_null(Object const* object, char const* what) {
    if (object) require_alive(object, what);
}

/// Value of a predefined type, of a user-defined type, or a GrB_Scalar: an input, an output or an array.
struct argument {
    enum kind_type { typed, user, scalar } kind;
    GrB_Type type;
    void* data;
    GrB_Scalar object;
};

} // namespace coppice::graphblas
