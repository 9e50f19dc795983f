// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

#include <coppice/core/parallel.hpp>

#include "select.hpp"

namespace coppice::graphblas {
namespace {

constexpr std::size_t max_size = 16; ///< bytes of a value of a predefined type
/// Values of a block of one predefined type.
struct block_values {
    alignas(64) std::array<std::byte, std::size_t(block_size) * max_size> memory;
    void* data() { return memory.data(); }
};

template <class U>
U* words(bytes& values) {
    return reinterpret_cast<U*>(values.data());
}
template <class U>
U const* words(bytes const& values) {
    return reinterpret_cast<U const*>(values.data());
}
std::byte const* byte_at(bytes const& values, index k, std::size_t size) {
    return values.data() + std::size_t(k) * size;
}

std::shared_ptr<buffer<std::uint8_t>> make_flags(index n, std::uint8_t value) {
    auto flags = std::make_shared<buffer<std::uint8_t>>(executor(), n);
    for_ranges(n, index{1} << 18,
               [&](index first, index last) { std::fill(flags->data() + first, flags->data() + last, value); });
    return flags;
}
std::shared_ptr<bytes> zero_values(index n, std::size_t size) {
    auto values = make_values(n, size);
    for_ranges(n, index{1} << 15, [&](index first, index last) {
        std::memset(values->data() + std::size_t(first) * size, 0, std::size_t(last - first) * size);
    });
    return values;
}

/// Positions of the entries of a list, in ascending order.
class position_cursor {
public:
    position_cursor(pattern const& where, index first_entry) : where_(where) {
        auto const& o = where.offsets;
        stored_ = std::upper_bound(o.begin(), o.end(), first_entry) - o.begin() - 1;
        open();
    }
    void move(index entry) {
        while (end_ <= entry) {
            ++stored_;
            open();
        }
        column = where_.indices[entry];
        position = row * where_.columns + column;
    }
    index row = 0, column = 0, position = 0;

private:
    void open() {
        if (stored_ >= where_.stored_rows()) return;
        row = where_.row(stored_);
        end_ = where_.offsets[stored_ + 1];
    }
    pattern const& where_;
    index stored_ = 0, end_ = 0;
};

/// Pairs of positions of C and values of T that an accumulator combines, a block at a time.
template <class U>
class pair_block {
public:
    pair_block(GrB_BinaryOp op, U* c, U const* t, bool flipped) : op_(op), c_(c), t_(t), flipped_(flipped) {}
    void add(index position, index value) {
        position_[std::size_t(count_)] = position;
        x_[std::size_t(count_)] = c_[position];
        y_[std::size_t(count_)] = t_[value];
        if (++count_ == block_size) flush();
    }
    void flush() {
        if (count_ == 0) return;
        op_->loop(z_.data(), flipped_ ? y_.data() : x_.data(), 1, flipped_ ? x_.data() : y_.data(), 1, count_);
        for (index k = 0; k < count_; ++k) c_[position_[std::size_t(k)]] = z_[std::size_t(k)];
        count_ = 0;
    }

private:
    GrB_BinaryOp op_;
    U* c_;
    U const* t_;
    bool flipped_;
    index count_ = 0;
    std::array<index, block_size> position_;
    std::array<U, block_size> x_, y_, z_;
};

/// Writes entries of one task into C: sets, accumulates or deletes them, and counts.
template <class U>
class entry_writer {
public:
    entry_writer(grid& c, GrB_BinaryOp accum, U const* t, bool flipped = false)
        : flags_(c.flags ? c.flags->data() : nullptr), values_(words<U>(*c.values)), t_(t),
          pairs_(accum, values_, t, flipped), accumulates_(accum != nullptr) {}
    void set(index position, index value) {
        bool const present = !flags_ || flags_[position] != 0;
        if (accumulates_ && present) return pairs_.add(position, value);
        values_[position] = t_[value];
        if (present) return;
        flags_[position] = 1;
        ++added_;
    }
    void remove(index position) {
        if (accumulates_ || flags_[position] == 0) return;
        flags_[position] = 0;
        --added_;
    }
    void finish(std::atomic<index>& added) {
        pairs_.flush();
        added += added_;
    }

private:
    std::uint8_t* flags_;
    U* values_;
    U const* t_;
    pair_block<U> pairs_;
    bool accumulates_;
    index added_ = 0;
};

/// Calls f(position, value of T or -1) for the entries [first, last) of a mask.
template <class F>
void at_mask_entries(mask_view const& mask, source_values const& t, index first, index last, F const& f) {
    position_cursor at(*mask.where, first);
    std::uint8_t const* const flags = t.dense ? t.dense->flag_data() : nullptr;
    bool const same = t.list && t.list->where.get() == mask.where;
    std::optional<list_search> search;
    if (t.list && !same) search.emplace(*t.list->where);
    for (index k = first; k < last; ++k) {
        if (mask.values && mask.values[k] == 0) continue;
        at.move(k);
        if (t.single)
            f(at.position, 0);
        else if (t.dense)
            f(at.position, !flags || flags[at.position] != 0 ? at.position : -1);
        else
            f(at.position, same ? k : search->find(at.row, at.column));
    }
}

template <class U>
U const* values_of(source_values const& t) {
    if (t.single) return static_cast<U const*>(t.single);
    return reinterpret_cast<U const*>(t.dense ? t.dense->values->data() : t.list->values->data());
}

/// Flags of n positions from `first`: whether the mask admits them.
void admitted_flags(position_mask const& mask, index first, index n, std::uint8_t* to) {
    if (!mask.flags) {
        std::fill_n(to, n, std::uint8_t(mask.complement ? 0 : 1));
        return;
    }
    std::uint8_t const* const flags = mask.flags + first;
    auto const inverted = std::uint8_t(mask.complement ? 1 : 0);
    for (index k = 0; k < n; ++k) to[k] = std::uint8_t(flags[k] ^ inverted);
}

/// One block of update_all(): positions [first, first + n). Returns the number of entries afterwards. The loops have no
/// branches, so that they are vectorised.
template <class U>
index update_block(grid& c, position_mask const& mask, GrB_BinaryOp accum, bool replace, source_values const& t,
                   index first, index n) {
    std::uint8_t* const c_flags = c.flags ? c.flags->data() + first : nullptr;
    std::uint8_t const* const t_flags = t.dense && t.dense->flags ? t.dense->flags->data() + first : nullptr;
    U* const values = words<U>(*c.values) + first;
    U const* const from = values_of<U>(t) + (t.single ? 0 : first);
    index const stride = t.single ? 0 : 1;
    if (!c_flags && !t_flags && !mask.flags && !mask.complement) { // every position is written
        if (accum)
            accum->loop(values, values, 1, from, stride, n);
        else
            for (index k = 0; k < n; ++k) values[k] = from[k * stride];
        return n;
    }
    std::array<std::uint8_t, block_size> admitted, written;
    admitted_flags(mask, first, n, admitted.data());
    for (std::size_t k = 0; k < std::size_t(n); ++k) written[k] = t_flags ? admitted[k] & t_flags[k] : admitted[k];
    std::array<U, block_size> x;
    for (index k = 0; k < n; ++k) x[std::size_t(k)] = from[k * stride];
    if (accum) {
        block_values sums;
        auto* const z = reinterpret_cast<U*>(sums.data());
        accum->loop(z, values, 1, from, stride, n);
        for (std::size_t k = 0; k < std::size_t(n); ++k) x[k] = !c_flags || c_flags[k] != 0 ? z[k] : x[k];
    }
    for (std::size_t k = 0; k < std::size_t(n); ++k) values[k] = written[k] != 0 ? x[k] : values[k];
    if (!c_flags) return n;
    auto const stays_admitted = std::uint8_t(accum ? 1 : 0), stays_other = std::uint8_t(replace ? 0 : 1);
    unsigned entries = 0;
    for (std::size_t k = 0; k < std::size_t(n); ++k) {
        auto const stays = admitted[k] != 0 ? stays_admitted : stays_other;
        c_flags[k] = std::uint8_t(written[k] | (c_flags[k] & stays));
        entries += c_flags[k];
    }
    return index(entries);
}

} // namespace

bool suits_grid(GrB_Type type, index rows, index columns, index entries) {
    if (type->code == GrB_UDT_CODE || rows == 0 || columns == 0) return false;
    constexpr index limit = index{1} << 40;
    return rows <= limit / columns && rows * columns / 64 <= entries;
}

grid make_grid(index rows, index columns, std::size_t size, bool full) {
    grid to{rows, columns, full ? rows * columns : 0, nullptr, zero_values(rows * columns, size)};
    if (!full) to.flags = make_flags(rows * columns, 0);
    return to;
}

grid to_grid(contents const& from, GrB_Type type) {
    pattern const& where = *from.where;
    index const n = where.rows * where.columns;
    grid to{where.rows, where.columns, where.entries(), nullptr, nullptr};
    if (where.entries() == n) { // the list has all positions in order
        to.values = std::const_pointer_cast<bytes>(from.values);
        return to;
    }
    to.values = zero_values(n, type->size);
    to.flags = make_flags(n, 0);
    with_word(type->size, [&]<class U>(U) {
        U const* const x = words<U>(*from.values);
        U* const z = words<U>(*to.values);
        std::uint8_t* const flags = to.flags->data();
        for_ranges(where.entries(), task_size, [&](index first, index last) {
            position_cursor at(where, first);
            for (index k = first; k < last; ++k) {
                at.move(k);
                flags[at.position] = 1;
                z[at.position] = x[k];
            }
        });
    });
    return to;
}

index count_flags(std::uint8_t const* flags, index n) {
    std::atomic<index> total{0};
    for_ranges(n, index{1} << 16, [&](index first, index last) {
        index sum = 0;
        for (index k = first; k < last;) { // bytes are summed in blocks, which is vectorised
            unsigned chunk = 0;
            index const stop = std::min(last, k + 4096);
            for (; k < stop; ++k) chunk += flags[k];
            sum += chunk;
        }
        total += sum;
    });
    return total;
}

namespace {

/// List of the positions with a flag: indices of the positions, and offsets of the rows.
struct flagged_list {
    pattern_pointer where;
    buffer<index> positions; ///< empty if there is one row: the indices
};
flagged_list list_of_flags(std::uint8_t const* flags, index rows, index columns) {
    constexpr index chunk = 1 << 16;
    index const chunks = (columns + chunk - 1) / chunk; // of each row
    std::vector<index> starts(std::size_t(rows * chunks) + 1);
    for_ranges(rows * chunks, 1, [&](index first, index) {
        index const begin = first % chunks * chunk, end = std::min(columns, begin + chunk);
        unsigned sum = 0;
        for (index j = begin; j < end; ++j) sum += flags[first / chunks * columns + j] != 0;
        starts[std::size_t(first) + 1] = index(sum);
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    pattern to;
    to.rows = rows;
    to.columns = columns;
    to.offsets = buffer<index>(executor(), rows + 1);
    for (index r = 0; r <= rows; ++r) to.offsets[r] = starts[std::size_t(r * chunks)];
    to.indices = buffer<index>(executor(), starts.back());
    buffer<index> positions(executor(), rows == 1 ? 0 : starts.back());
    for_ranges(rows * chunks, 1, [&](index first, index) {
        index const row = first / chunks, begin = first % chunks * chunk, end = std::min(columns, begin + chunk);
        std::uint8_t const* const f = flags + row * columns;
        index next = starts[std::size_t(first)];
        for (index j = begin; j < end;) {
            std::uint64_t word = 1;
            if (end - j >= 8) std::memcpy(&word, f + j, 8);
            if (word == 0) {
                j += 8;
                continue;
            }
            for (index const stop = std::min(end, j + 8); j < stop; ++j)
                if (f[j] != 0) {
                    if (!positions.empty()) positions[next] = row * columns + j;
                    to.indices[next++] = j;
                }
        }
    });
    return {normalised(std::move(to)), std::move(positions)};
}

/// Returns the values of a grid at the flagged positions.
contents gathered_list(flagged_list const& list, bytes const& values, std::size_t size) {
    auto const made = gathered(values, list.where->rows == 1 ? list.where->indices : list.positions, size);
    return {list.where, made};
}

} // namespace

contents to_list(grid const& from, GrB_Type type) {
    if (from.flags)
        return gathered_list(list_of_flags(from.flags->data(), from.rows, from.columns), *from.values, type->size);
    pattern to;
    to.rows = from.rows;
    to.columns = from.columns;
    to.offsets = buffer<index>(executor(), from.rows + 1);
    to.indices = buffer<index>(executor(), from.positions());
    for (index r = 0; r <= from.rows; ++r) to.offsets[r] = r * from.columns;
    for_ranges(
        from.rows, std::max<index>(1, task_size / std::max<index>(1, from.columns)), [&](index first, index last) {
            for (index r = first; r < last; ++r)
                std::iota(to.indices.data() + r * from.columns, to.indices.data() + (r + 1) * from.columns, index{0});
        });
    return {normalised(std::move(to)), from.values};
}

grid constant_grid(index rows, index columns, GrB_Type type, void const* value) {
    grid to{rows, columns, rows * columns, nullptr, make_values(rows * columns, type->size)};
    with_word(type->size, [&]<class U>(U) {
        U const x = *static_cast<U const*>(value);
        U* const z = words<U>(*to.values);
        for_ranges(to.positions(), index{1} << 15, [&](index first, index last) { std::fill(z + first, z + last, x); });
    });
    return to;
}

namespace {

/// z' = x, a block of columns of x at a time.
template <class U>
void transpose_positions(U* z, U const* x, index rows, index columns) {
    constexpr index width = 8; // columns: so many rows of z are written at a time
    for_ranges(columns, std::max(width, task_size / std::max<index>(1, rows) / width * width),
               [&](index first, index last) {
                   for (index b = first; b < last; b += width)
                       for (index r = 0; r < rows; ++r)
                           for (index c = b; c < std::min(last, b + width); ++c) z[c * rows + r] = x[r * columns + c];
               });
}

} // namespace

grid transposed_grid(grid const& from, std::size_t size) {
    grid to{from.columns, from.rows, from.entries, nullptr, make_values(from.positions(), size)};
    with_word(size, [&]<class U>(U) {
        transpose_positions(words<U>(*to.values), words<U>(*from.values), from.rows, from.columns);
    });
    if (!from.flags) return to;
    to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), from.positions());
    transpose_positions(to.flags->data(), from.flag_data(), from.rows, from.columns);
    return to;
}

grid grid_as_type(GrB_Type to, GrB_Type from, grid const& values) {
    grid made = values;
    if (to != from) made.values = std::const_pointer_cast<bytes>(as_type(to, from, values.values, values.positions()));
    return made;
}

void make_unique(grid& of) {
    if (of.flags && of.flags.use_count() > 1)
        of.flags = std::make_shared<buffer<std::uint8_t>>(copy_of(executor(), *of.flags));
    if (of.values.use_count() > 1) of.values = std::make_shared<bytes>(copy_of(executor(), *of.values));
}
void add_flags(grid& of) {
    if (!of.flags) of.flags = make_flags(of.positions(), 1);
}

std::shared_ptr<buffer<std::uint8_t> const> flags_of(stored const& mask, GrB_Type type, bool by_value) {
    if (!mask.dense) {
        pattern const& where = *mask.list.where;
        auto const values = by_value ? as_flags(type, mask.list.values, where.entries()) : nullptr;
        auto flags = make_flags(where.rows * where.columns, 0);
        for_ranges(where.entries(), task_size, [&](index first, index last) {
            position_cursor at(where, first);
            for (index k = first; k < last; ++k) {
                at.move(k);
                (*flags)[at.position] = !values || (*values)[k] != std::byte{0} ? 1 : 0;
            }
        });
        return flags;
    }
    if (!by_value) return mask.dense.flags;
    index const n = mask.dense.positions();
    auto const values = as_flags(type, mask.dense.values, n);
    auto flags = std::make_shared<buffer<std::uint8_t>>(executor(), n);
    std::uint8_t const* const present = mask.dense.flag_data();
    for_ranges(n, task_size, [&](index first, index last) {
        std::byte const* const x = values->data();
        std::uint8_t* const z = flags->data();
        if (!present)
            for (index k = first; k < last; ++k) z[k] = x[k] != std::byte{0};
        else
            for (index k = first; k < last; ++k) z[k] = std::uint8_t(present[k] & std::uint8_t(x[k] != std::byte{0}));
    });
    return flags;
}

bool has_grid_update(GrB_Type c, GrB_BinaryOp accum) {
    if (c->code == GrB_UDT_CODE) return false;
    return !accum || (accepts_any_value(accum) && accum->x == c && accum->y == c && accum->z == c);
}

void update_at_mask(grid& c, std::size_t size, mask_view const& mask, GrB_BinaryOp accum, source_values const& t) {
    std::atomic<index> added{0};
    with_word(size, [&]<class U>(U) {
        for_ranges(mask.where->entries(), task_size, [&](index first, index last) {
            entry_writer<U> writer(c, accum, values_of<U>(t));
            at_mask_entries(mask, t, first, last, [&](index position, index value) {
                if (value >= 0)
                    writer.set(position, value);
                else
                    writer.remove(position);
            });
            writer.finish(added);
        });
    });
    c.entries += added;
}

void update_at_source(grid& c, std::size_t size, position_mask const& mask, GrB_BinaryOp accum, contents const& t,
                      bool flipped) {
    std::atomic<index> added{0};
    with_word(size, [&]<class U>(U) {
        for_ranges(t.where->entries(), task_size, [&](index first, index last) {
            entry_writer<U> writer(c, accum, words<U>(*t.values), flipped);
            position_cursor at(*t.where, first);
            for (index k = first; k < last; ++k) {
                at.move(k);
                if (mask.admits(at.position)) writer.set(at.position, k);
            }
            writer.finish(added);
        });
    });
    c.entries += added;
}

void update_at_positions(grid& c, std::size_t size, index const* positions, GrB_BinaryOp accum, grid const& t) {
    std::atomic<index> added{0};
    std::uint8_t const* const flags = t.flag_data();
    with_word(size, [&]<class U>(U) {
        for_ranges(t.positions(), task_size, [&](index first, index last) {
            entry_writer<U> writer(c, accum, words<U>(*t.values));
            for (index k = first; k < last; ++k)
                if (!flags || flags[k] != 0)
                    writer.set(positions[k], k);
                else
                    writer.remove(positions[k]);
            writer.finish(added);
        });
    });
    c.entries += added;
}

void update_all(grid& c, std::size_t size, position_mask const& mask, GrB_BinaryOp accum, bool replace,
                source_values const& t) {
    std::atomic<index> entries{0};
    with_word(size, [&]<class U>(U) {
        for_ranges(c.positions(), task_size, [&](index first, index last) {
            index sum = 0;
            for (index k = first; k < last; k += block_size)
                sum += update_block<U>(c, mask, accum, replace, t, k, std::min(block_size, last - k));
            entries += sum;
        });
    });
    c.entries = entries;
}

grid masked_grid(grid const& from, position_mask const& mask) {
    grid to = from;
    if (!mask.flags && !mask.complement) return to;
    if (mask.owner && !mask.complement && !from.flags) {
        to.flags = std::const_pointer_cast<buffer<std::uint8_t>>(mask.owner);
        to.entries = count_flags(mask.flags, to.positions());
        return to;
    }
    to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), from.positions());
    std::uint8_t* const z = to.flags->data();
    std::uint8_t const* const x = from.flag_data();
    for_ranges(from.positions(), task_size, [&](index first, index last) {
        admitted_flags(mask, first, last - first, z + first);
        for (index k = first; x && k < last; ++k) z[k] &= x[k];
    });
    to.entries = count_flags(z, to.positions());
    return to;
}

