// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <coppice/core/parallel.hpp>

#include "operators.hpp"

namespace coppice::graphblas {
namespace {

/// A semiring over one type, with functors of operators.hpp.
template <class Add, class Multiply, class T>
struct kernel {
    using value = T;
    static T add(T x, T y) { return static_cast<T>(Add::call(x, y)); }
    /// Product of a[p] and b[q]; a value that the operator does not use is not read.
    static T multiply(T const* a, index p, T const* b, index q) {
        if constexpr (std::is_same_v<Multiply, operators::first>) return a[p];
        if constexpr (std::is_same_v<Multiply, operators::second>) return b[q];
        if constexpr (std::is_same_v<Multiply, operators::pair>) return T(1);
        if constexpr (!std::is_same_v<Multiply, operators::first> && !std::is_same_v<Multiply, operators::second> &&
                      !std::is_same_v<Multiply, operators::pair>)
            return static_cast<T>(Multiply::call(a[p], b[q]));
    }
    static constexpr bool keeps_first = std::is_same_v<Add, operators::first>;
    static constexpr bool has_terminal = keeps_first || std::is_same_v<Add, operators::lor>;
    /// The sum is the minimum of integer elements of the first operand. If these ascend, it is the first product.
    static constexpr bool is_minimum_of_first =
        std::is_same_v<Add, operators::min> && std::is_same_v<Multiply, operators::first> && std::is_integral_v<T>;
    /// Whether no later product changes the sum.
    static bool terminal([[maybe_unused]] T sum) {
        if constexpr (keeps_first)
            return true;
        else if constexpr (has_terminal)
            return sum != 0;
        else
            return false;
    }
};

/// Kernels of a minimum or maximum.
template <class Add, class T, class F>
bool with_order_kernel(functor multiply, F const& f) {
    auto const use = [&](auto k) { return f(k), true; };
    switch (multiply) {
    case functor::plus:
        return use(kernel<Add, operators::plus, T>{});
    case functor::times:
        return use(kernel<Add, operators::times, T>{});
    case functor::first:
        return use(kernel<Add, operators::first, T>{});
    case functor::second:
        return use(kernel<Add, operators::second, T>{});
    default:
        return false;
    }
}
/// Calls f(kernel) for the semiring; returns false if it has none.
template <class T, class F>
bool with_number_kernel(functor add, functor multiply, F const& f) {
    using namespace operators;
    auto const use = [&](auto k) { return f(k), true; };
    if (add == functor::plus) switch (multiply) {
        case functor::times:
            return use(kernel<operators::plus, times, T>{});
        case functor::first:
            return use(kernel<operators::plus, first, T>{});
        case functor::second:
            return use(kernel<operators::plus, second, T>{});
        case functor::pair:
            return use(kernel<operators::plus, pair, T>{});
        default:
            return false;
        }
    if (add == functor::any) switch (multiply) { // the first product of a sum is its value
        case functor::first:
            return use(kernel<first, first, T>{});
        case functor::second:
            return use(kernel<first, second, T>{});
        case functor::pair:
            return use(kernel<first, pair, T>{});
        default:
            return false;
        }
    if constexpr (!is_complex<T>) {
        if (add == functor::min) return with_order_kernel<operators::min, T>(multiply, f);
        if (add == functor::max) return with_order_kernel<operators::max, T>(multiply, f);
    }
    return false;
}
template <class F>
bool with_bool_kernel(functor add, functor multiply, F const& f) {
    using namespace operators;
    bool const is_or = add == functor::lor || add == functor::plus || add == functor::max || add == functor::any;
    if (!is_or) return false;
    switch (multiply) {
    case functor::land:
    case functor::times:
        f(kernel<lor, land, bool>{});
        return true;
    case functor::first:
        f(kernel<lor, first, bool>{});
        return true;
    case functor::second:
        f(kernel<lor, second, bool>{});
        return true;
    case functor::pair:
        f(kernel<lor, pair, bool>{});
        return true;
    default:
        return false;
    }
}
template <class F>
bool with_kernel(GrB_Semiring s, bool flipped, F const& f) {
    functor const add = s->add->op->kind;
    functor multiply = s->multiply->kind;
    if (is_inner_index(s->multiply)) {
        if (s->multiply->z == GrB_INT32) return with_number_kernel<std::int32_t>(add, functor::first, f);
        return with_number_kernel<std::int64_t>(add, functor::first, f);
    }
    if (flipped && multiply == functor::first)
        multiply = functor::second;
    else if (flipped && multiply == functor::second)
        multiply = functor::first;
    if (!s->multiply->loop || s->multiply->x != s->multiply->z) return false;
    switch (s->multiply->z->code) {
    case GrB_BOOL_CODE:
        return with_bool_kernel(add, multiply, f);
    case GrB_INT32_CODE:
        return with_number_kernel<std::int32_t>(add, multiply, f);
    case GrB_INT64_CODE:
        return with_number_kernel<std::int64_t>(add, multiply, f);
    case GrB_UINT32_CODE:
        return with_number_kernel<std::uint32_t>(add, multiply, f);
    case GrB_UINT64_CODE:
        return with_number_kernel<std::uint64_t>(add, multiply, f);
    case GrB_FP32_CODE:
        return with_number_kernel<float>(add, multiply, f);
    case GrB_FP64_CODE:
        return with_number_kernel<double>(add, multiply, f);
    case GxB_FC32_CODE:
        return with_number_kernel<GxB_FC32_t>(add, multiply, f);
    case GxB_FC64_CODE:
        return with_number_kernel<GxB_FC64_t>(add, multiply, f);
    default:
        return false;
    }
}

/// Flags, all zero, and memory for values, that products of rows use again.
struct workspace {
    buffer<std::uint8_t> flags;
    bytes values;
};
class workspace_store {
public:
    /// Returns a workspace for at least n values.
    static workspace take(index n, std::size_t size) {
        workspace_store& store = instance();
        {
            std::scoped_lock const lock(store.guard_);
            for (std::size_t k = 0; k < store.free_.size(); ++k) {
                workspace& w = store.free_[k];
                if (w.flags.size() < n || std::size_t(w.values.size()) < std::size_t(n) * size) continue;
                workspace taken = std::move(w);
                w = std::move(store.free_.back());
                store.free_.pop_back();
                return taken;
            }
        }
        workspace made{buffer<std::uint8_t>(executor(), n), bytes(executor(), n * index(size))};
        std::fill(made.flags.begin(), made.flags.end(), std::uint8_t{0});
        return made;
    }
    /// Returns a workspace whose flags are zero again.
    static void give(workspace w) noexcept {
        constexpr index limit = index{1} << 26;
        if (w.flags.size() > limit) return;
        workspace_store& store = instance();
        std::scoped_lock const lock(store.guard_);
        if (store.free_.size() == max_free) store.free_.erase(store.free_.begin());
        store.free_.push_back(std::move(w));
    }

private:
    static constexpr std::size_t max_free = 3;
    workspace_store() { free_.reserve(max_free); }
    static workspace_store& instance() {
        static auto* const store = new workspace_store; // as object_store
        return *store;
    }
    std::mutex guard_;
    std::vector<workspace> free_;
};

/// Sorts indices in [0, bound), 11 bits at a time.
void sort_indices(std::vector<index>& list, index bound) {
    if (list.size() < 128) return std::sort(list.begin(), list.end());
    constexpr int bits = 11;
    std::vector<index> other(list.size());
    for (int shift = 0; shift < 63 && (bound - 1) >> shift > 0; shift += bits) {
        std::array<index, (1 << bits) + 1> start{};
        auto const digit = [shift](index k) { return std::size_t((k >> shift) & ((1 << bits) - 1)); };
        for (index const k : list) ++start[digit(k) + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (index const k : list) other[std::size_t(start[digit(k)]++)] = k;
        list.swap(other);
    }
}

/// A row of U and a range of columns that one task computes, and the columns that it found.
struct push_task {
    index row, from, to;
    std::vector<index> found = {};
    index count = 0; ///< of found columns; the list is incomplete if it is shorter
};
/// One task for each row. A single row with many products has a task for each thread, over columns with about equal
/// numbers of entries, estimated from a sample.
std::vector<push_task> push_tasks(pattern const& u, pattern const& b) {
    std::vector<push_task> tasks;
    index products = 0;
    for (index const k : u.indices) products += b.offsets[k + 1] - b.offsets[k];
    bool const split = u.rows == 1 && products > (1 << 15) && products > 8 * u.entries() && executor().threads() > 1;
    if (!split) {
        for (index r = 0; r < u.rows; ++r) tasks.push_back({r, 0, b.columns});
        return tasks;
    }
    std::vector<index> sample(1024);
    for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = b.indices[b.entries() * index(k) / 1024];
    std::sort(sample.begin(), sample.end());
    auto const count = std::size_t(std::min(executor().threads(), 16));
    for (std::size_t t = 0; t < count; ++t) {
        index const from = t == 0 ? 0 : sample[t * sample.size() / count];
        tasks.push_back({0, from, t + 1 == count ? b.columns : sample[(t + 1) * sample.size() / count]});
    }
    return tasks;
}

template <class Kernel, bool Masked>
void push_row(push_task& task, kernel_operand u, kernel_operand b, std::uint8_t const* mask, bool complement,
              std::uint8_t* flags, typename Kernel::value* sums) {
    using T = typename Kernel::value;
    auto const *const x = static_cast<T const*>(u.values), *const y = static_cast<T const*>(b.values);
    bool const all = task.from == 0 && task.to == b.where.columns;
    auto const limit = std::size_t(b.where.columns / 32 + 1);
    index const* const columns = b.where.indices.data();
    for (index p = u.where.offsets[task.row]; p < u.where.offsets[task.row + 1]; ++p) {
        index const k = u.where.indices[p];
        index q = b.where.offsets[k], end = b.where.offsets[k + 1];
        if (!all) {
            q = std::lower_bound(columns + q, columns + end, task.from) - columns;
            end = std::lower_bound(columns + q, columns + end, task.to) - columns;
        }
        for (; q < end; ++q) {
            index const j = columns[q];
            if (Masked && (mask[j] != 0) == complement) continue;
            if (flags[j] != 0) {
                if (!Kernel::terminal(sums[j])) sums[j] = Kernel::add(sums[j], Kernel::multiply(x, p, y, q));
            } else {
                flags[j] = 1;
                sums[j] = Kernel::multiply(x, p, y, q);
                ++task.count;
                if (task.found.size() < limit) task.found.push_back(j);
            }
        }
    }
}

/// Makes the list of the found columns. The flags are zero afterwards.
template <class T>
contents list_of_found(std::vector<push_task>& tasks, index rows, index columns, workspace& space) {
    pattern to;
    to.rows = rows;
    to.columns = columns;
    to.offsets = buffer<index>(executor(), rows + 1);
    index total = 0;
    for (push_task& task : tasks) {
        sort_indices(task.found, columns);
        total += task.count;
    }
    to.indices = buffer<index>(executor(), total);
    auto made = make_values(total, sizeof(T));
    auto* const values = reinterpret_cast<T*>(made->data());
    auto const* const sums = reinterpret_cast<T const*>(space.values.data());
    index next = 0;
    to.offsets[0] = 0;
    for (push_task const& task : tasks) {
        for (index const j : task.found) {
            index const position = task.row * columns + j;
            to.indices[next] = j;
            values[next++] = sums[position];
            space.flags[position] = 0;
        }
        to.offsets[task.row + 1] = next;
    }
    return {std::make_shared<pattern>(std::move(to)), std::move(made)};
}

/// Makes a grid of the workspace.
template <class T>
grid grid_of_found(index rows, index columns, index entries, workspace& space) {
    grid to{rows, columns, entries, nullptr, nullptr};
    auto* const sums = reinterpret_cast<T*>(space.values.data());
    for_ranges(rows * columns, 1 << 15, [&](index first, index last) {
        for (index k = first; k < last; ++k) sums[k] = space.flags[k] != 0 ? sums[k] : T{};
    });
    if (entries < rows * columns) to.flags = std::make_shared<buffer<std::uint8_t>>(std::move(space.flags));
    to.values = std::make_shared<bytes>(std::move(space.values));
    return to;
}

template <class Kernel>
stored push(kernel_operand u, kernel_operand b, position_mask const& mask) {
    using T = typename Kernel::value;
    index const rows = u.where.rows, n = b.where.columns;
    if (!mask.flags && mask.complement) return {{empty_pattern(rows, n), make_values(0, sizeof(T))}, {}};
    workspace space = workspace_store::take(rows * n, sizeof(T));
    auto tasks = push_tasks(u.where, b.where);
    for_ranges(index(tasks.size()), 1, [&](index first, index) {
        push_task& task = tasks[std::size_t(first)];
        index const at = task.row * n;
        auto* const sums = reinterpret_cast<T*>(space.values.data()) + at;
        if (mask.flags)
            push_row<Kernel, true>(task, u, b, mask.flags + at, mask.complement, space.flags.data() + at, sums);
        else
            push_row<Kernel, false>(task, u, b, nullptr, false, space.flags.data() + at, sums);
    });
    index entries = 0;
    bool complete = true;
    for (push_task const& task : tasks) {
        entries += task.count;
        complete = complete && index(task.found.size()) == task.count;
    }
    if (!complete || entries > rows * n / 32) return {{}, grid_of_found<T>(rows, n, entries, space)};
    contents made = list_of_found<T>(tasks, rows, n, space);
    workspace_store::give(std::move(space));
    return {std::move(made), {}};
}

/// Sum of the products of row j of B and a row x; returns false if there are none. `flags` are not read unless `Flags`.
template <class Kernel, bool Flags>
COPPICE_ALWAYS_INLINE bool row_sum(typename Kernel::value const* x, std::uint8_t const* flags, kernel_operand const& b,
                                   index j, typename Kernel::value& sum) {
    using T = typename Kernel::value;
    auto const* const y = static_cast<T const*>(b.values);
    index const* const columns = b.where.indices.data();
    index q = b.where.offsets[j];
    index const end = b.where.offsets[j + 1];
    if constexpr (Flags) {
        while (q < end && flags[columns[q]] == 0) ++q;
        if (q == end) return false;
        sum = Kernel::multiply(x, columns[q], y, q);
        for (++q; q < end && !Kernel::terminal(sum); ++q)
            if (flags[columns[q]] != 0) sum = Kernel::add(sum, Kernel::multiply(x, columns[q], y, q));
        return true;
    }
    if (q == end) return false;
    sum = Kernel::multiply(x, columns[q], y, q);
    ++q;
    if (!Kernel::has_terminal && end - q >= 64) { // independent sums hide the latency of the additions
        std::array<T, 4> lanes;
        for (index c = 0; c < 4; ++c) lanes[std::size_t(c)] = Kernel::multiply(x, columns[q + c], y, q + c);
        for (q += 4; q + 4 <= end; q += 4)
            for (index c = 0; c < 4; ++c)
                lanes[std::size_t(c)] =
                    Kernel::add(lanes[std::size_t(c)], Kernel::multiply(x, columns[q + c], y, q + c));
        sum = Kernel::add(sum, Kernel::add(Kernel::add(lanes[0], lanes[1]), Kernel::add(lanes[2], lanes[3])));
    }
    for (; q < end && !Kernel::terminal(sum); ++q) sum = Kernel::add(sum, Kernel::multiply(x, columns[q], y, q));
    return true;
}
/// A row of a dense operand: its values, which may be absent, and its flags.
template <class T>
std::pair<T const*, std::uint8_t const*> row_of(dense_operand u, index row) {
    return {u.values ? static_cast<T const*>(u.values) + row * u.columns : nullptr,
            u.flags ? u.flags + row * u.columns : nullptr};
}

/// Sums for columns [first, last) of one row of the result; returns how many there are. Arrays are those of the row.
template <class Kernel, bool Flags, bool Masked>
index pull_columns(typename Kernel::value const* x, std::uint8_t const* flags, kernel_operand const& b,
                   std::uint8_t const* mask, bool complement, index first, index last, std::uint8_t* found,
                   typename Kernel::value* sums) {
    index count = 0;
    for (index j = first; j < last; ++j) {
        typename Kernel::value sum{};
        bool any = !Masked || (mask[j] != 0) != complement;
        if (any) any = row_sum<Kernel, Flags>(x, flags, b, j, sum);
        found[j] = any ? 1 : 0;
        sums[j] = sum;
        count += any ? 1 : 0;
    }
    return count;
}

template <class Kernel>
stored pull(dense_operand u, kernel_operand b, position_mask const& mask) {
    using T = typename Kernel::value;
    index const n = b.where.rows, positions = u.rows * n;
    grid to{u.rows, n, 0, std::make_shared<buffer<std::uint8_t>>(executor(), positions),
            make_values(positions, sizeof(T))};
    auto* const sums = reinterpret_cast<T*>(to.values->data());
    std::uint8_t* const found = to.flags->data();
    index const block = std::max<index>(64, n / std::max<index>(1, b.where.entries() / 8192 + 1));
    if (!mask.flags && mask.complement) return {{empty_pattern(u.rows, n), make_values(0, sizeof(T))}, {}};
    auto const run = u.flags ? (mask.flags ? pull_columns<Kernel, true, true> : pull_columns<Kernel, true, false>)
                             : (mask.flags ? pull_columns<Kernel, false, true> : pull_columns<Kernel, false, false>);
    std::atomic<index> entries{0};
    index const blocks = (n + block - 1) / block; // of each row
    for_ranges(u.rows * blocks, 1, [&](index task, index) {
        index const row = task / blocks, first = task % blocks * block, at = row * n;
        auto const [x, flags] = row_of<T>(u, row);
        entries += run(x, flags, b, mask.flags ? mask.flags + at : nullptr, mask.complement, first,
                       std::min(n, first + block), found + at, sums + at);
    });
    to.entries = entries;
    if (to.entries == positions) to.flags.reset();
    return {{}, std::move(to)};
}

/// One row of A for products with many rows of B': the position of each column, or -1. Short rows are merged instead.
class scattered_row {
public:
    explicit scattered_row(pattern const& a) : a_(a) {}
    void open(index row) {
        for (index p = first_; is_long() && p < last_; ++p) positions_[a_.indices[p]] = -1;
        first_ = a_.offsets[row];
        last_ = a_.offsets[row + 1];
        if (!is_long()) return;
        if (positions_.empty()) {
            positions_ = buffer<index>(executor(), a_.columns);
            std::fill(positions_.begin(), positions_.end(), index{-1});
        }
        for (index p = first_; p < last_; ++p) positions_[a_.indices[p]] = p;
    }
    /// Calls f(p, q) for equal columns of the row and of entries [begin, end) of B', until it returns true.
    template <class F>
    void meet(pattern const& b, index begin, index end, F const& f) const {
        if (end - begin > 16 * (last_ - first_)) return search(b, begin, end, f);
        if (!is_long()) return merge(b, begin, end, f);
        for (index q = begin; q < end; ++q) {
            index const p = positions_[b.indices[q]];
            if (p >= 0 && f(p, q)) return;
        }
    }

private:
    static constexpr index max_merged = 8;
    bool is_long() const { return last_ - first_ > max_merged; }
    /// Searches the few columns of the row in the many of B'.
    template <class F>
    void search(pattern const& b, index begin, index end, F const& f) const {
        index const* at = b.indices.data() + begin;
        index const* const stop = b.indices.data() + end;
        for (index p = first_; p < last_; ++p) {
            at = std::lower_bound(at, stop, a_.indices[p]);
            if (at == stop) return;
            if (*at == a_.indices[p] && f(p, at - b.indices.data())) return;
        }
    }
    template <class F>
    void merge(pattern const& b, index begin, index end, F const& f) const {
        for (index p = first_, q = begin; p < last_ && q < end;) {
            index const i = a_.indices[p], j = b.indices[q];
            if (i == j && f(p, q)) return;
            p += i <= j ? 1 : 0;
            q += j <= i ? 1 : 0;
        }
    }

    pattern const& a_;
    buffer<index> positions_;
    index first_ = 0, last_ = 0;
};

/// Returns the entries of a mask for which `found` is set, with their values.
template <class T>
contents found_entries(pattern const& mask, buffer<std::uint8_t> const& found, buffer<T> const& values) {
    auto const selected = select(mask, found.data());
    auto made = make_values(selected.from.size(), sizeof(T));
    gather(made->data(), values.data(), selected.from.data(), selected.from.size(), sizeof(T));
    return {selected.where, std::move(made)};
}

template <class Kernel>
contents pull_at(dense_operand u, kernel_operand b, mask_view const& mask) {
    using T = typename Kernel::value;
    pattern const& m = *mask.where;
    buffer<T> sums(executor(), m.entries());
    buffer<std::uint8_t> found(executor(), m.entries());
    index const block = std::max<index>(64, m.entries() / (16 * executor().threads()));
    for_ranges(m.entries(), block, [&](index first, index last) {
        index row = std::upper_bound(m.offsets.begin(), m.offsets.end(), first) - m.offsets.begin() - 1;
        for (index e = first; e < last; ++e) {
            while (m.offsets[row + 1] <= e) ++row;
            auto const [x, flags] = row_of<T>(u, m.row(row));
            T sum{};
            bool const admitted = !mask.values || mask.values[e] != 0;
            bool const any = admitted && (flags ? row_sum<Kernel, true>(x, flags, b, m.indices[e], sum)
                                                : row_sum<Kernel, false>(x, nullptr, b, m.indices[e], sum));
            found[e] = any ? 1 : 0;
            sums[e] = sum;
        }
    });
    return found_entries(m, found, sums);
}

/// Rows for a task, so that there are enough tasks for rows of different lengths.
index rows_per_task(index rows) { return std::max<index>(1, rows / (16 * executor().threads())); }

template <class Kernel>
contents dots(kernel_operand a, kernel_operand b, mask_view const& mask) {
    using T = typename Kernel::value;
    auto const *const x = static_cast<T const*>(a.values), *const y = static_cast<T const*>(b.values);
    pattern const& m = *mask.where;
    buffer<T> sums(executor(), m.entries());
    buffer<std::uint8_t> found(executor(), m.entries());
    for_ranges(m.rows, rows_per_task(m.rows), [&](index first, index last) {
        scattered_row row(a.where);
        for (index i = first; i < last; ++i) {
            if (m.offsets[i] < m.offsets[i + 1]) row.open(i);
            for (index e = m.offsets[i]; e < m.offsets[i + 1]; ++e) {
                T sum{};
                bool any = false;
                index const j = m.indices[e];
                if (!mask.values || mask.values[e] != 0)
                    row.meet(b.where, b.where.offsets[j], b.where.offsets[j + 1], [&](index p, index q) {
                        T const product = Kernel::multiply(x, p, y, q);
                        sum = any ? Kernel::add(sum, product) : product;
                        any = true;
                        return Kernel::terminal(sum);
                    });
                found[e] = any ? 1 : 0;
                sums[e] = sum;
            }
        }
    });
    return found_entries(m, found, sums);
}

template <class Kernel>
contents masked_rows(kernel_operand a, kernel_operand b, mask_view const& mask) {
    using T = typename Kernel::value;
    auto const *const x = static_cast<T const*>(a.values), *const y = static_cast<T const*>(b.values);
    pattern const& m = *mask.where;
    buffer<T> sums(executor(), m.entries());
    buffer<std::uint8_t> found(executor(), m.entries());
    std::fill_n(found.data(), m.entries(), std::uint8_t{0});
    for_ranges(m.rows, rows_per_task(m.rows), [&](index first, index last) {
        scattered_row row(m);
        for (index i = first; i < last; ++i) {
            if (m.offsets[i] == m.offsets[i + 1]) continue;
            row.open(i);
            for (index p = a.where.offsets[i]; p < a.where.offsets[i + 1]; ++p) {
                index const k = a.where.indices[p];
                row.meet(b.where, b.where.offsets[k], b.where.offsets[k + 1], [&](index e, index q) {
                    if (mask.values && mask.values[e] == 0) return false;
                    T const product = Kernel::multiply(x, p, y, q);
                    sums[e] = found[e] ? Kernel::add(sums[e], product) : product;
                    found[e] = 1;
                    return false;
                });
            }
        }
    });
    return found_entries(m, found, sums);
}

template <class Kernel>
void products_of_rows(kernel_operand a, kernel_operand b, pattern const& c, std::byte* to) {
    using T = typename Kernel::value;
    auto const *const x = static_cast<T const*>(a.values), *const y = static_cast<T const*>(b.values);
    auto* const z = reinterpret_cast<T*>(to);
    index const block = std::max<index>(1, c.rows / (8 * executor().threads()));
    for_ranges(c.rows, block, [&](index first, index last) {
        buffer<T> sums(executor(), c.columns);
        std::vector<bool> filled(std::size_t(c.columns));
        for (index i = first; i < last; ++i) {
            for (index p = a.where.offsets[i]; p < a.where.offsets[i + 1]; ++p) {
                index const k = a.where.indices[p];
                for (index q = b.where.offsets[k]; q < b.where.offsets[k + 1]; ++q) {
                    auto const j = std::size_t(b.where.indices[q]);
                    T const product = Kernel::multiply(x, p, y, q);
                    sums[index(j)] = filled[j] ? Kernel::add(sums[index(j)], product) : product;
                    filled[j] = true;
                }
            }
            for (index e = c.offsets[i]; e < c.offsets[i + 1]; ++e) {
                z[e] = sums[c.indices[e]];
                filled[std::size_t(c.indices[e])] = false;
            }
        }
    });
}

} // namespace

bool is_inner_index(GrB_BinaryOp op) {
    return op->position == positional::firstj || op->position == positional::firstj1 ||
           op->position == positional::secondi || op->position == positional::secondi1;
}
bool has_kernel(GrB_Semiring semiring, bool flipped) {
    return with_kernel(semiring, flipped, [](auto) {});
}
bool has_terminal(GrB_Semiring semiring, bool flipped) {
    bool terminal = false;
    with_kernel(semiring, flipped, [&](auto k) { terminal = decltype(k)::has_terminal; });
    return terminal;
}
bool first_decides(GrB_Semiring semiring, bool flipped, stored const& u) {
    bool ascends = false;
    with_kernel(semiring, flipped, [&]<class Kernel>(Kernel) {
        if constexpr (Kernel::is_minimum_of_first) {
            using T = typename Kernel::value;
            index const n = u.list.where ? u.list.where->entries() : u.dense.positions();
            std::uint8_t const* const flags = u.list.where ? nullptr : u.dense.flag_data();
            auto const* const x =
                reinterpret_cast<T const*>(u.list.where ? u.list.values->data() : u.dense.values->data());
            T last = std::numeric_limits<T>::min();
            index k = 0;
            for (; k < n; ++k) {
                if (flags && flags[k] == 0) continue;
                if (x[k] < last) break;
                last = x[k];
            }
            ascends = k == n;
        }
    });
    return ascends;
}

namespace {

/// As with_kernel(), with a kernel that keeps the first product if `first` is true.
template <class F>
void with_row_kernel(GrB_Semiring semiring, bool flipped, bool first, F const& f) {
    with_kernel(semiring, flipped, [&]<class Kernel>(Kernel k) {
        if constexpr (Kernel::is_minimum_of_first)
            if (first) return f(kernel<operators::first, operators::first, typename Kernel::value>{});
        f(k);
    });
}

} // namespace

stored push_product(GrB_Semiring semiring, bool flipped, bool first, kernel_operand u, kernel_operand b,
                    position_mask const& mask) {
    stored made;
    with_row_kernel(semiring, flipped, first, [&](auto k) { made = push<decltype(k)>(u, b, mask); });
    return made;
}
stored push_product(GrB_Semiring semiring, bool flipped, bool first, kernel_operand u, kernel_operand b,
                    mask_view const& mask) {
    pattern const& where = *mask.where;
    workspace space = workspace_store::take(where.rows * where.columns, 0);
    auto const set_flags = [&](std::uint8_t flag) {
        for (index r = 0; r < where.stored_rows(); ++r)
            for (index k = where.offsets[r]; k < where.offsets[r + 1]; ++k)
                if (!mask.values || mask.values[k] != 0)
                    space.flags[where.row(r) * where.columns + where.indices[k]] = flag;
    };
    set_flags(1);
    stored made = push_product(semiring, flipped, first, u, b, position_mask{space.flags.data(), mask.complement});
    set_flags(0);
    workspace_store::give(std::move(space));
    return made;
}
stored pull_product(GrB_Semiring semiring, bool flipped, bool first, dense_operand u, kernel_operand b,
                    position_mask const& mask) {
    stored made;
    with_row_kernel(semiring, flipped, first, [&](auto k) { made = pull<decltype(k)>(u, b, mask); });
    return made;
}
contents pull_product(GrB_Semiring semiring, bool flipped, bool first, dense_operand u, kernel_operand b,
                      mask_view const& mask) {
    contents made;
    with_row_kernel(semiring, flipped, first, [&](auto k) { made = pull_at<decltype(k)>(u, b, mask); });
    return made;
}
contents dot_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b, mask_view const& mask) {
    contents made;
    with_kernel(semiring, flipped, [&](auto k) { made = dots<decltype(k)>(a, b, mask); });
    return made;
}
contents masked_row_product(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                            mask_view const& mask) {
    contents made;
    with_kernel(semiring, flipped, [&](auto k) { made = masked_rows<decltype(k)>(a, b, mask); });
    return made;
}
std::shared_ptr<bytes const> row_products(GrB_Semiring semiring, bool flipped, kernel_operand a, kernel_operand b,
                                          pattern const& c) {
    auto made = make_values(c.entries(), semiring->multiply->z->size);
    with_kernel(semiring, flipped, [&](auto k) { products_of_rows<decltype(k)>(a, b, c, made->data()); });
    return made;
}

} // namespace coppice::graphblas
