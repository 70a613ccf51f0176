#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the links of a folder of HTML: files and anchors exist, and nothing is loaded from the network."""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src"), ("object", "data")}


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value or "")
            elif tag == "a" and name == "href":
                self.links.append(value or "")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages, bad = {}, []
    for path in root.rglob("*.html"):
        pages[path] = Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    count = 0
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    bad.append(f"{path.relative_to(root)} loads {link}")
                continue
            count += 1
            target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if not target.exists():
                bad.append(f"{path.relative_to(root)}: {link}: there is no such file")
            elif parts.fragment and target in pages:
                if urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                    bad.append(f"{path.relative_to(root)}: {link}: there is no such anchor")
    for sheet in root.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        for url in re.findall(r"url\(\s*['\"]?([^'\")]+)", text):
            if re.match(r"(https?:)?//", url):
                bad.append(f"{sheet.relative_to(root)} loads {url}")
    print(f"{len(pages)} pages, {count} links checked, {len(bad)} bad")
    for line in bad:
        print("  " + line)
    sys.exit(1 if bad or not pages or not count else 0)


if __name__ == "__main__":
    main()