contents masked_list(contents const& from, GrB_Type type, position_mask const& mask) {
    pattern const& where = *from.where;
    buffer<std::uint8_t> keep(executor(), where.entries());
    for_ranges(where.entries(), task_size, [&](index first, index last) {
        position_cursor at(where, first);
        for (index k = first; k < last; ++k) {
            at.move(k);
            keep[k] = mask.admits(at.position) ? 1 : 0;
        }
    });
    return selected(from, type->size, keep.data());
}

contents grid_at_list(grid const& from, GrB_Type type, mask_view const& mask) {
    pattern const& where = *mask.where;
    index const n = where.entries();
    buffer<index> positions(executor(), n);
    buffer<std::uint8_t> keep(executor(), n);
    std::uint8_t const* const flags = from.flag_data();
    std::atomic<bool> all{true};
    for_ranges(n, task_size, [&](index first, index last) {
        position_cursor at(where, first);
        bool here = true;
        for (index k = first; k < last; ++k) {
            at.move(k);
            positions[k] = at.position;
            keep[k] = (!mask.values || mask.values[k] != 0) && (!flags || flags[at.position] != 0) ? 1 : 0;
            here = here && keep[k] != 0;
        }
        if (!here) all = false;
    });
    auto values = gathered(*from.values, positions, type->size);
    contents const at_mask{std::shared_ptr<pattern const>(mask.owner, mask.where), values};
    return all ? at_mask : selected(at_mask, type->size, keep.data());
}

