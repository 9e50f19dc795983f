// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A square CSR matrix whose rows lie in contiguous blocks, a part each, and its product with a vector in the same
/// blocks.
///
/// Columns of other parts (the halo) are found once. Rows without any are multiplied apart from the others: on a device
/// they are under way while the halo crosses by the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spmv.hpp>

namespace coppice {
namespace distributed {

template <class T>
struct gather_elements {
    T const* x;
    std::int32_t const* indices;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = x[indices[i]]; }
};
template <class T>
struct multiply_with_halo {
    T const *x, *halo;
    std::int32_t own;
    COPPICE_HD T operator()(T const& value, std::int32_t const& column) const {
        return value * (column < own ? x[column] : halo[column - own]);
    }
};
template <class T>
struct store_listed {
    T* y;
    std::int32_t const* rows;
    COPPICE_HD void operator()(std::int64_t row, T sum) const { y[rows[row]] = sum; }
};

/// Some rows of a part: columns below `own` are of the part, the others of its halo.
template <executor Executor, class T>
struct listed_rows {
    std::vector<std::int32_t> host_rows{}, host_offsets{0}, host_columns{};
    std::vector<T> host_values{};
    buffer<std::int32_t> rows{}, offsets{}, columns{};
    buffer<T> values{};
    srcsr_plan<std::int32_t> plan{};

    /// `width`: columns of the part and its halo.
    void make(Executor const& exec, std::int32_t width) {
        rows = exec.copy(host_rows), offsets = exec.copy(host_offsets), columns = exec.copy(host_columns);
        values = exec.copy(host_values);
        plan = make_srcsr_plan(exec, csr_view<T>{std::int32_t(host_rows.size()), width, host_offsets.back(),
                                                 offsets.data(), columns.data(), values.data()});
    }
    void multiply(Executor const& exec, T const* x, T const* halo, std::int32_t own, T* y) const {
        if (host_rows.empty()) return;
        reduce_rows(exec, plan, along_nonzeros{multiply_with_halo<T>{x, halo, own}, values.data(), columns.data()},
                    add_plus<T>{}, store_listed<T>{y, rows.data()});
    }
};

} // namespace distributed

/// The rows of one part. All parts construct it, and call apply(), at the same time and in the same order.
template <executor Executor, class T>
class csr_part {
public:
    using value_type = T;

