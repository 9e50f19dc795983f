// SPDX-License-Identifier: BSD-3-Clause
#include "structure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include <coppice/sparse.hpp>

#include "cached_memory.hpp"

namespace coppice::graphblas {

host_executor const& executor() {
    static host_executor const exec = [] {
        char const* const threads = std::getenv("COPPICE_GRAPHBLAS_THREADS");
        return host_executor(threads ? std::max(0, std::atoi(threads)) : 0, cached_memory());
    }();
    return exec;
}

namespace {

using positions_view = csr_view<index, index, index>;
using sources_csr = csr<source, index, index>;

/// Returns 0, 1, 2, … as the values of any matrix: an entry's value is its position.
index const* positions(index count) {
    static std::mutex guard;
    static std::vector<buffer<index>> arrays; // older ones may be in use
    std::scoped_lock const lock(guard);
    if (arrays.empty() || arrays.back().size() < count) {
        index const size = std::max<index>(count, arrays.empty() ? 1024 : 2 * arrays.back().size());
        buffer<index> array(executor(), size);
        for_each(executor(), size, [to = array.data()](index k) { to[k] = k; });
        arrays.push_back(std::move(array));
    }
    return arrays.back().data();
}

/// Whether so few of `count` rows have entries that only these are stored.
bool should_list(index count, index entries) { return count > 4096 && entries < count / 16; }

buffer<index> copy(buffer<index> const& a) { return copy_of(executor(), a); }

/// Union of sorted lists.
std::vector<index> unite_lists(std::vector<index> const& a, index const* b, index count) {
    std::vector<index> all;
    all.reserve(a.size() + std::size_t(count));
    std::set_union(a.begin(), a.end(), b, b + count, std::back_inserter(all));
    return all;
}

/// Rows on which several matrices are merged: all, or those that one of the matrices lists.
class row_space {
public:
    /// `every_row`: all rows, even if all matrices list theirs.
    explicit row_space(std::vector<pattern const*> const& matrices, index_list const& others = {},
                       bool every_row = false) {
        if (every_row) hyper_ = false;
        for (pattern const* m : matrices) {
            rows_ = m->rows;
            if (!m->hypersparse) hyper_ = false;
        }
        if (!hyper_) return;
        for (pattern const* m : matrices) list_ = unite_lists(list_, m->list.data(), m->list.size());
        std::vector<index> sorted(others.indices, others.indices + (others.indices ? others.count : 0));
        std::sort(sorted.begin(), sorted.end());
        list_ = unite_lists(list_, sorted.data(), index(sorted.size()));
        list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
    }
    index count() const { return hyper_ ? index(list_.size()) : rows_; }
    index row(index r) const { return hyper_ ? list_[std::size_t(r)] : r; }