grid combine_grids(GrB_BinaryOp op, grid const& x, grid const& y, bool add) {
    grid to{x.rows, x.columns, x.positions(), nullptr, make_values(x.positions(), op->z->size)};
    bool const full = add ? !x.flags || !y.flags : !x.flags && !y.flags;
    if (!full) to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), x.positions());
    std::uint8_t const *const fx = x.flag_data(), *const fy = y.flag_data();
    std::size_t const size = op->z->size;
    for_ranges(to.positions(), task_size, [&](index first, index last) {
        for (index b = first; b < last; b += block_size) {
            index const n = std::min(block_size, last - b);
            op->loop(to.values->data() + std::size_t(b) * size, byte_at(*x.values, b, op->x->size), 1,
                     byte_at(*y.values, b, op->y->size), 1, n);
        }
        if (!fx && !fy) return;
        for (index k = first; !full && k < last; ++k) {
            auto const p = fx ? fx[k] : std::uint8_t{1}, q = fy ? fy[k] : std::uint8_t{1};
            (*to.flags)[k] = add ? std::uint8_t(p | q) : std::uint8_t(p & q);
        }
        if (add)
            with_word(size, [&]<class U>(U) {
                U *const z = words<U>(*to.values), *const u = words<U>(*x.values), *const v = words<U>(*y.values);
                for (index k = first; k < last; ++k) {
                    if (fx && fx[k] == 0) z[k] = v[k];
                    if (fy && fy[k] == 0) z[k] = u[k];
                }
            });
    });
    if (!full) to.entries = count_flags(to.flags->data(), to.positions());
    return to;
}

