#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens every kind of report in headless Chromium: 1280 and 390 points wide, with light and dark colours, and as print.

No page may write a console message, scroll horizontally, or have labels whose boxes overlap; the curves of a chart have
different colours. Exit code 77: there is no Chromium. --keep DIR keeps the pages, with a screenshot of each view.

usage: browser.py COMMAND [--keep DIR]
"""

import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VIEWS = {
    "wide": dict(width=1280, media="screen", scheme="light"),
    "narrow": dict(width=390, media="screen", scheme="light"),
    "dark": dict(width=1280, media="screen", scheme="dark"),
    "print": dict(width=688, media="print", scheme="light"),  # A4 less its margins
}

# Two components and isolated vertices, with loops.
GRAPH = "%%MatrixMarket matrix coordinate real symmetric\n12 12 12\n" + "".join(
    f"{i} {j} {i + j}\n" for i, j in [(2, 1), (3, 1), (3, 2), (4, 3), (5, 4), (5, 5), (7, 6), (8, 7), (9, 8), (9, 6), (7, 7), (11, 10)]
)

PAGES = {
    "solve": "solve generate:aniso2,nx=60",
    "solve-fast": "solve generate:laplace2d,nx=8 --preconditioner multilevel",
    "solve-unfinished": "solve generate:laplace2d,nx=40 --preconditioner none --max-iterations 9",
    "solve-unsymmetric": "solve generate:convection,nx=20 --preconditioner ilu0",
    "queue": "queue --servers 40",
    "bench": "bench tridiagonal --quick --backend host",
    "info": "info generate:laplace2d,nx=30",
    "info-graph": "info graph.mtx",
    "info-large": "info generate:rmat,scale=13",
    "generate": "generate aniso1 --nx 20 -o aniso1.mtx",
    "multiply": "multiply generate:laplace2d,nx=12 generate:laplace2d,nx=12",
    "factor": "factor generate:laplace2d,nx=12 --degree 2",
    "forest": "forest generate:aniso1,nx=20",
    "forest-large": "forest generate:tridiagonal,n=200000",
    "bfs": "bfs graph.mtx",
    "pagerank": "pagerank generate:rmat,scale=12",
    "components": "components graph.mtx",
    "matching": "matching graph.mtx",
    "mst": "mst graph.mtx",
    "cores": "cores graph.mtx",
}

# A page with all of the problems: it is 2000 points wide, and has overlapping labels, equal curves and a message.
BAD = """<!doctype html><div style="width: 2000px">wide</div><svg><text x=10 y=20>one label</text>
<text x=30 y=22>another</text><path class=curve stroke=red d="M0 0h9" /><path class=curve stroke=red d="M0 9h9" /></svg>
<script>console.log("message")</script>"""
SIGNS = ("points wide", "overlap", "equal colours", "console")

MEASURE = """(() => {
  const problems = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth)
    problems.push(`the page is ${root.scrollWidth} points wide`);
  for (const svg of document.querySelectorAll('svg')) {
    const boxes = [];
    for (const text of svg.querySelectorAll('text')) {
      const parts = text.querySelectorAll('tspan');
      for (const part of parts.length ? parts : [text]) {
        const range = document.createRange();
        range.selectNodeContents(part);
        const box = range.getBoundingClientRect();
        if (box.width > 0) boxes.push([part.textContent, box]);
      }
    }
    for (let i = 0; i < boxes.length; ++i)
      for (let k = 0; k < i; ++k) {
        const [a, p] = boxes[i], [b, q] = boxes[k];
        const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (across > 1 && down > 0.25 * Math.min(p.height, q.height))
          problems.push(`labels '${b}' and '${a}' overlap`);
      }
    const colours = [...svg.querySelectorAll('path.curve'), ...(svg.matches('.sweep') ? svg.querySelectorAll('path') : [])]
      .map(c => getComputedStyle(c).stroke);
    if (colours.length <= 12 && new Set(colours).size < colours.length)
      problems.push(`curves have equal colours: ${colours}`);
  }
  return JSON.stringify({labels: document.querySelectorAll('svg text').length,
                         dark: matchMedia('(prefers-color-scheme: dark)').matches,
                         print: matchMedia('print').matches, width: innerWidth, problems});
})()"""


class Browser:
    """Chromium on the pipes of its DevTools protocol: JSON messages that end with a zero byte."""

    def __init__(self, program, folder):
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():  # the browser reads descriptor 3 and writes descriptor 4
            for number, end in ((3, os.dup(to_browser)), (4, os.dup(from_browser))):
                os.dup2(end, number)

        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        self.process = subprocess.Popen(
            [program, *arguments, "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )
        os.close(to_browser)
        os.close(from_browser)
        self.next, self.buffer, self.messages, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.input, 1 << 16)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(message["params"])[:300])
        return message

    def call(self, method, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, page, width, media, scheme):
        """Loads a page in a view; returns its measurements."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.messages.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        found = json.loads(self.call("Runtime.evaluate", expression=MEASURE, returnByValue=True)["result"]["value"])
        assert found["dark"] == (scheme == "dark") and found["print"] == (media == "print"), found
        found["problems"] += [f"console: {m}" for m in self.messages]
        return found

    def save(self, picture):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip=dict(x=0, y=0, scale=1, **self.size()))
        picture.write_bytes(base64.b64decode(data["data"]))

    def size(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"width": size["width"], "height": min(size["height"], 8000)}

    def close(self):
        self.process.terminate()
        self.process.wait()


def write_page(command, arguments, folder, name):
    """Runs a command with --report; returns the page, or None for a bench in a build without benches."""
    page = folder / f"{name}.html"
    run = subprocess.run([command, *arguments.split(), "--report", page.name, "--quiet"], cwd=folder,
                         capture_output=True, text=True)
    if name == "bench" and run.returncode == 2:
        return None
    if not page.exists():
        raise SystemExit(f"coppice {arguments}: {run.stderr}")
    return page


def check(browser, page, keep):
    problems = []
    for view, settings in VIEWS.items():
        found = browser.open(page, **settings)
        problems += [f"{page.stem}, {view}: {problem}" for problem in found["problems"]]
        if keep:
            browser.save(page.with_name(f"{page.stem}-{view}.png"))
    return problems, found["labels"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not program:
        print("skipped: there is no chromium")
        return 77
    problems, pages, labels = [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "graph.mtx").write_text(GRAPH)
        (Path(scratch) / "profile").mkdir()
        browser = Browser(program, Path(scratch) / "profile")
        bad = Path(scratch) / "bad.html"
        bad.write_text(BAD)
        found, _ = check(browser, bad, None)
        missed = [sign for sign in SIGNS if sum(sign in problem for problem in found) != len(VIEWS)]
        if missed:
            raise SystemExit(f"not found on a page that has them: {missed}")
        for name, arguments in PAGES.items():
            if options.only not in name:
                continue
            page = write_page(os.path.abspath(options.command), arguments, folder, name)
            if not page:
                continue
            some, seen = check(browser, page, options.keep)
            problems, pages, labels = problems + some, pages + 1, labels + seen
        browser.close()
    print("\n".join(problems))
    print(f"{pages} pages in {len(VIEWS)} views, {labels} labels, {len(problems)} problems")
    return 1 if problems or not labels else 0


if __name__ == "__main__":
    sys.exit(main())