    /// Returns a view of the matrix on these rows, with positions as values.
    positions_view view(pattern const& m) {
        positions_view v{count(), m.columns, m.entries(), m.offsets.data(), m.indices.data(), positions(m.entries())};
        if (m.hypersparse) v.offsets = offsets_of(m);
        return v;
    }
    /// Replaces indices of rows by their number here.
    std::vector<index> numbers(index_list const& rows) const {
        std::vector<index> to(rows.indices, rows.indices + rows.count);
        if (hyper_)
            for (index& i : to) i = std::lower_bound(list_.begin(), list_.end(), i) - list_.begin();
        return to;
    }
    /// Makes the pattern of a result on these rows.
    pattern_pointer restore(buffer<index> offsets, buffer<index> indices, index columns) const {
        pattern to;
        to.rows = rows_;
        to.columns = columns;
        to.hypersparse = hyper_;
        to.offsets = std::move(offsets);
        to.indices = std::move(indices);
        if (hyper_) {
            to.list = buffer<index>(executor(), index(list_.size()));
            std::copy(list_.begin(), list_.end(), to.list.begin());
        }
        return normalised(std::move(to));
    }

private:
    index const* offsets_of(pattern const& m) {
        buffer<index> offsets(executor(), count() + 1);
        index stored = 0;
        for (index r = 0; r < count(); ++r) {
            index const row = hyper_ ? list_[std::size_t(r)] : r;
            offsets[r] = m.offsets[stored];
            if (stored < m.list.size() && m.list[stored] == row) ++stored;
        }
        offsets[count()] = m.entries();
        made_.push_back(std::move(offsets));
        return made_.back().data();
    }
    bool hyper_ = true;
    index rows_ = 0;
    std::vector<index> list_;
    std::vector<buffer<index>> made_;
};

struct pair_of {
    source operator()(index a, index b) const { return {a, b}; }
    source operator()(source const& a, source const& b) const { return {a.first, b.second}; }
};

template <class Csr>
auto restored(row_space const& rows, Csr&& made) {
    index const columns = made.columns();
    auto arrays = std::forward<Csr>(made).release();
    using value = typename std::remove_cvref_t<decltype(arrays.values)>::value_type;
    using result = std::conditional_t<std::is_same_v<value, source>, merged, gathered_entries>;
    return result{rows.restore(std::move(arrays.offsets), std::move(arrays.indices), columns),
                  std::move(arrays.values)};
}

/// Returns an owner of the matrix whose values are sources.
sources_csr with_sources(positions_view a, bool second) {
    buffer<source> from(executor(), a.nonzeros());
    for_each(executor(), a.nonzeros(), [to = from.data(), second](index k) {
        to[k] = second ? source{-1, k} : source{k, -1};
    });
    return {a.rows(), a.columns(), copy_of(executor(), a.row_offsets()), copy_of(executor(), a.column_indices()),
            std::move(from)};
}

/// Calls f with no_mask or a view of the mask, and with or without accumulator.
template <class F>
void with_mask(row_space& rows, mask_view const& mask, bool accumulate, F const& f) {
    auto const with_accumulator = [&](auto const& m) {
        if (accumulate)
            f(m, pair_of{});
        else
            f(m, no_accumulator{});
    };
    if (!mask.where) return with_accumulator(no_mask{});
    auto const v = rows.view(*mask.where);
    with_accumulator(
        csr_view<std::uint8_t, index, index>{v.rows(), v.columns(), v.nonzeros(), v.offsets, v.indices, mask.values});
}
descriptor described(mask_view const& mask, bool replace) {
    descriptor d;
    d.complement = mask.complement;
    d.structure = !mask.values;
    d.replace = replace;
    return d;
}
std::vector<pattern const*> with_mask_rows(std::vector<pattern const*> matrices, mask_view const& mask) {
    if (mask.where) matrices.push_back(mask.where);
    return matrices;
}

/// Runs f(rows, columns) with the lists of an assignment on these rows.
template <class F>
void with_lists(row_space const& rows, pattern const& c, index_list const& i, index_list const& j, F const& f) {
    if (!i.indices && !j.indices) return f(all_indices{}, all_indices{});
    std::vector<index> columns(j.indices, j.indices + (j.indices ? j.count : 0));
    if (!j.indices) {
        columns.resize(std::size_t(c.columns));
        std::iota(columns.begin(), columns.end(), index{0});
    }
    if (!i.indices) return f(all_indices{}, array_view<index const>(columns));
    auto const row_numbers = rows.numbers(i);
    f(array_view<index const>(row_numbers), array_view<index const>(columns));
}

} // namespace

pattern_pointer normalised(pattern&& a) {
    index const entries = a.entries();
    if (!a.hypersparse && should_list(a.rows, entries)) {
        std::vector<index> list, offsets;
        for (index i = 0; i < a.rows; ++i)
            if (a.offsets[i] < a.offsets[i + 1]) {
                list.push_back(i);
                offsets.push_back(a.offsets[i]);
            }
        offsets.push_back(entries);
        a.hypersparse = true;
        a.list = copy_of(executor(), array_view<index const>(list));
        a.offsets = copy_of(executor(), array_view<index const>(offsets));
    } else if (a.hypersparse && !should_list(a.rows, entries)) {
        buffer<index> offsets(executor(), a.rows + 1);
        index stored = 0;
        for (index i = 0; i < a.rows; ++i) {
            offsets[i] = a.offsets[stored];
            if (stored < a.list.size() && a.list[stored] == i) ++stored;
        }
        offsets[a.rows] = entries;
        a.hypersparse = false;
        a.list = {};
        a.offsets = std::move(offsets);
    } else if (a.hypersparse) {
        index count = 0; // drop rows that became empty
        for (index r = 0; r < a.list.size(); ++r)
            if (a.offsets[r] < a.offsets[r + 1]) {
                a.list[count] = a.list[r];
                a.offsets[count++] = a.offsets[r];
            }
        a.offsets[count] = entries;
        a.list = copy_of(executor(), a.list.view().slice(0, count));
        a.offsets = copy_of(executor(), a.offsets.view().slice(0, count + 1));
    }
    return std::make_shared<pattern>(std::move(a));
}

pattern_pointer empty_pattern(index rows, index columns) {
    pattern a;
    a.rows = rows;
    a.columns = columns;
    a.hypersparse = should_list(rows, 0);
    a.offsets = buffer<index>(executor(), a.hypersparse ? 1 : rows + 1);
    std::fill(a.offsets.begin(), a.offsets.end(), index{0});
    return std::make_shared<pattern>(std::move(a));
}

index find_entry(pattern const& a, index row, index column) {
    index stored = row;
    if (a.hypersparse) {
        stored = std::lower_bound(a.list.begin(), a.list.end(), row) - a.list.begin();
        if (stored == a.list.size() || a.list[stored] != row) return -1;
    }
    index const* const first = a.indices.data() + a.offsets[stored];
    index const* const last = a.indices.data() + a.offsets[stored + 1];
    if (a.is_full_row()) return column;
    index const* const at = std::lower_bound(first, last, column);
    return at == last || *at != column ? -1 : at - a.indices.data();
}

index list_search::find(index row, index column) {
    if (row != row_) {
        row_ = row;
        if (where_.hypersparse)
            while (stored_ < where_.list.size() && where_.list[stored_] < row) ++stored_;
        else
            stored_ = row;
        bool const has_row = stored_ < where_.stored_rows() && where_.row(stored_) == row;
        next_ = has_row ? where_.offsets[stored_] : 0;
        end_ = has_row ? where_.offsets[stored_ + 1] : 0;
    }
    index const* const at = where_.indices.data();
    index step = 1;
    for (int near = 0; near < 4 && next_ < end_ && at[next_] < column; ++near) ++next_;
    if (next_ == end_ || at[next_] >= column) return next_ < end_ && at[next_] == column ? next_ : -1;
    // The step doubles until it passes the column.
    while (next_ + step < end_ && at[next_ + step] < column) {
        next_ += step;
        step *= 2;
    }
    next_ = std::lower_bound(at + next_, at + std::min(end_, next_ + step + 1), column) - at;
    return next_ < end_ && at[next_] == column ? next_ : -1;
}

namespace {

/// Entries of two matrices in a chunk of their common rows, or of a row.
struct merge_chunk {
    index first_row, last_row;
    std::array<index, 2> from, to; ///< entries of the two matrices; if the chunk is within a row
    index to_column = -1;
};

/// Parts of about equal numbers of entries: groups of rows, or of columns if there is one row.
std::vector<merge_chunk> merge_chunks(positions_view const& a, positions_view const& b) {
    constexpr index chunk = 1 << 15;
    std::vector<merge_chunk> chunks;
    index const entries = a.nonzeros() + b.nonzeros();
    if (a.rows() == 1) {
        index const count = entries / chunk + 1;
        merge_chunk next{0, 1, {0, 0}, {0, 0}};
        for (index k = 1; k <= count; ++k) {
            auto const& longer = a.nonzeros() > b.nonzeros() ? a : b;
            index const at = longer.nonzeros() * k / count;
            auto const position = [&](positions_view const& m, index column) {
                return std::lower_bound(m.indices, m.indices + m.nonzeros(), column) - m.indices;
            };
            if (k == count)
                next.to = {a.nonzeros(), b.nonzeros()};
            else
                next.to = {position(a, longer.indices[at]), position(b, longer.indices[at])};
            chunks.push_back(next);
            next.from = next.to;
        }
        return chunks;
    }
    for (index r = 0; r < a.rows();) {
        index const first = r, begin = a.offsets[r] + b.offsets[r];
        while (r < a.rows() && a.offsets[r] + b.offsets[r] - begin < chunk && r - first < chunk) ++r;
        chunks.push_back({first, r, {a.offsets[first], b.offsets[first]}, {a.offsets[r], b.offsets[r]}});
    }
    return chunks;
}

/// Merges the entries of a chunk; stores them from `begin` on and returns the end. Offsets of its rows are relative to
/// `base`.
template <class Choose>
index merge_chunk_entries(positions_view const& a, positions_view const& b, row_space const& rows, merge_chunk chunk,
                          Choose choose, index begin, index base, index* offsets, index* indices, source* from) {
    index next = begin, p = chunk.from[0], q = chunk.from[1];
    bool const one_row = a.rows() == 1;
    auto const store = [&](index column, unsigned chosen) {
        indices[next] = column; // without a branch: another entry may follow at the same position
        from[next] = {p | (index(chosen & 1) - 1), q | (index(chosen >> 1) - 1)};
        next += chosen != 0 ? 1 : 0;
    };
    for (index r = chunk.first_row; r < chunk.last_row; ++r) {
        if (!one_row) offsets[r] = next - base;
        index const row = rows.row(r), p_end = one_row ? chunk.to[0] : a.offsets[r + 1],
                    q_end = one_row ? chunk.to[1] : b.offsets[r + 1];
        while (p < p_end && q < q_end) {
            index const i = a.indices[p], j = b.indices[q];
            bool const in_a = i <= j, in_b = j <= i;
            index const column = std::min(i, j);
            store(column, choose(row, column, in_a, in_b));
            p += in_a ? 1 : 0;
            q += in_b ? 1 : 0;
        }
        for (; p < p_end; ++p) store(a.indices[p], choose(row, a.indices[p], true, false));
        for (; q < q_end; ++q) store(b.indices[q], choose(row, b.indices[q], false, true));
    }
    return next;
}

/// Merges the entries of two matrices on the same rows. choose(row, column, in_a, in_b) returns whether a result has
/// the entry of A (bit 0), that of B (bit 1), both or none. `make` makes a choose for a chunk.
template <class Make>
merged merge(row_space& rows, pattern const& first, pattern const& second, Make const& make) {
    positions_view const a = rows.view(first), b = rows.view(second);
    auto const chunks = merge_chunks(a, b);
    buffer<index> indices(executor(), a.nonzeros() + b.nonzeros()), offsets(executor(), rows.count() + 1);
    buffer<source> from(executor(), a.nonzeros() + b.nonzeros());
    std::vector<index> ends(chunks.size() + 1); // of the entries of the chunks in the result
    auto const run = [&](std::size_t at, index begin, index base) {
        return merge_chunk_entries(a, b, rows, chunks[at], make(), begin, base, offsets.data(), indices.data(),
                                   from.data());
    };
    bool const in_order = chunks.size() <= 1 || executor().threads() == 1;
    if (in_order)
        for (std::size_t at = 0; at < chunks.size(); ++at) ends[at + 1] = run(at, ends[at], 0);
    else
        coppice::detail::for_each_block(executor(), index(chunks.size()), 1, [&](index, index at, index) {
            auto const c = std::size_t(at);
            index const begin = chunks[c].from[0] + chunks[c].from[1];
            ends[c + 1] = run(c, begin, begin) - begin;
        });
    if (!in_order) std::partial_sum(ends.begin(), ends.end(), ends.begin());
    index const total = ends.back();
    if (a.rows() == 1) offsets[0] = 0;
    offsets[rows.count()] = total;
    if (in_order && total >= indices.size() / 2) {
        indices.shrink(total);
        from.shrink(total);
        return {rows.restore(std::move(offsets), std::move(indices), first.columns), std::move(from)};
    }
    for (std::size_t at = 0; at < chunks.size() && a.rows() != 1 && !in_order; ++at)
        for (index r = chunks[at].first_row; r < chunks[at].last_row; ++r) offsets[r] += ends[at];
    auto const compacted = [&](auto const& values) {
        std::remove_cvref_t<decltype(values)> to(executor(), total);
        coppice::detail::for_each_block(executor(), index(chunks.size()), 1, [&](index, index at, index) {
            auto const& chunk = chunks[std::size_t(at)];
            index const begin = ends[std::size_t(at)];
            std::copy_n(values.data() + (in_order ? begin : chunk.from[0] + chunk.from[1]),
                        ends[std::size_t(at) + 1] - begin, to.data() + begin);
        });
        return to;
    };
    return {rows.restore(std::move(offsets), compacted(indices), first.columns), compacted(from)};
}

} // namespace

merged unite(pattern const& a, pattern const& b) {
    row_space rows({&a, &b});
    return merge(rows, a, b,
                 [] { return [](index, index, bool in_a, bool in_b) { return unsigned(in_a) + 2 * unsigned(in_b); }; });
}
merged intersect(pattern const& a, pattern const& b) {
    row_space rows({&a, &b});
    return merge(rows, a, b, [] { return [](index, index, bool in_a, bool in_b) { return in_a && in_b ? 3u : 0u; }; });
}

merged write(pattern const& c, pattern const& t, mask_view const& mask, bool accumulate, bool replace) {
    row_space rows({&c, &t});
    return merge(rows, c, t, [&] {
        std::optional<list_search> search;
        if (mask.where) search.emplace(*mask.where);
        return [=, &mask](index row, index column, bool in_c, bool in_t) mutable {
            index const entry = search ? search->find(row, column) : -1;
            bool const found = entry >= 0 && (!mask.values || mask.values[entry] != 0);
            bool const admitted = mask.where ? found != mask.complement : !mask.complement;
            if (!admitted) return in_c && !replace ? 1u : 0u;
            if (in_t) return in_c && accumulate ? 3u : 2u;
            return in_c && accumulate ? 1u : 0u;
        };
    });
}

namespace {

/// Sorted distinct column indices of matrices and a list.
std::vector<index> columns_of(std::vector<pattern const*> const& matrices, index_list const& list) {
    std::vector<index> all(list.indices, list.indices + (list.indices ? list.count : 0));
    for (pattern const* m : matrices) all.insert(all.end(), m->indices.begin(), m->indices.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}
index number_of(std::vector<index> const& list, index i) {
    return std::lower_bound(list.begin(), list.end(), i) - list.begin();
}
/// Returns the matrix with its columns numbered by the list, which contains all of them.
pattern renumbered(pattern const& a, std::vector<index> const& list) {
    pattern to;
    to.rows = a.rows;
    to.columns = index(list.size());
    to.hypersparse = a.hypersparse;
    to.list = copy(a.list);
    to.offsets = copy(a.offsets);
    to.indices = buffer<index>(executor(), a.entries());
    for (index k = 0; k < a.entries(); ++k) to.indices[k] = number_of(list, a.indices[k]);
    return to;
}
/// Returns the pattern with the original columns.
pattern_pointer with_columns(pattern const& a, index const* list, index columns) {
    pattern to;
    to.rows = a.rows;
    to.columns = columns;
    to.hypersparse = a.hypersparse;
    to.list = copy(a.list);
    to.offsets = copy(a.offsets);
    to.indices = buffer<index>(executor(), a.entries());
    for (index k = 0; k < a.entries(); ++k) to.indices[k] = list[a.indices[k]];
    return std::make_shared<pattern>(std::move(to));
}

/// Runs an assignment. If there are so many columns that one flag per column costs too much, only the columns that
/// occur are numbered, and the result gets its original columns back.
template <class Assign>
merged with_few_columns(pattern const& c, pattern const* a, index_list j, mask_view const& mask, Assign const& run) {
    index const given = j.indices ? j.count : 0;
    index const known = c.entries() + given + (mask.where ? mask.where->entries() : 0) + (a ? a->entries() : 0);
    bool const bounded = j.indices || a || (mask.where && !mask.complement);
    if (!bounded || c.columns < (index{1} << 24) || known > c.columns / 16) return run(c, a, j, mask);
    std::vector<pattern const*> matrices{&c};
    if (mask.where) matrices.push_back(mask.where);
    if (a && !j.indices) matrices.push_back(a);
    auto const list = columns_of(matrices, j);
    std::vector<index> numbers(j.indices, j.indices + given);
    for (index& i : numbers) i = number_of(list, i);
    pattern const few_c = renumbered(c, list);
    std::optional<pattern> few_a, few_mask;
    if (a && !j.indices) few_a = renumbered(*a, list);
    if (mask.where) few_mask = renumbered(*mask.where, list);
    mask_view m = mask;
    if (mask.where) m.where = &*few_mask;
    auto made = run(few_c, few_a ? &*few_a : a, j.indices ? index_list(numbers) : j, m);
    made.where = with_columns(*made.where, list.data(), c.columns);
    return made;
}

} // namespace

merged assign(pattern const& c, pattern const& a, index_list i, index_list j, mask_view const& mask, bool accumulate,
              bool replace) {
    auto const run = [&](pattern const& to_c, pattern const* from_a, index_list columns, mask_view const& m) {
        auto matrices = with_mask_rows({&to_c}, m);
        if (!i.indices) matrices.push_back(from_a);
        row_space rows(matrices, i);
        row_space rows_of_a({from_a}, {}, true);
        auto to = with_sources(rows.view(to_c), false);
        auto const from = with_sources(i.indices ? rows_of_a.view(*from_a) : rows.view(*from_a), true);
        with_mask(rows, m, accumulate, [&](auto const& admitted, auto const& accumulator) {
            with_lists(rows, to_c, i, columns, [&](auto const& r, auto const& s) {
                coppice::assign(executor(), to, admitted, accumulator, from.view(), r, s, described(m, replace));
            });
        });
        return restored(rows, std::move(to));
    };
    return with_few_columns(c, &a, j, mask, run);
}

namespace {

/// Throws std::bad_alloc if one value is assigned to more positions than the memory of the machine has column indices
/// for: the count of the positions, which precedes the allocation, would not end for 2^60 columns. The positions are a
/// lower bound: lists may repeat an index, and those that a mask admits are in memory.
void require_countable(pattern const& c, index_list i, index_list j, mask_view const& mask) {
    if (mask.where ? !mask.complement : mask.complement) return;
    index const rows = i.indices ? std::min<index>(i.count, 1) : c.rows;
    index const columns = j.indices ? std::min<index>(j.count, 1) : c.columns;
    index const max_positions =
        index(::sysconf(_SC_PHYS_PAGES)) * (index(::sysconf(_SC_PAGESIZE)) / index(sizeof(index)));
    index positions = 0;
    bool const overflows = __builtin_mul_overflow(rows, columns, &positions);
    if (overflows || positions - (mask.where ? mask.where->entries() : 0) > max_positions) throw std::bad_alloc();
}

} // namespace

namespace {

/// One value for all positions of C: sources are its entries, and the value.
merged fill_positions(pattern const& c) {
    index const n = c.columns;
    pattern to;
    to.rows = c.rows;
    to.columns = n;
    to.offsets = buffer<index>(executor(), c.rows + 1);
    to.indices = buffer<index>(executor(), checked_product(c.rows, n, "positions"));
    buffer<source> from(executor(), to.indices.size());
    coppice::detail::for_each_block(
        executor(), c.rows, std::max<index>(1, (1 << 14) / std::max<index>(1, n)), [&](index, index first, index last) {
            for (index r = first; r < last; ++r) {
                to.offsets[r] = r * n;
                std::iota(to.indices.data() + r * n, to.indices.data() + (r + 1) * n, index{0});
                std::fill_n(from.data() + r * n, n, source{-1, 0});
                for (index k = c.offsets[r]; k < c.offsets[r + 1]; ++k) from[r * n + c.indices[k]].first = k;
            }
        });
    to.offsets[c.rows] = to.indices.size();
    return {normalised(std::move(to)), std::move(from)};
}

} // namespace

merged assign_value(pattern const& c, index_list i, index_list j, mask_view const& mask, bool accumulate,
                    bool replace) {
    require_countable(c, i, j, mask);
    if (mask.is_absent() && !i.indices && !j.indices && !c.hypersparse) return fill_positions(c);
    auto const run = [&](pattern const& to_c, pattern const*, index_list columns, mask_view const& m) {
        bool const every_row = !i.indices && (!m.where || m.complement);
        row_space rows(with_mask_rows({&to_c}, m), i, every_row);
        auto to = with_sources(rows.view(to_c), false);
        with_mask(rows, m, accumulate, [&](auto const& admitted, auto const& accumulator) {
            with_lists(rows, to_c, i, columns, [&](auto const& r, auto const& s) {
                assign_scalar(executor(), to, admitted, accumulator, source{-1, 0}, r, s, described(m, replace));
            });
        });
        return restored(rows, std::move(to));
    };
    return with_few_columns(c, nullptr, j, mask, run);
}

namespace {

/// Consecutive columns of rows: ranges of entries.
gathered_entries extract_ranges(pattern const& a, index_list i, index first_column, index columns) {
    index const rows = i.indices ? i.count : a.rows;
    pattern to;
    to.rows = rows;
    to.columns = columns;
    to.offsets = buffer<index>(executor(), rows + 1);
    buffer<index> begins(executor(), rows);
    constexpr index block = 1 << 12;
    coppice::detail::for_each_block(executor(), rows, block, [&](index, index first, index last) {
        for (index r = first; r < last; ++r) {
            index const row = i.indices ? i.indices[r] : r;
            index const* const begin = a.indices.data() + a.offsets[row];
            index const* const end = a.indices.data() + a.offsets[row + 1];
            index const* const from = first_column > 0 ? std::lower_bound(begin, end, first_column) : begin;
            index const* const stop =
                first_column + columns < a.columns ? std::lower_bound(from, end, first_column + columns) : end;
            begins[r] = from - a.indices.data();
            to.offsets[r + 1] = stop - from;
        }
    });
    to.offsets[0] = 0;
    for (index r = 0; r < rows; ++r) to.offsets[r + 1] += to.offsets[r];
    to.indices = buffer<index>(executor(), to.offsets[rows]);
    buffer<index> from(executor(), to.offsets[rows]);
    coppice::detail::for_each_block(executor(), rows, block, [&](index, index first, index last) {
        for (index r = first; r < last; ++r)
            for (index k = to.offsets[r], p = begins[r]; k < to.offsets[r + 1]; ++k, ++p) {
                to.indices[k] = a.indices[p] - first_column;
                from[k] = p;
            }
    });
    return {normalised(std::move(to)), std::move(from)};
}
/// Calls use(entry, number in the list) for the entries of a row in the columns of an ascending list.
template <class Use>
void for_each_common(pattern const& a, index row, index_list columns, Use const& use) {
    index p = a.offsets[row];
    index const end = a.offsets[row + 1];
    for (index q = 0; p < end && q < columns.count;) {
        index const i = a.indices[p], j = columns.indices[q];
        if (i == j) use(p, q);
        if (i < j && end - p > 16 * (columns.count - q)) // few columns are searched in a long row
            p = std::lower_bound(a.indices.begin() + p, a.indices.begin() + end, j) - a.indices.begin();
        else
            p += i <= j ? 1 : 0;
        if (j < i && columns.count - q > 16 * (end - p))
            q = std::lower_bound(columns.indices + q, columns.indices + columns.count, i) - columns.indices;
        else
            q += j <= i ? 1 : 0;
    }
}
/// Few columns, in ascending order, of rows.
gathered_entries extract_columns(pattern const& a, index_list i, index_list columns) {
    index const rows = i.indices ? i.count : a.rows;
    pattern to;
    to.rows = rows;
    to.columns = columns.count;
    to.offsets = buffer<index>(executor(), rows + 1);
    to.offsets[0] = 0;
    auto const row_of = [&](index r) { return i.indices ? i.indices[r] : r; };
    coppice::detail::for_each_block(executor(), rows, 1 << 10, [&](index, index first, index last) {
        for (index r = first; r < last; ++r) {
            index count = 0;
            for_each_common(a, row_of(r), columns, [&](index, index) { ++count; });
            to.offsets[r + 1] = count;
        }
    });
    for (index r = 0; r < rows; ++r) to.offsets[r + 1] += to.offsets[r];
    to.indices = buffer<index>(executor(), to.offsets[rows]);
    buffer<index> from(executor(), to.offsets[rows]);
    coppice::detail::for_each_block(executor(), rows, 1 << 10, [&](index, index first, index last) {
        for (index r = first; r < last; ++r) {
            index next = to.offsets[r];
            for_each_common(a, row_of(r), columns, [&](index p, index q) {
                to.indices[next] = q;
                from[next++] = p;
            });
        }
    });
    return {normalised(std::move(to)), std::move(from)};
}
bool is_consecutive(index_list list) {
    for (index k = 1; k < list.count; ++k)
        if (list.indices[k] != list.indices[k - 1] + 1) return false;
    return list.count > 0;
}

} // namespace

bool ascends(index_list list) {
    for (index k = 1; list.indices && k < list.count; ++k)
        if (list.indices[k] <= list.indices[k - 1]) return false;
    return true;
}
bool is_distinct(index_list positions, index bound) {
    if (ascends(positions)) return true;
    if (positions.count < bound / 64) { // a flag for each position would take longer
        std::vector<index> sorted(positions.indices, positions.indices + positions.count);
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    }
    buffer<std::uint8_t> found(executor(), bound);
    std::fill(found.begin(), found.end(), std::uint8_t{0});
    for (index k = 0; k < positions.count; ++k)
        if (std::exchange(found[positions.indices[k]], std::uint8_t{1}) != 0) return false;
    return true;
}

gathered_entries extract(pattern const& a, index_list i, index_list j) {
    if (!a.hypersparse && !j.indices) return extract_ranges(a, i, 0, a.columns);
    if (!a.hypersparse && is_consecutive(j)) return extract_ranges(a, i, j.indices[0], j.count);
    if (!a.hypersparse && j.count < a.columns / 16 && ascends(j)) return extract_columns(a, i, j);
    array_view<index const> const columns(j.indices, j.count);
    if (!i.indices) {
        row_space rows({&a});
        auto const v = rows.view(a);
        return restored(rows, j.indices ? coppice::extract(executor(), v, all_indices{}, columns)
                                        : coppice::extract(executor(), v, all_indices{}, all_indices{}));
    }
    // To a list of rows an empty row is appended; it represents all rows that are not stored.
    buffer<index> offsets;
    std::vector<index> numbers;
    if (a.hypersparse) {
        offsets = buffer<index>(executor(), a.stored_rows() + 2);
        std::copy(a.offsets.begin(), a.offsets.end(), offsets.begin());
        offsets[a.stored_rows() + 1] = a.entries();
        numbers.assign(i.indices, i.indices + i.count);
        for (index& r : numbers) {
            auto const at = std::lower_bound(a.list.begin(), a.list.end(), r) - a.list.begin();
            r = at < a.list.size() && a.list[at] == r ? at : a.list.size();
        }
    }
    positions_view const v{a.hypersparse ? a.stored_rows() + 1 : a.rows,      a.columns,        a.entries(),
                           a.hypersparse ? offsets.data() : a.offsets.data(), a.indices.data(), positions(a.entries())};
    array_view<index const> const rows(a.hypersparse ? numbers.data() : i.indices, i.count);
    auto made = j.indices ? coppice::extract(executor(), v, rows, columns)
                          : coppice::extract(executor(), v, rows, all_indices{});
    pattern to;
    to.rows = made.rows();
    to.columns = made.columns();
    auto arrays = std::move(made).release();
    to.offsets = std::move(arrays.offsets);
    to.indices = std::move(arrays.indices);
    return {normalised(std::move(to)), std::move(arrays.values)};
}

namespace {

/// Transposes a matrix with values, which may be positions.
template <class U>
std::pair<pattern_pointer, buffer<U>> transpose_with(pattern const& a, U const* values) {
    bool const few = should_list(a.columns, a.entries());
    std::vector<index> const list = few ? columns_of({&a}, {}) : std::vector<index>();
    pattern const narrow = few ? renumbered(a, list) : pattern{};
    index const* const indices = few ? narrow.indices.data() : a.indices.data();
    csr_view<U, index, index> const v{
        a.stored_rows(), few ? index(list.size()) : a.columns, a.entries(), a.offsets.data(), indices, values};
    auto arrays = coppice::transpose(executor(), v).release();
    if (a.hypersparse)
        for (index& row : arrays.indices) row = a.list[row];
    pattern to;
    to.rows = a.columns;
    to.columns = a.rows;
    to.hypersparse = few;
    if (few) to.list = copy_of(executor(), array_view<index const>(list));
    to.offsets = std::move(arrays.offsets);
    to.indices = std::move(arrays.indices);
    return {normalised(std::move(to)), std::move(arrays.values)};
}

} // namespace

gathered_entries transpose(pattern const& a) {
    auto [where, from] = transpose_with(a, positions(a.entries()));
    return {std::move(where), std::move(from)};
}
std::pair<pattern_pointer, std::shared_ptr<bytes>> transposed_values(pattern const& a, bytes const& values,
                                                                     std::size_t size) {
    auto const as_words = [&]<class U>(U) -> std::pair<pattern_pointer, std::shared_ptr<bytes>> {
        auto [where, made] = transpose_with(a, reinterpret_cast<U const*>(values.data()));
        auto memory = made.memory();
        index const count = made.size() * index(sizeof(U));
        auto* const data = reinterpret_cast<std::byte*>(made.release());
        return {std::move(where), std::make_shared<bytes>(bytes::adopt(std::move(memory), data, count))};
    };
    if (size == 8) return as_words(std::uint64_t{});
    if (size == 4) return as_words(std::uint32_t{});
    if (size == 1) return as_words(std::uint8_t{});
    auto const made = transpose(a);
    auto to = std::make_shared<bytes>(executor(), a.entries() * index(size));
    for (index k = 0; k < a.entries(); ++k)
        std::copy_n(values.data() + made.from[k] * index(size), size, to->data() + k * index(size));
    return {made.where, std::move(to)};
}

pattern_pointer diagonal_pattern(pattern const& vector, index size, index k) {
    index const entries = vector.entries(), down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
    pattern to;
    to.rows = to.columns = size;
    to.hypersparse = should_list(size, entries);
    to.indices = buffer<index>(executor(), entries);
    index const* const from = vector.indices.data();
    for (index e = 0; e < entries; ++e) to.indices[e] = from[e] + right;
    if (to.hypersparse) to.list = buffer<index>(executor(), entries);
    to.offsets = buffer<index>(executor(), (to.hypersparse ? entries : size) + 1);
    for (index e = 0; e < entries && to.hypersparse; ++e) to.list[e] = from[e] + down;
    if (to.hypersparse || entries == size) {
        std::iota(to.offsets.begin(), to.offsets.end(), index{0});
    } else {
        index row = 0; // the next one without an offset
        for (index e = 0; e < entries; ++e)
            for (; row <= from[e] + down; ++row) to.offsets[row] = e;
        for (; row <= size; ++row) to.offsets[row] = entries;
    }
    return std::make_shared<pattern>(std::move(to));
}

gathered_entries select(pattern const& a, std::uint8_t const* keep) {
    constexpr index chunk = 1 << 15;
    index const chunks = (a.entries() + chunk - 1) / chunk;
    std::vector<index> starts(std::size_t(chunks) + 1);
    coppice::detail::for_each_block(executor(), a.entries(), chunk, [&](index at, index first, index last) {
        unsigned count = 0;
        for (index k = first; k < last; ++k) count += keep[k] != 0;
        starts[std::size_t(at) + 1] = index(count);
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    index const total = starts.back();
    pattern to;
    to.rows = a.rows;
    to.columns = a.columns;
    to.hypersparse = a.hypersparse;
    to.list = copy(a.list);
    to.offsets = buffer<index>(executor(), a.stored_rows() + 1);
    to.indices = buffer<index>(executor(), total);
    buffer<index> from(executor(), total);
    coppice::detail::for_each_block(executor(), a.entries(), chunk, [&](index at, index first, index last) {
        index next = starts[std::size_t(at)];
        index row = std::lower_bound(a.offsets.begin(), a.offsets.end(), first) - a.offsets.begin();
        for (index k = first; k < last; ++k) {
            for (; a.offsets[row] == k; ++row) to.offsets[row] = next;
            if (keep[k] == 0) continue;
            to.indices[next] = a.indices[k];
            from[next++] = k;
        }
    });
    for (index row = a.stored_rows(); row >= 0 && a.offsets[row] == a.entries(); --row) to.offsets[row] = total;
    return {normalised(std::move(to)), std::move(from)};
}

merged kronecker(pattern const& a, pattern const& b) {
    index const columns = a.columns * b.columns; // the caller checked the sizes
    pattern const *x = &a, *y = &b;
    positions_view const u{x->stored_rows(), a.columns,        a.entries(),
                           a.offsets.data(), a.indices.data(), positions(a.entries())};
    positions_view const v{y->stored_rows(), b.columns,        b.entries(),
                           b.offsets.data(), b.indices.data(), positions(b.entries())};
    auto made = coppice::kronecker(executor(), pair_of{}, u, v).release();
    pattern to;
    to.rows = a.rows * b.rows;
    to.columns = columns;
    to.hypersparse = a.hypersparse || b.hypersparse;
    if (to.hypersparse) {
        to.list = buffer<index>(executor(), a.stored_rows() * b.stored_rows());
        for (index r = 0; r < to.list.size(); ++r)
            to.list[r] = a.row(r / b.stored_rows()) * b.rows + b.row(r % b.stored_rows());
    }
    to.offsets = std::move(made.offsets);
    to.indices = std::move(made.indices);
    return {normalised(std::move(to)), std::move(made.values)};
}

namespace {

/// Whether tuples are sorted by row and column without repetitions.
bool is_sorted_list(index const* i, index const* j, index count) {
    for (index k = 1; k < count; ++k)
        if (i[k - 1] > i[k] || (i[k - 1] == i[k] && j[k - 1] >= j[k])) return false;
    return true;
}
/// As build(), for tuples that is_sorted_list() accepts.
built build_sorted(index rows, index columns, index const* i, index const* j, index count) {
    pattern where;
    where.rows = rows;
    where.columns = columns;
    where.indices = copy_of(executor(), array_view<index const>(j, count));
    where.hypersparse = should_list(rows, count);
    if (where.hypersparse) {
        std::vector<index> list, offsets;
        for (index k = 0; k < count; ++k)
            if (k == 0 || i[k - 1] != i[k]) {
                list.push_back(i[k]);
                offsets.push_back(k);
            }
        offsets.push_back(count);
        where.list = copy_of(executor(), array_view<index const>(list));
        where.offsets = copy_of(executor(), array_view<index const>(offsets));
    } else {
        where.offsets = buffer<index>(executor(), rows + 1);
        index row = 0; // the next one without an offset
        for (index k = 0; k < count; ++k)
            while (row <= i[k]) where.offsets[row++] = k;
        while (row <= rows) where.offsets[row++] = count;
    }
    return {std::make_shared<pattern>(std::move(where)), {}, {}};
}

} // namespace

built build(index rows, index columns, index const* i, index const* j, index count) {
    if (is_sorted_list(i, j, count)) return build_sorted(rows, columns, i, j, count);
    array_view<index const> const row_view(i, count), column_view(j, count);
    built to;
    to.is_sorted = false;
    to.order = detail::order_of_tuples(executor(), rows, columns, row_view, column_view);
    std::vector<index> list, offsets, starts, indices;
    for (index k = 0; k < count; ++k) {
        index const t = to.order[k], before = k > 0 ? to.order[k - 1] : t;
        bool const new_row = k == 0 || i[t] != i[before];
        if (!new_row && j[t] == j[before]) continue;
        if (new_row) {
            list.push_back(i[t]);
            offsets.push_back(index(indices.size()));
        }
        starts.push_back(k);
        indices.push_back(j[t]);
    }
    offsets.push_back(index(indices.size()));
    starts.push_back(count);
    pattern where;
    where.rows = rows;
    where.columns = columns;
    where.hypersparse = true;
    where.list = copy_of(executor(), array_view<index const>(list));
    where.offsets = copy_of(executor(), array_view<index const>(offsets));
    where.indices = copy_of(executor(), array_view<index const>(indices));
    to.where = normalised(std::move(where));
    to.starts = copy_of(executor(), array_view<index const>(starts));
    return to;
}

namespace {

/// Drops the entries of A in columns that are not in the list, and numbers the others by the list.
void keep_inner(product_structure& to, pattern const& a, buffer<index> const& list) {
    std::vector<index> indices, from;
    pattern selected;
    selected.rows = a.stored_rows();
    selected.columns = list.size();
    selected.offsets = buffer<index>(executor(), a.stored_rows() + 1);
    selected.offsets[0] = 0;
    for (index r = 0; r < a.stored_rows(); ++r) {
        for (index k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
            auto const at = std::lower_bound(list.begin(), list.end(), a.indices[k]) - list.begin();
            if (at == list.size() || list[at] != a.indices[k]) continue;
            indices.push_back(at);
            from.push_back(k);
        }
        selected.offsets[r + 1] = index(indices.size());
    }
    selected.indices = copy_of(executor(), array_view<index const>(indices));
    to.from_a = copy_of(executor(), array_view<index const>(from));
    to.a_is_partial = true;
    to.a = std::make_shared<pattern>(std::move(selected));
}

} // namespace

product_structure prepare_product(pattern_pointer const& a, pattern_pointer const& b) {
    product_structure to;
    to.a = a;
    to.b = b;
    if (b->hypersparse) {
        to.inner = copy(b->list);
        keep_inner(to, *a, to.inner);
    }
    if (should_list(b->columns, b->entries())) {
        auto const list = columns_of({b.get()}, {});
        to.columns = copy_of(executor(), array_view<index const>(list));
        to.b = std::make_shared<pattern>(renumbered(*b, list));
    }
    return to;
}

product_structure multiply(pattern_pointer const& a, pattern_pointer const& b) {
    auto to = prepare_product(a, b);
    index const inner = b->stored_rows();
    positions_view const x{to.a->stored_rows(),  inner,
                           to.a->entries(),      to.a->offsets.data(),
                           to.a->indices.data(), positions(to.a->entries())};
    positions_view const y{
        inner, to.b->columns, to.b->entries(), to.b->offsets.data(), to.b->indices.data(), positions(to.b->entries())};
    auto plan = make_product_plan(executor(), x, y);
    pattern c;
    c.rows = x.rows();
    c.columns = to.b->columns;
    c.offsets = std::move(plan.offsets);
    c.indices = std::move(plan.indices);
    to.c = std::make_shared<pattern>(std::move(c));
    return to;
}

pattern_pointer restored_product(product_structure const& product, pattern const& a, index columns) {
    pattern const& c = *product.c;
    pattern to;
    to.rows = a.rows;
    to.columns = columns;
    to.hypersparse = a.hypersparse;
    to.list = copy(a.list);
    to.offsets = copy(c.offsets);
    to.indices = copy(c.indices);
    if (!product.columns.empty())
        for (index& j : to.indices) j = product.columns[j];
    return normalised(std::move(to));
}

} // namespace coppice::graphblas