grid combine_bound(GrB_BinaryOp op, grid const& a, void const* bound, bool first_operand) {
    grid to = a;
    to.values = make_values(a.positions(), op->z->size);
    std::size_t const size = first_operand ? op->y->size : op->x->size;
    repeated_value const constant(first_operand ? op->x : op->y, bound);
    for_ranges(a.positions(), task_size, [&](index first, index last) {
        for (index b = first; b < last; b += block_size) {
            index const n = std::min(block_size, last - b);
            void* const z = to.values->data() + std::size_t(b) * op->z->size;
            std::byte const* const x = byte_at(*a.values, b, size);
            op->loop(z, first_operand ? constant.data() : x, 1, first_operand ? x : constant.data(), 1, n);
        }
    });
    return to;
}

contents combine_list_with_grid(GrB_BinaryOp op, contents const& list, GrB_Type list_type, grid const& dense,
                                GrB_Type dense_type, bool flipped, bool vector) {
    if (list.where->rows == 1 && !dense.flags) {
        operand const x{list_type, list.values->data()}, y{dense_type, dense.values->data(), 1, value_of_entry::column};
        return {list.where, combine(*list.where, nullptr, flipped ? y : x, flipped ? x : y, op, op->z, vector)};
    }
    contents at_both = list;
    mask_view const entries{list.where.get(), nullptr, false, list.where};
    contents const other = grid_at_list(dense, dense_type, entries);
    if (other.where != list.where) {
        position_mask const mask{dense.flag_data(), false, dense.flags};
        at_both = masked_list(list, list_type, mask);
    }
    operand const x{list_type, at_both.values->data()}, y{dense_type, other.values->data()};
    return {at_both.where, combine(*at_both.where, nullptr, flipped ? y : x, flipped ? x : y, op, op->z, vector)};
}

