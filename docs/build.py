#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the documents: build.py SOURCE BUILD TOOL, called by `make docs`.

Pages that the program can print are printed by it into BUILD/documents/source, beside copies of those that people
wrote; Sphinx makes BUILD/documents/html of them; then all links and anchors are checked.
"""
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

KATEX = pathlib.Path("/usr/share/javascript/katex")
# files of KaTeX that a page loads
KATEX_FILES = ["katex.min.js", "katex.min.css", "fonts"]
CHAPTERS = ["netlist", "component", "functions", "signals", "settings", "units"]
# seconds for a run whose picture is shown; longer ones have none
LONGEST_RUN = 5
DEVELOPERS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md"]


def missing_packages():
    """Debian packages that are not there."""
    modules = {
        "sphinx": "python3-sphinx",
        "myst_parser": "python3-myst-parser",
        "sphinx_rtd_theme": "python3-sphinx-rtd-theme",
    }
    missing = [package for module, package in modules.items() if not importlib.util.find_spec(module)]
    if not (KATEX / "katex.min.js").exists():
        missing.append("libjs-katex")
    return missing


class Builder:
    def __init__(self, source, build, tool):
        self.source, self.tool, self.build_folder = source, tool, build
        self.pages = build / "documents" / "source"
        self.html = build / "documents" / "html"
        self.environment = dict(os.environ, BOXTIMES_PATH=str(source / "components"), NO_COLOR="1")

    def run(self, *arguments, **options):
        """The standard output of the program."""
        return subprocess.run(
            [self.tool, *arguments], env=self.environment, check=True, text=True, stdout=subprocess.PIPE, **options
        ).stdout

    def write(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    # ---- What people wrote ----

    def copy_pages(self):
        shutil.rmtree(self.pages, ignore_errors=True)
        shutil.rmtree(self.html, ignore_errors=True)
        shutil.copytree(
            self.source / "docs", self.pages, ignore=shutil.ignore_patterns("*.py", "__pycache__", "conf.py")
        )
        shutil.copy(self.source / "docs" / "conf.py", self.pages)
        for name in KATEX_FILES:
            to = self.pages / "_static" / "katex" / name
            if (KATEX / name).is_dir():
                shutil.copytree(KATEX / name, to, symlinks=False)
            else:
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(KATEX / name, to)

    def link_netlists(self):
        """Links of pages to shipped netlists lead to the gallery."""
        for page in [*self.pages.glob("tutorials/*.md"), *self.pages.glob("howto/*.md")]:
            text = page.read_text(encoding="utf-8")
            linked = re.sub(
                r"\]\((?:\.\./)*netlists/([\w/-]+)\.xml\)", lambda m: f"](example-{m[1].replace('/', '-')})", text
            )
            page.write_text(linked, encoding="utf-8")

    def print_scripts(self):
        """Tutorials that are Python scripts: comments are prose, and what the script draws is shown."""
        for script in sorted((self.source / "docs" / "tutorials").glob("*.py")):
            folder = self.pages / "tutorials"
            environment = dict(self.environment, PYTHONPATH=str(self.build_folder / "python"), MPLBACKEND="agg")
            with tempfile.TemporaryDirectory() as work:
                (pathlib.Path(work) / "netlists").symlink_to(self.source / "netlists")
                run = subprocess.run(
                    [sys.executable, "-B", script],
                    cwd=work, env=environment, capture_output=True, check=False, text=True,
                )
                for picture in pathlib.Path(work).glob("*.svg"):
                    shutil.copy(picture, folder)
            if run.returncode:
                reason = (run.stderr.splitlines() or [f"status {run.returncode}"])[-1]
                print(f"  {script.name}: {reason}: its pictures are left out", flush=True)
            page = folder / f"{script.stem}.md"
            page.write_text(script_to_markdown(script.read_text(encoding="utf-8"), folder), encoding="utf-8")

    def copy_developers(self):
        for name in DEVELOPERS:
            text = (self.source / name).read_text(encoding="utf-8")
            # what is no code: dollars are no mathematics here, files of the source are no pages
            parts = re.split(r"(^```.*?^```$|^(?: {4}|\t).*$|`[^`\n]*`)", text, flags=re.S | re.M)
            for i in range(0, len(parts), 2):
                parts[i] = parts[i].replace("$", r"\$")
            text = "".join(parts)
            text = re.sub(r"\[([^\]]+)\]\(([^)#:]+)\)", lambda m: self.link(m[1], m[2]), text)
            self.write("developers/" + name, text)

    def print_structures(self):
        """The fields of structures, a part of the page on the C API."""
        page = self.pages / "developers" / "c-api.md"
        text = page.read_text(encoding="utf-8")
        sections = self.run("reference", "structures", "--format", "md").split("\n## ", 1)[1]
        heading = "## Fields of structures\n"
        assert heading in text
        before, after = text.split(heading)
        sections = sections.replace("\n## ", "\n### ")
        page.write_text(f"{before}{heading}{after.rstrip()}\n\n### {sections}", encoding="utf-8")

    @staticmethod
    def link(text, target):
        if target in DEVELOPERS:
            return f"[{text}]({target})"
        return text if target in text else f"{text} (`{target}`)"

    # ---- What the program prints ----

    def print_reference(self):
        for chapter in CHAPTERS:
            self.write(f"reference/{chapter}.md", self.run("reference", chapter, "--format", "md"))
        commands = [line.split()[0] for line in self.run("reference", "commands").splitlines()]
        text = "# commands\n\nWhat `boxtimes COMMAND --help` prints.\n\n"
        for command in commands:
            text += f"## {command}\n\n```text\n{self.run(command, '--help')}```\n\n"
        self.write("reference/commands.md", text)
        lines = "\n".join(["commands", *CHAPTERS])
        self.write(
            "reference/index.md",
            "# Reference\n\nThe program printed these pages from the tables that it goes by.\n\n"
            f"```{{toctree}}\n:maxdepth: 1\n\n{lines}\n```\n",
        )

    def read_examples(self):
        """Subject: [(name, sentence, title)], as `boxtimes examples` has them."""
        page = json.loads(self.run("examples", "--format", "json"))
        return {
            section["name"]: [(e["name"], e["text"], e["title"]) for e in section["items"]] for section in page["items"]
        }

    def make_pictures(self, name):
        """A plot and a drawing of a netlist; the names of those that could be made."""
        file = self.source / "netlists" / f"{name}.xml"
        folder = self.pages / "pictures"
        stem = name.replace("/", "-")
        made = []
        quiet = {"env": self.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

        def succeeds(*arguments, seconds=60):
            try:
                return subprocess.run([self.tool, *arguments], timeout=seconds, check=False, **quiet).returncode == 0
            except subprocess.TimeoutExpired:
                return False

        drawing = folder / f"{stem}-drawing.svg"
        if self.draws and succeeds("draw", str(file), "-o", str(drawing)):
            made.append(drawing.name)
        rows = folder / f"{stem}.csv"
        if succeeds("run", str(file), "--quiet", "-o", str(rows), seconds=LONGEST_RUN):
            plot = folder / f"{stem}.svg"
            if succeeds("plot", str(rows), "-o", str(plot)):
                made.append(plot.name)
        rows.unlink(missing_ok=True)
        return made

    def print_gallery(self):
        examples = self.read_examples()
        (self.pages / "pictures").mkdir(parents=True, exist_ok=True)
        self.draws = shutil.which("dot") and "draw" in self.run("reference", "commands").split()
        names = [name for entries in examples.values() for name, _, _ in entries]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.pictures = dict(zip(names, pool.map(self.make_pictures, names)))
        slugs, contents = [], ""
        for subject, entries in examples.items():
            slug = re.sub(r"[^a-z]+", "-", subject.lower())
            slugs.append(slug)
            subject = subject[0].upper() + subject[1:]
            contents += f"- [{subject}]({slug}.md)\n"
            text = f"# {subject}\n\n"
            for name, sentence, title in entries:
                contents += f"  - [{escape(title)}](example-{name.replace('/', '-')})\n"
                text += f"(example-{name.replace('/', '-')})=\n## {escape(title)}\n\n{escape(sentence)}\n\n"
                for picture in self.pictures[name]:
                    kind = "drawing" if picture.endswith("-drawing.svg") else "plot"
                    text += f"![{kind} of {name}](../pictures/{picture})\n\n"
                text += f"```sh\nboxtimes run netlists/{name}.xml --report report.html\n```\n\n" if self.reports else (
                    f"```sh\nboxtimes run netlists/{name}.xml -o run.csv\nboxtimes plot run.csv -o run.svg\n```\n\n"
                )
                text += f"{{download}}`{name}.xml <../netlists/{name}.xml>`\n\n"
            self.write(f"gallery/{slug}.md", text)
        shutil.copytree(self.source / "netlists", self.pages / "netlists")
        lines = "\n".join(slugs)
        self.write(
            "gallery/index.md",
            "# Gallery\n\nThe netlists that come with the program, by subject. Each run takes seconds.\n\n"
            f"{contents}\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n",
        )

    def describe_all(self):
        """Pairs of a component's name and its page."""
        parts = re.split(r"^\(component-([\w.-]+)\)=\n", self.run("describe", "--format", "md"), flags=re.M)
        return [(name, f"(component-{name})=\n{text}") for name, text in zip(parts[1::2], parts[2::2])]

    def print_components(self):
        domains = {}
        for name, text in self.describe_all():
            domain = re.search(r"^- \*domain\*: (.*)$", text, flags=re.M)[1]
            domains.setdefault(domain, []).append(name)
            example = re.search(r"^The netlist (\S+)\.xml, one of", text, flags=re.M)
            if example:
                stem = next((n for n in self.pictures if n.split("/")[-1] == example[1]), None)
                for picture in self.pictures.get(stem, []):
                    text += f"![{picture}](../pictures/{picture})\n\n"
                if stem:
                    text += f"It is also in the [gallery](example-{stem.replace('/', '-')}).\n"
            self.write(f"components/{name}.md", text)
        text = "# Components\n\nA page each: ports, parameters, equations as derived, an example.\n\n"
        for domain in sorted(domains):
            lines = "\n".join(sorted(domains[domain]))
            text += f"```{{toctree}}\n:maxdepth: 1\n:caption: {domain}\n\n{lines}\n```\n\n"
        self.write("components/index.md", text)

    def build(self):
        self.reports = "--report" in self.run("reference", "options", "run")
        for part in (
            self.copy_pages,
            self.print_scripts,
            self.link_netlists,
            self.copy_developers,
            self.print_structures,
            self.print_reference,
            self.print_gallery,
            self.print_components,
            self.call_sphinx,
        ):
            start = time.monotonic()
            part()
            print(f"  {part.__name__.replace('_', ' ')}: {time.monotonic() - start:.1f} s", flush=True)

    def call_sphinx(self):
        command = ["-m", "sphinx", "-b", "html", "-W", "-n", "-q", "--keep-going", "-j", "auto"]
        subprocess.run([sys.executable, *command, str(self.pages), str(self.html)], check=True)


