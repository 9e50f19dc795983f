// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <cstring>
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
    /// Whether no later product changes the sum.
    static bool terminal([[maybe_unused]] T sum) {
        if constexpr (std::is_same_v<Add, operators::lor>) return sum != 0;
        return false;
    }
};

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
    if (add == functor::min) switch (multiply) {
        case functor::plus:
            return use(kernel<operators::min, operators::plus, T>{});
        case functor::first:
            return use(kernel<operators::min, first, T>{});
        case functor::second:
            return use(kernel<operators::min, second, T>{});
        default:
            return false;
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
    default:
        return false;
    }
}

enum state : std::uint8_t { absent = 0, present = 1, excluded = 2 };

/// States of n positions before a product of one row: `excluded` where the mask does not admit them.
buffer<std::uint8_t> states_of(mask_view const& mask, index n) {
    buffer<std::uint8_t> states(executor(), n);
    bool const all = !mask.where ? !mask.complement : mask.complement;
    std::fill_n(states.data(), n, std::uint8_t(all ? absent : excluded));
    if (!mask.where) return states;
    for (index k = 0; k < mask.where->entries(); ++k)
        if (!mask.values || mask.values[k] != 0) states[mask.where->indices[k]] = all ? excluded : absent;
    return states;
}

/// Makes a row of the positions that are present.
template <class T>
contents row_of_present(buffer<std::uint8_t> const& states, buffer<T> const& values, std::vector<index>* found) {
    index const n = states.size();
    pattern to;
    to.rows = 1;
    to.columns = n;
    to.offsets = buffer<index>(executor(), 2);
    to.offsets[0] = 0;
    if (found && index(found->size()) < n / 32) {
        std::sort(found->begin(), found->end());
        to.indices = copy_of(executor(), array_view<index const>(*found));
    } else {
        to.indices = buffer<index>(executor(), std::count(states.begin(), states.end(), std::uint8_t(present)));
        index next = 0;
        for (index j = 0; j < n; ++j)
            if (states[j] == present) to.indices[next++] = j;
    }
    index const count = to.indices.size();
    to.offsets[1] = count;
    auto made = make_values(count, sizeof(T));
    gather(made->data(), values.data(), to.indices.data(), count, sizeof(T));
    return {std::make_shared<pattern const>(std::move(to)), std::move(made)};
}

template <class Kernel>
contents push(kernel_operand u, kernel_operand b, mask_view const& mask) {
    using T = typename Kernel::value;
    auto const *const x = static_cast<T const*>(u.values), *const y = static_cast<T const*>(b.values);
    index const n = b.where.columns;
    auto states = states_of(mask, n);
    buffer<T> sums(executor(), n);
    std::vector<index> found;
    for (index p = 0; p < u.where.entries(); ++p) {
        index const k = u.where.indices[p];
        for (index q = b.where.offsets[k]; q < b.where.offsets[k + 1]; ++q) {
            index const j = b.where.indices[q];
            if (states[j] == excluded) continue;
            if (states[j] == present) {
                sums[j] = Kernel::add(sums[j], Kernel::multiply(x, p, y, q));
            } else {
                states[j] = present;
                sums[j] = Kernel::multiply(x, p, y, q);
                found.push_back(j);
            }
        }
    }
    return row_of_present(states, sums, &found);
}

/// Values of u for each column: all, or flags and values at the columns that have an entry.
template <class T>
struct dense_row {
    T const* values = nullptr; ///< null if the operator does not use them
    std::uint8_t const* flags = nullptr;
    buffer<T> made{};
    buffer<std::uint8_t> made_flags{};
    dense_row(kernel_operand u, bool used) {
        index const n = u.where.columns;
        if (!u.where.is_full_row()) {
            made_flags = buffer<std::uint8_t>(executor(), n);
            std::fill_n(made_flags.data(), n, std::uint8_t{0});
            for (index const k : u.where.indices) made_flags[k] = 1;
            flags = made_flags.data();
        }
        if (!used) return;
        values = static_cast<T const*>(u.values);
        if (!flags) return;
        made = buffer<T>(executor(), n);
        for (index p = 0; p < u.where.entries(); ++p) made[u.where.indices[p]] = values[p];
        values = made.data();
    }
};

template <class Kernel>
contents pull(kernel_operand u, kernel_operand b, mask_view const& mask) {
    using T = typename Kernel::value;
    dense_row<T> const x(u, u.values != nullptr);
    auto const* const y = static_cast<T const*>(b.values);
    index const n = b.where.rows;
    auto states = states_of(mask, n);
    buffer<T> sums(executor(), n);
    index const block = std::max<index>(64, n / std::max<index>(1, b.where.entries() / 8192 + 1));
    for_ranges(n, block, [&](index first, index last) {
        for (index j = first; j < last; ++j) {
            if (states[j] == excluded) continue;
            T sum{};
            bool found = false;
            for (index q = b.where.offsets[j]; q < b.where.offsets[j + 1]; ++q) {
                index const k = b.where.indices[q];
                if (x.flags && !x.flags[k]) continue;
                T const product = Kernel::multiply(x.values, k, y, q);
                sum = found ? Kernel::add(sum, product) : product;
                found = true;
                if (Kernel::terminal(sum)) break;
            }
            if (!found) continue;
            states[j] = present;
            sums[j] = sum;
        }
    });
    return row_of_present(states, sums, nullptr);
}

/// One row of A for products with many rows of B': the position of each column, or -1.
class scattered_row {
public:
    explicit scattered_row(pattern const& a) : a_(a), positions_(executor(), a.columns) {
        std::fill(positions_.begin(), positions_.end(), index{-1});
    }
    void open(index row) {
        for (index p = first_; p < last_; ++p) positions_[a_.indices[p]] = -1;
        first_ = a_.offsets[row];
        last_ = a_.offsets[row + 1];
        for (index p = first_; p < last_; ++p) positions_[a_.indices[p]] = p;
    }
    /// Calls f(p, q) for equal columns of the row and of entries [begin, end) of B', until it returns true.
    template <class F>
    void meet(pattern const& b, index begin, index end, F const& f) const {
        if (end - begin > 16 * (last_ - first_)) { // search the few in the many
            index const* at = b.indices.data() + begin;
            index const* const stop = b.indices.data() + end;
            for (index p = first_; p < last_; ++p) {
                at = std::lower_bound(at, stop, a_.indices[p]);
                if (at == stop) return;
                if (*at == a_.indices[p] && f(p, at - b.indices.data())) return;
            }
            return;
        }
        for (index q = begin; q < end; ++q) {
            index const p = positions_[b.indices[q]];
            if (p >= 0 && f(p, q)) return;
        }
    }

private:
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

bool has_kernel(GrB_Semiring semiring, bool flipped) {
    return with_kernel(semiring, flipped, [](auto) {});
}
contents push_product(GrB_Semiring semiring, bool flipped, kernel_operand u, kernel_operand b, mask_view const& mask) {
    contents made;
    with_kernel(semiring, flipped, [&](auto k) { made = push<decltype(k)>(u, b, mask); });
    return made;
}
contents pull_product(GrB_Semiring semiring, bool flipped, kernel_operand u, kernel_operand b, mask_view const& mask) {
    contents made;
    with_kernel(semiring, flipped, [&](auto k) { made = pull<decltype(k)>(u, b, mask); });
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
