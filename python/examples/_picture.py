# SPDX-License-Identifier: BSD-3-Clause
"""Pictures where matplotlib is installed, in a notebook or a file."""


def show(name, draw):
    """Calls draw(axes); saves `name`.png outside of notebooks."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib, no picture")
        return
    interactive = "ipykernel" in __import__("sys").modules
    if not interactive:
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    draw(axes)
    if interactive:
        plt.show()
    else:
        figure.savefig(f"{name}.png")
    plt.close(figure)
