// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of the preconditioners.
///
/// Only the sources of the catalogue and <coppice/preconditioner_classes.hpp> include this file. The registration of
/// each preconditioner (NAME_entry) is in the header of the preconditioner.
#pragma once

#include <array>
#include <string_view>

#include <coppice/solvers/catalogue/hbisa_preconditioner.hpp>
#include <coppice/solvers/multilevel/multilevel_definitions.hpp>
#include <coppice/solvers/precondition/filled/ilut.hpp>
#include <coppice/solvers/precondition/incomplete/ilu.hpp>
#include <coppice/solvers/precondition/incomplete/isai.hpp>
#include <coppice/solvers/precondition/one_level/diagonal.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/preconditioners.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_direct.hpp>
#include <coppice/solvers/precondition/splitting/splitting_factors.hpp>
#include <coppice/solvers/precondition/splitting/splittings.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class... Entry>
struct entry_list {
    static constexpr std::array<preconditioner_row, sizeof...(Entry)> rows{Entry::row...};
    static constexpr std::array<std::string_view, sizeof...(Entry)> names{Entry::row.name...};

    /// Calls use(entry) for the registration of that name; returns false if there is none.
    template <class Use>
    static bool with(std::string_view name, Use use) {
        return ((name == Entry::row.name && (use(Entry{}), true)) || ...);
    }
};

using preconditioner_entries = entry_list<identity_entry,           //
                                          jacobi_entry,             //
                                          diagp_0_entry,            //
                                          diagp_1_entry,            //
                                          diagp_2_entry,            //
                                          l1_entry,                 //
                                          tridiagonal_entry,        //
                                          forest_entry,             //
                                          block_forest_entry,       //
                                          inner_alternation_entry,  //
                                          outer_alternation_entry,  //
                                          grid_alternation_entry,   //
                                          direct_splitting_entry,   //
                                          mixed_splitting_entry,    //
                                          adaptive_splitting_entry, //
                                          ilu0_entry,               //
                                          ic0_entry,                //
                                          isai_entry,               //
                                          ilut_entry,               //
                                          iluk_entry,               //
                                          hbisa_entry,              //
                                          multilevel_entry,         //
                                          sparse_direct_entry>;

} // namespace detail

} // namespace coppice::inline v0_1
