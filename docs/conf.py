# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of Sphinx. Everything comes from installed packages; no page asks the network for anything."""
import html

project = "boxtimes"
author = "the boxtimes authors"
copyright = "the boxtimes authors, GPL-3.0-or-later"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist"]
# links to headings: [text](page.md#words-of-the-heading)
myst_heading_anchors = 3
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "titles_only": True}
html_static_path = ["_static"]
html_css_files = ["katex/katex.min.css", "boxtimes.css"]
html_js_files = ["katex/katex.min.js", "mathematics.js"]
html_show_sourcelink = False
html_copy_source = False
smartquotes = False
# XML, shell and plain text need no guesses
highlight_language = "text"
html_math_renderer = "katex"


def write_mathematics(tag, display):
    """A visitor that writes TeX as text; mathematics.js sets it."""

    def visit(translator, node):
        from docutils import nodes

        text = html.escape(node.astext())
        translator.body.append(f'<{tag} class="math" data-display="{display}">{text}</{tag}>')
        raise nodes.SkipNode

    return visit


def keep_titles(app, env):
    """Headings within pages leave the tables of contents. The menu shows titles only, but Sphinx copies these tables
    once for each page before it throws the headings away: two thirds of the time of a build."""
    from sphinx import addnodes

    for table in env.tocs.values():
        for title in table:
            if len(title) > 1:
                title[1][:] = list(title[1].findall(addnodes.toctree))


def setup(app):
    from pygments.lexers.special import TextLexer

    app.connect("env-updated", keep_titles)
    app.add_lexer("csv", TextLexer)  # tables in tutorials
    app.add_html_math_renderer(
        "katex", (write_mathematics("span", "no"), None), (write_mathematics("div", "yes"), None)
    )
