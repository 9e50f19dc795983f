// SPDX-License-Identifier: BSD-3-Clause
#include "product.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <coppice/core/parallel.hpp>

#include "operators.hpp"

namespace coppice::graphblas {
namespace {

/// Original indices of the product A(i, k) B(k, j).
struct product_position {
    index i = 0, k = 0, j = 0;
};

/// Any semiring, by function pointers.
class pointer_kernel {
public:
    explicit pointer_kernel(product_task const& t)
        : task_(t), op_(t.semiring->multiply), add_(t.semiring->add->op), size_(add_->z->size), product_(add_->z, 1),
          sum_(add_->z, 1) {}
    std::size_t size() const { return size_; }
    bool positions() const { return op_->position != positional::none; }
    void first(std::byte* z, index p, index q, product_position const& at) {
        if (positions()) return store_position(z, at);
        std::byte const* const x = task_.x + std::size_t(p) * task_.x_size;
        std::byte const* const y = task_.y + std::size_t(q) * task_.y_size;
        op_->function(z, task_.flipped ? y : x, task_.flipped ? x : y);
    }
    void more(std::byte* z, index p, index q, product_position const& at) {
        first(static_cast<std::byte*>(product_.data()), p, q, at);
        // The function may not read an operand after it wrote the result, so they do not share memory.
        std::memcpy(sum_.data(), z, size_);
        add_->function(z, sum_.data(), product_.data());
    }

private:
    void store_position(std::byte* z, product_position at) const {
        if (task_.flipped) std::swap(at.i, at.j);
        index value = 0;
        switch (op_->position) {
        case positional::firsti:
        case positional::firsti1:
            value = at.i;
            break;
        case positional::secondj:
        case positional::secondj1:
            value = at.j;
            break;
        default:
            value = at.k;
        }
        auto const p = op_->position;
        value += p == positional::firsti1 || p == positional::firstj1 || p == positional::secondi1 ||
                         p == positional::secondj1
                     ? 1
                     : 0;
        if (size_ == 4) {
            auto const narrow = std::int32_t(value);
            std::memcpy(z, &narrow, 4);
        } else {
            std::memcpy(z, &value, 8);
        }
    }
    product_task const& task_;
    GrB_BinaryOp op_, add_;
    std::size_t size_;
    scratch product_, sum_;
};

/// Finds the position of a column in a row of the result.
class row_slots {
public:
    row_slots(pattern const& c, index first, index last) : c_(c) {
        index const entries = c.offsets[last] - c.offsets[first];
        if (entries >= c.columns / 8) table_.resize(std::size_t(c.columns));
    }
    void open(index row) {
        first_ = c_.offsets[row];
        last_ = c_.offsets[row + 1];
        if (table_.empty()) return;
        for (index p = first_; p < last_; ++p) table_[std::size_t(c_.indices[p])] = p;
    }
    index operator[](index column) const {
        if (!table_.empty()) return table_[std::size_t(column)];
        return std::lower_bound(c_.indices.data() + first_, c_.indices.data() + last_, column) - c_.indices.data();
    }

private:
    pattern const& c_;
    index first_ = 0, last_ = 0;
    std::vector<index> table_;
};

template <class Kernel>
void multiply_rows(product_task const& t, Kernel& kernel, index begin, index end, std::byte* values) {
    pattern const &a = *t.structure.a, &b = *t.structure.b, &c = *t.structure.c;
    buffer<index> const &inner = t.structure.inner, &columns = t.structure.columns;
    row_slots slots(c, begin, end);
    index const base = c.offsets[begin];
    std::vector<char> filled(std::size_t(c.offsets[end] - base));
    for (index i = begin; i < end; ++i) {
        slots.open(i);
        for (index p = a.offsets[i]; p < a.offsets[i + 1]; ++p) {
            index const k = a.indices[p];
            for (index q = b.offsets[k]; q < b.offsets[k + 1]; ++q) {
                index const j = b.indices[q], slot = slots[j];
                product_position at;
                if (kernel.positions())
                    at = {t.original_a.row(i), inner.empty() ? k : inner[k], columns.empty() ? j : columns[j]};
                std::byte* const z = values + std::size_t(slot) * kernel.size();
                if (std::exchange(filled[std::size_t(slot - base)], 1))
                    kernel.more(z, p, q, at);
                else
                    kernel.first(z, p, q, at);
            }
        }
    }
}

} // namespace

std::shared_ptr<bytes const> product_values(product_task const& t) {
    pattern const& c = *t.structure.c;
    auto made = make_values(c.entries(), t.semiring->add->op->z->size);
    index const rows = std::max<index>(1, c.rows / (8 * executor().threads()));
    for_ranges(c.rows, rows, [&](index first, index last) {
        pointer_kernel kernel(t);
        multiply_rows(t, kernel, first, last, made->data());
    });
    return made;
}

} // namespace coppice::graphblas
