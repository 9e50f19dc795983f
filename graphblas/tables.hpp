// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// State of matrices and vectors: pending changes, transposes, masks, and the last step of every operation.
#pragma once

#include <atomic>
#include <new>

#include <coppice/core/error.hpp>

#include "grid.hpp"

namespace coppice::graphblas {

/// Whether GrB_init has been called and GrB_finalize has not.
bool is_initialised();
/// Orientation of new scalars, vectors and matrices: a hint of the caller, which has no effect.
std::atomic<int>& default_orientation();
void keep_message(object_head* object, std::string const& message) noexcept;

/// Runs a call of the C interface: no exception leaves it. The message of an error is stored in `output` for GrB_error.
template <class Body>
GrB_Info guarded(object_head* output, Body const& body) noexcept {
    try {
        if (!is_initialised()) throw failure{GrB_PANIC, "GrB_init has not been called"};
        return body();
    } catch (failure const& e) {
        keep_message(output, e.message);
        return e.code;
    } catch (std::bad_alloc const&) {
        return GrB_OUT_OF_MEMORY;
    } catch (std::length_error const&) {
        return GrB_OUT_OF_MEMORY;
    } catch (error const& e) {
        keep_message(output, e.what());
        bool const memory = e.code() == error_code::out_of_memory || e.code() == error_code::overflow;
        return memory ? GrB_OUT_OF_MEMORY : GrB_PANIC;
    } catch (std::exception const& e) {
        // not covered: no function of the library throws other exceptions
        keep_message(output, e.what());
        return GrB_PANIC;
    } catch (...) {
        return GrB_PANIC;
    }
}

template <class T>
void require_pointer(T const* pointer, char const* what) {
    if (!pointer) throw failure{GrB_NULL_POINTER, std::string(what) + " is NULL, expected an address"};
}
void require_compatible(GrB_Type to, GrB_Type from, char const* what);
void require_same(char const* what, index got, index expected);

/// Settings of a descriptor; NULL: defaults.
struct settings {
    explicit settings(GrB_Descriptor d);
    bool replace = false, complement = false, structure = false, transpose0 = false, transpose1 = false;
};

/// Returns the entries as a list, with pending changes merged. The table keeps both forms until it changes.
contents entries_of(table& t);
/// Returns the entries of the transpose, which is cached until the matrix changes.
contents transposed_entries(table& t);
inline contents oriented(table& t, bool transposed) { return transposed ? transposed_entries(t) : entries_of(t); }
/// Returns the forms that exist on the host, at least one, with pending changes merged. As the functions above, it
/// copies entries from the device that the host lacks.
stored forms_of(table& t);
/// Number of entries, with pending changes merged.
index entry_count(table& t);
/// Replaces the entries. Does not throw.
void set_forms(table& t, stored data) noexcept;
inline void set_entries(table& t, contents data) noexcept { set_forms(t, {std::move(data), {}}); }
/// Returns the address of an element until the table changes; null if there is none.
std::byte const* find_element(table& t, index row, index column);
/// Sets or removes one element; `value` null: removes it.
void change_element(table& t, index row, index column, void const* value);

/// A mask and its settings, checked against the shape of the output.
class mask_of_call {
public:
    mask_of_call(table* mask, settings const& s, index rows, index columns);
    /// The mask as a list, which is made if there is none.
    mask_view view() const;
    /// The mask by position: rows * columns flags.
    position_mask positions() const;
    bool is_absent() const { return !mask_ && !complement_; }
    bool complement() const { return complement_; }
    /// Whether the mask is a list that selects entries.
    bool selects_list() const { return mask_ && !complement_ && forms().list.where && !is_dense(); }
    /// Whether flags exist that positions() returns without a pass over all positions.
    bool has_positions() const { return forms().dense && !by_value_; }
    /// Whether the list is at hand, and flags would have to be made.
    bool prefers_list() const { return mask_ && forms().list.where && !has_positions(); }
    /// Positions that the mask admits, at most.
    index max_admitted(index positions) const;

private:
    /// The mask on the host, from its first use: the device uses the table itself.
    stored const& forms() const {
        if (mask_ && !forms_.dense && !forms_.list.where) forms_ = forms_of(*mask_);
        return forms_;
    }
    bool is_dense() const { return forms().dense && forms().dense.entries > forms().dense.positions() / 16; }
    table* mask_;
    bool complement_, by_value_;
    mutable stored forms_ = {};
    mutable std::shared_ptr<bytes const> flags_ = {};
};

/// Throws unless C = accum(C, T) has compatible types.
void require_accumulator(GrB_Type c, GrB_BinaryOp accum, GrB_Type t);
/// Also checks that an entry of T alone converts to an entry of C.
inline void require_accumulator(table const& c, GrB_BinaryOp accum, GrB_Type t) {
    require_accumulator(c.type, accum, t);
    require_compatible(c.type, t, "result");
}
/// c = accum(c, t) for single values; without accumulator c = t.
void accumulate(GrB_Type c_type, void* c, GrB_BinaryOp accum, GrB_Type t_type, void const* t);
/// Returns the entries with another type.
stored stored_as_type(GrB_Type to, GrB_Type from, stored const& t);
/// C<mask> = accum(C, T); T may lack entries that the mask does not admit.
void finish(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, stored const& t, GrB_Type type,
            bool vector);
/// w(positions) = accum(w(positions), t) for a list of positions of a vector, and a vector t. Returns false if another
/// algorithm is faster, or if a position repeats.
bool assign_at_positions(table& w, index_list positions, GrB_BinaryOp accum, stored const& t, GrB_Type type);
/// C<mask> = accum(C, value) at all positions that the mask admits. Returns false if another algorithm is faster.
bool assign_everywhere(table& c, mask_of_call const& mask, GrB_BinaryOp accum, bool replace, GrB_Type type,
                       void const* value);

/// The value of an argument as another type.
class converted_value {
public:
    /// `what` names the argument in messages. `present` is false for an empty GrB_Scalar.
    converted_value(argument const& from, GrB_Type to, char const* what);
    void const* data() const { return memory_.data(); }
    bool present() const { return present_; }
    /// Throws GrB_EMPTY_OBJECT for an empty GrB_Scalar.
    void require_present(char const* what) const;

private:
    scratch memory_;
    bool present_ = true;
};
/// Throws unless the argument is NULL-free and of a type compatible with `type`.
void require_argument(argument const& a, GrB_Type type, char const* what);

} // namespace coppice::graphblas
