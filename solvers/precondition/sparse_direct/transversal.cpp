// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/precondition/sparse_direct/transversal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include <coppice/core/host/interruption.hpp>

namespace coppice::inline v0_1::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The assignment problem: costs c_ij >= 0 and duals with c_ij - u_i - v_j >= 0, and = 0 for matched elements.
class assignment {
public:
    explicit assignment(csr_view<double> a)
        : a_(a), cost_(std::size_t(a.nonzeros())), row_(std::size_t(a.rows()), 0.0), column_(row_), distance_(row_),
          match_(std::size_t(a.rows()), -1), owner_(match_), through_(match_), final_() {
        std::fill(distance_.begin(), distance_.end(), infinity);
        find_costs();
        match_tight_elements();
    }

    transversal solve() {
        for (std::int32_t i = 0; i < a_.rows(); ++i)
            if (match_[std::size_t(i)] < 0) augment(i);
        transversal found{match_, 0, {}, {}};
        for (auto const j : match_) found.matched += j >= 0 ? 1 : 0;
        if (found.matched < a_.rows()) return found;
        for (std::size_t i = 0; i < row_.size(); ++i) {
            found.row_power.push_back(int(std::lround(largest_[i] - row_[i])));
            found.column_power.push_back(int(std::lround(-column_[i])));
        }
        return found;
    }

private:
    double reduced(std::int32_t i, std::int32_t k) const {
        return cost_[std::size_t(k)] - row_[std::size_t(i)] - column_[std::size_t(a_.indices[k])];
    }
    void match(std::int32_t i, std::int32_t j) {
        match_[std::size_t(i)] = j;
        owner_[std::size_t(j)] = i;
    }

    void find_costs() {
        largest_.assign(row_.size(), 0.0);
        for (std::int32_t i = 0; i < a_.rows(); ++i) {
            double largest = 0;
            for (auto k = a_.row_begin(i); k < a_.row_end(i); ++k) largest = std::max(largest, a_.coefficients[k]);
            largest_[std::size_t(i)] = largest > 0 ? std::log2(largest) : 0;
            for (auto k = a_.row_begin(i); k < a_.row_end(i); ++k)
                cost_[std::size_t(k)] =
                    a_.coefficients[k] > 0 ? largest_[std::size_t(i)] - std::log2(a_.coefficients[k]) : infinity;
        }
    }

    /// v_j = min_i c_ij, u_i = min_j c_ij - v_j, and a matching of elements without reduced costs.
    void match_tight_elements() {
        std::fill(column_.begin(), column_.end(), infinity);
        for (std::int32_t k = 0; k < a_.nonzeros(); ++k) {
            double& lowest = column_[std::size_t(a_.indices[k])];
            lowest = std::min(lowest, cost_[std::size_t(k)]);
        }
        for (double& v : column_) v = v < infinity ? v : 0;
        for (std::int32_t i = 0; i < a_.rows(); ++i) {
            double lowest = infinity;
            for (auto k = a_.row_begin(i); k < a_.row_end(i); ++k) lowest = std::min(lowest, reduced(i, k));
            if (!(lowest < infinity)) continue; // a row of zeros
            row_[std::size_t(i)] = lowest;
            for (auto k = a_.row_begin(i); k < a_.row_end(i); ++k)
                if (owner_[std::size_t(a_.indices[k])] < 0 && reduced(i, k) <= 0) {
                    match(i, a_.indices[k]);
                    break;
                }
        }
    }

    /// Dijkstra's algorithm from a row over alternating paths to the nearest column that is not matched.
    void augment(std::int32_t root) {
        using entry = std::pair<double, std::int32_t>;
        std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
        final_.clear();
        touched_.clear();
        double reached = 0;
        std::int32_t row = root, last = -1;
        while (row >= 0) {
            interruption::check();
            for (auto k = a_.row_begin(row); k < a_.row_end(row); ++k) {
                auto const j = std::size_t(a_.indices[k]);
                double const length = reached + std::max(0.0, reduced(row, k));
                if (!(length < distance_[j])) continue;
                if (distance_[j] == infinity) touched_.push_back(std::int32_t(j));
                distance_[j] = length;
                through_[j] = row;
                queue.emplace(length, std::int32_t(j));
            }
            row = -1;
            while (!queue.empty()) {
                auto const [length, j] = queue.top();
                queue.pop();
                if (length > distance_[std::size_t(j)]) continue; // an older entry
                reached = length;
                row = owner_[std::size_t(j)];
                if (row < 0)
                    last = j;
                else
                    final_.push_back(j);
                break;
            }
            if (last >= 0) break;
        }
        if (last >= 0) update(root, last, reached);
        for (auto const j : touched_) distance_[std::size_t(j)] = infinity;
    }
    void update(std::int32_t root, std::int32_t last, double reached) {
        for (auto const j : final_) {
            double const less = reached - distance_[std::size_t(j)];
            column_[std::size_t(j)] -= less;
            row_[std::size_t(owner_[std::size_t(j)])] += less;
        }
        row_[std::size_t(root)] += reached;
        for (std::int32_t j = last;;) {
            std::int32_t const i = through_[std::size_t(j)], next = match_[std::size_t(i)];
            match(i, j);
            if (i == root) return;
            j = next;
        }
    }

    csr_view<double> a_;
    std::vector<double> cost_, largest_;          ///< log2
    std::vector<double> row_, column_, distance_; ///< u, v, and lengths of paths to columns
    std::vector<std::int32_t> match_, owner_;     ///< column of a row, row of a column
    std::vector<std::int32_t> through_;           ///< the row before a column on its path
    std::vector<std::int32_t> final_{}, touched_; ///< columns of one search
};

} // namespace

std::int32_t transversal::first_unmatched() const {
    auto const at = std::find(column_of.begin(), column_of.end(), -1);
    return at == column_of.end() ? -1 : std::int32_t(at - column_of.begin());
}

transversal maximum_product_transversal(csr_view<double> magnitudes) {
    require_square(magnitudes, "maximum_product_transversal");
    if (magnitudes.rows() == 0) return {};
    return assignment(magnitudes).solve();
}

} // namespace coppice::inline v0_1::detail