def escape(text):
    return re.sub(r"([\\`*_{}\[\]<>#|$&~^])", r"\\\1", text)


def script_to_markdown(script, folder):
    """Lines that begin with "# " are prose, all others code; pictures that are not in the folder are left out."""
    parts = []
    for line in script.splitlines():
        if line.startswith("# SPDX"):
            continue
        prose = line == "#" or line.startswith("# ")
        picture = re.match(r"# !\[[^]]*\]\((.*)\)$", line)
        if picture and not (folder / picture[1]).exists():
            continue
        if not parts or (parts[-1][0] != prose and line):
            parts.append((prose, []))
        parts[-1][1].append(line[2:] if prose else line)
    texts = ["\n".join(lines).strip("\n") for _, lines in parts]
    return "\n\n".join(t if prose else f"```python\n{t}\n```" for (prose, _), t in zip(parts, texts) if t) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: build.py SOURCE BUILD TOOL")
    missing = missing_packages()
    if missing:
        sys.exit(f"make docs needs packages that are not installed:\n\n  apt-get install {' '.join(missing)}\n")
    source, build, tool = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    builder = Builder(source, build, str(tool))
    builder.build()
    subprocess.run([sys.executable, str(source / "docs" / "check_links.py"), str(builder.html)], check=True)
    pages = len(list(builder.html.rglob("*.html")))
    print(f"{pages} pages in {builder.html}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"make docs: {' '.join(map(str, error.cmd))} failed")
