# SPDX-License-Identifier: BSD-3-Clause
# From Julia, by ccall: a SparseMatrixCSC (compressed columns, numbers from 1), a solve that chooses its method, shortest
# paths. Run with the path of the C library:
#
#     COPPICE_C_LIBRARY=/usr/lib/x86_64-linux-gnu/libcoppice_c.so julia solve.jl
using SparseArrays

const library = get(ENV, "COPPICE_C_LIBRARY", "libcoppice_c")
const Handle = Ptr{Cvoid}
const INT64, DOUBLE = Cint(1), Cint(3) # coppice_type_t

"Throws the message of the library unless `status` is 0."
function check(status::Cint)
    status == 0 && return
    error(unsafe_string(ccall((:coppice_last_error, library), Cstring, ())))
end

function executor(choice::String)
    handle = Ref{Handle}(C_NULL)
    check(ccall((:coppice_executor_create, library), Cint, (Cstring, Ptr{Cvoid}, Ref{Handle}), choice, C_NULL, handle))
    handle[]
end

function matrix(executor::Handle, a::SparseMatrixCSC{Float64,Int64})
    handle = Ref{Handle}(C_NULL)
    check(ccall((:coppice_matrix_create, library), Cint,
                (Handle, Int64, Int64, Int64, Cint, Ptr{Int64}, Ptr{Int64}, Cint, Ptr{Float64}, Cstring, Ref{Handle}),
                executor, size(a, 1), size(a, 2), nnz(a), INT64, a.colptr, a.rowval, DOUBLE, a.nzval,
                "base=1,order=columns", handle))
    handle[]
end

"Solves A x = b; returns x and the handle of the result."
function solve(a::Handle, method::String, b::Vector{Float64})
    x, handle = zeros(length(b)), Ref{Handle}(C_NULL)
    check(ccall((:coppice_solve, library), Cint,
                (Handle, Handle, Cstring, Ptr{Float64}, Ptr{Float64}, Int64, Int64, Ref{Handle}),
                a, C_NULL, method, b, x, length(b), 1, handle))
    x, handle[]
end

function number(handle::Handle, name::String)
    value = Ref{Float64}(0)
    check(ccall((:coppice_number, library), Cint, (Handle, Cstring, Ref{Float64}), handle, name, value))
    value[]
end

"Runs a graph algorithm that returns a number for each vertex."
function graph_values(a::Handle, algorithm::String)
    handle, data, count = Ref{Handle}(C_NULL), Ref{Ptr{Float64}}(C_NULL), Ref{Int64}(0)
    check(ccall((:coppice_graph, library), Cint, (Handle, Cstring, Ref{Handle}), a, algorithm, handle))
    check(ccall((:coppice_array, library), Cint, (Handle, Cstring, Cint, Ref{Ptr{Float64}}, Ref{Int64}),
                handle[], "values", DOUBLE, data, count))
    values = copy(unsafe_wrap(Array, data[], count[])) # the array belongs to the result
    destroy(handle[])
    values
end

destroy(handle::Handle) = check(ccall((:coppice_destroy, library), Cint, (Handle,), handle))

function main()
    n = 400
    a = spdiagm(-1 => fill(-1.0, n - 1), 0 => fill(2.5, n), 1 => fill(-0.5, n - 1)) # not symmetric
    expected = [sin(16 * pi * i / n) for i in 1:n]
    cores = executor("host")
    m = matrix(cores, a)
    x, result = solve(m, "auto,tolerance=1e-12", a * expected)
    worst = maximum(abs.(x - expected))
    println("converged: ", number(result, "converged"), ", iterations: ", number(result, "iterations"),
            ", largest error: ", worst)
    levels = graph_values(m, "bfs,source=0") # vertices count from 0
    refused = try
        graph_values(m, "dijkstra")
        false
    catch e
        println("refused: ", e.msg)
        occursin("sssp", e.msg)
    end
    foreach(destroy, (result, m, cores))
    right = worst < 1e-9 && levels == collect(0.0:n-1) && refused
    right || exit(1)
end

main()