grid apply_to_grid(GrB_UnaryOp op, GrB_Type type, grid const& a) {
    grid to = a;
    to.values = std::const_pointer_cast<bytes>(apply_unary(op, type, *a.values, a.positions()));
    return to;
}

bool runs_by_position(GrB_IndexUnaryOp op, GrB_Type type) {
    return op->predefined && (op->positions || (op->loop && op->x == type));
}
grid apply_to_grid(GrB_IndexUnaryOp op, grid const& a, void const* s, bool vector) {
    grid to = a;
    to.values = make_values(a.positions(), op->z->size);
    std::size_t const size = op->z->size;
    for_ranges(a.positions(), task_size, [&](index first, index last) {
        if (op->loop)
            return op->loop(reinterpret_cast<bool*>(to.values->data()) + first,
                            a.values->data() + std::size_t(first) * op->x->size, s, last - first);
        std::array<index, block_size> numbers;
        index const zero = 0;
        for (index k = first; k < last;) {
            index const row = k / a.columns, column = k % a.columns,
                        n = std::min({block_size, last - k, a.columns - column});
            std::iota(numbers.begin(), numbers.begin() + n, column);
            op->positions(to.values->data() + std::size_t(k) * size, vector ? numbers.data() : &row,
                          vector ? &zero : numbers.data(), !vector, n, s);
            k += n;
        }
    });
    return to;
}

