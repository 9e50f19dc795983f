# SPDX-License-Identifier: BSD-3-Clause
"""Pretty-printers of gdb for buffers, matrices and views of Coppice.

    (gdb) source PREFIX/share/coppice/gdb/coppice_gdb.py      # or in ~/.gdbinit
    (gdb) print a
    $1 = csr<double>: 3 x 4, 4 nonzeros = {[0] = (0: 1) (2: 0.5), [1] = empty, [2] = (1: 2) (3: 4)}

`print -elements N -- a` limits elements of arrays and rows of matrices. Elements in memory of a device, which gdb cannot read, are
not shown. gdb loads this file automatically with a shared library (gdb/auto-load).
"""
import re

import gdb
import gdb.printing

max_nonzeros_of_row = 50


def short(value):
    """The template without namespace and default arguments: csr<double>, csr<float, long, long>."""
    kind = value.type.strip_typedefs().unqualified()
    name = re.sub(r"^coppice::(v\d+_\d+::)?", "", str(kind.name).split("<")[0])
    arguments = []
    while True:
        try:
            arguments.append(str(kind.template_argument(len(arguments))))
        except (RuntimeError, gdb.error):
            break
    if all(argument == "int" for argument in arguments[1:]):  # the default
        arguments = arguments[:1]
    return f"{name}<{', '.join(arguments)}>"


def elements(pointer, count):
    """The elements behind a pointer, as (name, value); ends at memory that gdb cannot read."""
    for i in range(count):
        value = (pointer + i).dereference()
        try:
            value.fetch_lazy()
        except gdb.MemoryError:
            yield f"[{i}]", "not readable here: memory of a device, or freed"
            return
        yield f"[{i}]", value


def on_host(resource):
    """Whether the memory of a buffer is the host's: by the class of its memory resource; without one it is empty."""
    pointer = resource["_M_ptr"]
    if int(pointer) == 0:
        return True
    return "stream_ordered_memory" not in str(pointer.dynamic_type)


class array_printer:
    """buffer<T> and array_view<T>."""

    def __init__(self, value):
        self.value = value
        self.owns = any(field.name == "data_" for field in value.type.strip_typedefs().fields())
        self.pointer = value["data_" if self.owns else "pointer"]
        self.size = int(value["size_" if self.owns else "length"])
        self.readable = not self.owns or on_host(value["resource_"])

    def to_string(self):
        where = "" if self.readable else " on a device"
        return f"{short(self.value)} of {self.size} elements{where}"

    def children(self):
        return elements(self.pointer, self.size if self.readable else 0)

    def display_hint(self):
        return "array"


class csr_printer:
    """csr<T, I, O> and csr_view<T, I, O>: one child for each row."""

    def __init__(self, value):
        self.value = value
        self.owns = any(field.name == "rows_" for field in value.type.strip_typedefs().fields())
        names = ("rows_", "columns_") if self.owns else ("row_count", "column_count")
        self.rows, self.columns = (int(value[name]) for name in names)
        if self.owns:
            arrays = [value[name] for name in ("offsets_", "indices_", "values_")]
            self.offsets, self.indices, self.values = (array["data_"] for array in arrays)
            self.nonzeros = int(arrays[1]["size_"])
            self.readable = on_host(arrays[0]["resource_"])
        else:
            self.offsets, self.indices, self.values = (value[name] for name in ("offsets", "indices", "coefficients"))
            self.nonzeros = int(value["nonzero_count"])
            self.readable = True

    def to_string(self):
        where = "" if self.readable else ", on a device"
        return f"{short(self.value)}: {self.rows} x {self.columns}, {self.nonzeros} nonzeros{where}"

    def row(self, i):
        """Row i as text: (column: value) of each nonzero."""
        begin, end = int(self.offsets[i]), int(self.offsets[i + 1])
        if not 0 <= begin <= end <= self.nonzeros:
            return f"offsets {begin} to {end} are not within 0 to {self.nonzeros}"
        last = min(end, begin + max_nonzeros_of_row)
        shown = [f"({int(self.indices[k])}: {self.values[k]})" for k in range(begin, last)]
        if last < end:
            shown.append(f"and {end - last} more")
        return " ".join(shown) or "empty"

    def children(self):
        for i in range(self.rows if self.readable and int(self.offsets) else 0):
            try:
                text = self.row(i)
            except gdb.MemoryError:
                yield f"[{i}]", "not readable here: memory of a device, or freed"
                return
            yield f"[{i}]", text

    def display_hint(self):
        return None


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("coppice")
    collection.add_printer("buffer", r"^coppice::(v\d+_\d+::)?buffer<.*>$", array_printer)
    collection.add_printer("array_view", r"^coppice::(v\d+_\d+::)?array_view<.*>$", array_printer)
    collection.add_printer("csr", r"^coppice::(v\d+_\d+::)?csr<.*>$", csr_printer)
    collection.add_printer("csr_view", r"^coppice::(v\d+_\d+::)?csr_view<.*>$", csr_printer)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
