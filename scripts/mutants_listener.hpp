// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Writes which mutations each test case reaches: a line "name <tab> seconds <tab> numbers" in the file that the
/// environment variable COPPICE_MUTANTS_REACHED names. Appended to the main program of the tests by scripts/mutate.py.
#pragma once

#include <chrono>
#include <cstring>

#include <doctest/doctest.h>

#include "mutants.hpp"

namespace {

struct mutants_listener : doctest::IReporter {
    explicit mutants_listener(doctest::ContextOptions const&) {
        if (char const* const path = std::getenv("COPPICE_MUTANTS_REACHED")) file = std::fopen(path, "a");
    }
    void test_case_start(doctest::TestCaseData const& data) override {
        name = data.m_name;
        begin = std::chrono::steady_clock::now();
        std::memset(coppice_mutants::reached, 0, sizeof coppice_mutants::reached);
    }
    void test_case_end(doctest::CurrentTestCaseStats const&) override {
        if (!file) return;
        std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
        std::fprintf(file, "%s\t%.3f\t", name, seconds.count());
        for (int k = 0; k < coppice_mutants::max_count; ++k)
            if (coppice_mutants::reached[k]) std::fprintf(file, "%d ", k);
        std::fputc('\n', file);
        std::fflush(file);
    }
    void report_query(doctest::QueryData const&) override {}
    void test_run_start() override {}
    void test_run_end(doctest::TestRunStats const&) override {}
    void test_case_reenter(doctest::TestCaseData const&) override {}
    void test_case_exception(doctest::TestCaseException const&) override {}
    void subcase_start(doctest::SubcaseSignature const&) override {}
    void subcase_end() override {}
    void log_assert(doctest::AssertData const&) override {}
    void log_message(doctest::MessageData const&) override {}
    void test_case_skipped(doctest::TestCaseData const&) override {}

    std::FILE* file = nullptr;
    char const* name = "";
    std::chrono::steady_clock::time_point begin{};
};
REGISTER_LISTENER("mutants", 1, mutants_listener);

} // namespace