grid selected_grid(grid const& a, grid const& keep) {
    grid to = a;
    to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), a.positions());
    std::uint8_t const *const x = a.flag_data(), *const y = reinterpret_cast<std::uint8_t const*>(keep.values->data());
    std::uint8_t* const z = to.flags->data();
    std::atomic<index> entries{0};
    for_ranges(a.positions(), task_size, [&](index first, index last) {
        for (index k = first; k < last; ++k) z[k] = std::uint8_t(y[k] != 0);
        for (index k = first; x && k < last; ++k) z[k] &= x[k];
        unsigned sum = 0;
        for (index k = first; k < last; ++k) sum += z[k];
        entries += index(sum);
    });
    to.entries = entries;
    if (to.entries == a.positions()) to.flags.reset();
    return to;
}

grid gather_grid(grid const& from, std::size_t size, index const* positions, index count) {
    grid to{1, count, count, nullptr, make_values(count, size)};
    if (from.flags) to.flags = std::make_shared<buffer<std::uint8_t>>(executor(), count);
    for_ranges(count, task_size, [&](index first, index last) {
        gather(to.values->data() + std::size_t(first) * size, from.values->data(), positions + first, last - first,
               size);
        if (from.flags) gather(to.flags->data() + first, from.flags->data(), positions + first, last - first, 1);
    });
    if (to.flags) to.entries = count_flags(to.flags->data(), count);
    return to;
}