    /// `offsets`[rows + 1] from 0, `columns` counted in the whole matrix, on the host. The first part has the first
    /// rows, and so on; a part may be empty. Throws dimension_error, on this part, where array lengths disagree, and
    /// matrix_error for offsets that fall or a column outside the matrix; the other parts throw where they meet it.
    csr_part(Executor const& exec, part_messages const& others, std::vector<std::int32_t> const& offsets,
             std::vector<std::int32_t> const& columns, std::vector<T> const& values)
        : others_(others) {
        if (offsets.empty()) throw dimension_error("csr_part: no offsets, expected one more than rows");
        require_size("columns of csr_part", std::int64_t(columns.size()), offsets.back());
        require_size("values of csr_part", std::int64_t(values.size()), offsets.back());
        if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()))
            throw matrix_error("csr_part: offsets must begin with 0 and not fall");
        rows_ = std::int32_t(offsets.size() - 1);
        std::vector<std::int64_t> begin{0};
        for (std::int64_t const n : others.gather(std::int64_t(rows_))) begin.push_back(begin.back() + n);
        std::int64_t const first = begin[std::size_t(others.part())], behind = first + rows_;
        std::vector<std::int32_t> needs;
        for (std::int32_t const c : columns) {
            if (c < 0 || c >= begin.back())
                throw matrix_error("csr_part: column " + std::to_string(c) + " outside a matrix of " +
                                   std::to_string(begin.back()) + " columns");
            if (c < first || c >= behind) needs.push_back(c);
        }
        std::sort(needs.begin(), needs.end());
        needs.erase(std::unique(needs.begin(), needs.end()), needs.end());

        // What others need of this part goes out once, sorted; each picks its own.
        auto const all = others.gather(needs);
        std::vector<std::vector<std::int32_t>> sent(all.size());
        for (std::size_t p = 0; p < all.size(); ++p) {
            for (auto const& wanted : all)
                for (std::int32_t const c : wanted)
                    if (c >= begin[p] && c < begin[p + 1]) sent[p].push_back(c);
            std::sort(sent[p].begin(), sent[p].end());
            sent[p].erase(std::unique(sent[p].begin(), sent[p].end()), sent[p].end());
        }
        for (std::int32_t const c : needs) {
            auto const p =
                std::size_t(std::upper_bound(begin.begin(), begin.end(), std::int64_t(c)) - begin.begin() - 1);
            from_.push_back({p, std::size_t(std::lower_bound(sent[p].begin(), sent[p].end(), c) - sent[p].begin())});
        }
        auto send = sent[std::size_t(others.part())];
        for (std::int32_t& c : send) c = std::int32_t(c - first);
        send_ = exec.copy(send);
        sent_ = buffer<T>(exec, send_.size());
        halo_ = buffer<T>(exec, std::int64_t(needs.size()));

        for (std::int32_t i = 0; i < rows_; ++i) {
            bool inner = true;
            for (auto k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
                inner = inner && columns[std::size_t(k)] >= first && columns[std::size_t(k)] < behind;
            auto& to = inner ? inner_ : outer_;
            for (auto k = std::size_t(offsets[std::size_t(i)]); k < std::size_t(offsets[std::size_t(i) + 1]); ++k) {
                std::int32_t const c = columns[k];
                bool const own = c >= first && c < behind;
                auto const place = std::lower_bound(needs.begin(), needs.end(), c) - needs.begin();
                to.host_columns.push_back(std::int32_t(own ? c - first : rows_ + place));
                to.host_values.push_back(values[k]);
            }
            to.host_rows.push_back(i);
            to.host_offsets.push_back(std::int32_t(to.host_columns.size()));
        }
        auto const width = std::int32_t(rows_ + halo_.size());
        inner_.make(exec, width);
        outer_.make(exec, width);
    }

    std::int64_t size() const { return rows_; }
    std::int64_t halo() const { return halo_.size(); } ///< columns of other parts that it reads
    std::int64_t outer_rows() const { return std::int64_t(outer_.host_rows.size()); } ///< rows that read any

    /// Its rows and columns of this part alone, size() x size(), sorted where the rows of the part are: what a
    /// preconditioner of this part is made of (block Jacobi over the parts).
    csr<T> own_block(Executor const& exec) const {
        std::vector<std::int32_t> offsets{0}, columns;
        std::vector<T> values;
        std::size_t inner = 0, outer = 0;
        for (std::int32_t i = 0; i < rows_; ++i) {
            bool const is_inner = inner < inner_.host_rows.size() && inner_.host_rows[inner] == i;
            auto const& from = is_inner ? inner_ : outer_;
            std::size_t const row = is_inner ? inner++ : outer++;
            for (auto k = std::size_t(from.host_offsets[row]); k < std::size_t(from.host_offsets[row + 1]); ++k) {
                if (from.host_columns[k] >= rows_) continue;
                columns.push_back(from.host_columns[k]);
                values.push_back(from.host_values[k]);
            }
            offsets.push_back(std::int32_t(columns.size()));
        }
        return csr<T>(rows_, rows_, exec.copy(offsets), exec.copy(columns), exec.copy(values));
    }

    /// y = A x; x[size()] and y[size()] are the blocks of this part and do not overlap. Waits for the halo.
    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        require_size("length of x", x.size(), size());
        require_size("length of y", y.size(), size());
        for_each(exec, send_.size(), distributed::gather_elements<T>{x.data(), send_.data(), sent_.data()});
        std::vector<T> const mine = to_vector(exec, sent_);
        inner_.multiply(exec, x.data(), halo_.data(), rows_, y.data());
        auto const all = others_.gather(mine);
        std::vector<T> values(from_.size());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = all[from_[i].part][from_[i].place];
        exec.copy_elements(values.data(), halo_.data(), std::int64_t(values.size()));
        outer_.multiply(exec, x.data(), halo_.data(), rows_, y.data());
        exec.synchronize(); // `values` ends here
    }

private:
    struct source {
        std::size_t part, place;
    };
    part_messages others_;
    std::int32_t rows_ = 0;
    std::vector<source> from_{};
    buffer<std::int32_t> send_{};
    mutable buffer<T> sent_{}, halo_{};
    distributed::listed_rows<Executor, T> inner_{}, outer_{};
};

} // namespace coppice
