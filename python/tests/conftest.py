# SPDX-License-Identifier: BSD-3-Clause
import pytest


@pytest.fixture(autouse=True, scope="session")
def folder_of_compiled_operators(tmp_path_factory):
    """Expressions that tests compile are not stored in the cache of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COPPICE_CACHE_DIR", str(tmp_path_factory.mktemp("operators")))
        yield