grid fold_columns(GrB_BinaryOp op, grid const& a) {
    std::size_t const size = op->z->size;
    grid to{1, a.columns, a.columns, nullptr, make_values(a.columns, size)};
    for_ranges(a.columns, task_size, [&](index first, index last) {
        for (index b = first; b < last; b += block_size) {
            index const n = std::min(block_size, last - b);
            std::byte* const sum = to.values->data() + std::size_t(b) * size;
            std::memcpy(sum, byte_at(*a.values, b, size), std::size_t(n) * size);
            block_values x;
            for (index r = 1; r < a.rows; ++r) {
                std::memcpy(x.data(), sum, std::size_t(n) * size);
                op->loop(sum, x.data(), 1, byte_at(*a.values, r * a.columns + b, size), 1, n);
            }
        }
    });
    return to;
}

std::shared_ptr<bytes const> values_with_identity(grid const& a, std::size_t size, void const* identity) {
    if (!a.flags) return a.values;
    auto made = make_values(a.positions(), size);
    with_word(size, [&]<class U>(U) {
        U const e = *static_cast<U const*>(identity);
        U const* const x = words<U>(*a.values);
        U* const z = words<U>(*made);
        std::uint8_t const* const flags = a.flags->data();
        for_ranges(a.positions(), task_size, [&](index first, index last) {
            for (index k = first; k < last; ++k) z[k] = flags[k] != 0 ? x[k] : e;
        });
    });
    return made;
}

} // namespace coppice::graphblas
