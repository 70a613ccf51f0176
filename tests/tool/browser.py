# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens a report in headless Chromium: python3 browser.py CHROMIUM FILE.html [SCREENSHOT.png]

Drives the browser by its debugging pipe, zooms the first panel with the mouse and undoes it. Prints
lines "KEY VALUE": panels, the ranges of all panels before, after the zoom and after the double
click, messages of the console, requests beyond the file itself. Of an animation: bodies, lines,
frames, the first body at the start and at the end, the share of the canvas that is drawn on, and
whether the button plays, and drags turn the scene.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program, folder):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def pipes():  # the browser reads 3 and writes 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        os.set_inheritable(to_browser, True)
        os.set_inheritable(from_browser, True)
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", "--remote-debugging-pipe",
             "--user-data-dir=" + folder, "about:blank"],
            pass_fds=(3, 4, to_browser, from_browser), preexec_fn=pipes,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.next, self.events, self.session = b"", 1, [], None

    def receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.inp, 1 << 16)
            if not chunk:
                raise SystemExit("the browser has ended")
            self.buffer += chunk
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        message = {"id": self.next, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.next += 1
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression,
                         returnByValue=True)["result"].get("value")

    def mouse(self, kind, x, y, clicks=1):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1,
                  clickCount=clicks)


INK = ("(function () { var c = document.getElementById('scene'), d = document.createElement('canvas'), n = 0;"
       "d.width = c.width; d.height = c.height; var g = d.getContext('2d', {willReadFrequently: true});"
       "g.drawImage(c, 0, 0); var p = g.getImageData(0, 0, c.width, c.height).data;"
       "for (var i = 3; i < p.length; i += 4) n += p[i] > 0; return n / (c.width * c.height); })()")


def animation(b):
    for name in ("bodies", "lines", "frames"):
        print(name, b.value("boxtimesAnimation." + name))
    for time_ in ("-1", "1e9"):
        print("frame", b.value(f"boxtimesAnimation.show({time_})"))
        print("pose", b.value("JSON.stringify(boxtimesAnimation.pose(0))"))
        print("place", b.value("JSON.stringify(boxtimesAnimation.place(0))"))
        print("ink", b.value(INK))
    box = json.loads(b.value("JSON.stringify(document.getElementById('scene').getBoundingClientRect())"))
    x, y = box["left"] + 200, box["top"] + 200
    b.mouse("mousePressed", x, y)
    b.mouse("mouseMoved", x + 80, y + 30)
    b.mouse("mouseReleased", x + 80, y + 30)
    print("turned", b.value("JSON.stringify(boxtimesAnimation.place(0))"))
    b.value("document.getElementById('play').click()")
    print("plays", b.value("boxtimesAnimation.playing()"))
    first = b.value("document.getElementById('clock').textContent")
    for _ in range(100):
        time.sleep(0.05)
        if b.value("document.getElementById('clock').textContent") != first:
            break
    print("moves", b.value("document.getElementById('clock').textContent") != first)


RANGES = "JSON.stringify((window.boxtimesPanels || []).map(g => g.xAxisRange()))"


def main():
    program, path = sys.argv[1], os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        b = Browser(program, folder)
        target = b.call("Target.createTarget", url="about:blank")
        b.session = b.call("Target.attachToTarget", targetId=target["targetId"],
                           flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            b.call(domain + ".enable")
        url = "file://" + path
        b.call("Page.navigate", url=url)
        for _ in range(100):
            if b.value("document.readyState") == "complete" and b.value("location.href") == url:
                break
            time.sleep(0.05)
        print("title", b.value("document.title"))
        print("panels", b.value("(window.boxtimesPanels || []).length"))
        print("before", b.value(RANGES))
        place = json.loads(b.value(
            "(function () { var p = document.querySelector('.panel'); if (!p) return '[]';"
            "p.scrollIntoView(); var r = p.getBoundingClientRect();"
            "return JSON.stringify([r.left, r.top, r.width, r.height]); })()"))
        if place:
            y = place[1] + place[3] / 2
            a, z = place[0] + 0.4 * place[2], place[0] + 0.7 * place[2]
            b.mouse("mousePressed", a, y)
            b.mouse("mouseMoved", (a + z) / 2, y)
            b.mouse("mouseMoved", z, y)
            b.mouse("mouseReleased", z, y)
            print("zoomed", b.value(RANGES))
            for clicks in (1, 2):
                b.mouse("mousePressed", a, y, clicks)
                b.mouse("mouseReleased", a, y, clicks)
            print("after", b.value(RANGES))
        if b.value("!!window.boxtimesAnimation"):
            animation(b)
        print("markup", b.value("document.querySelectorAll('img, iframe, object, embed, link, h1 *')"
                                ".length"))
        print("wounds", b.value("String(window.wounds || 0)"))
        if len(sys.argv) > 3:
            size = b.call("Page.getLayoutMetrics")["cssContentSize"]
            picture = b.call("Page.captureScreenshot", captureBeyondViewport=True,
                             clip={"x": 0, "y": 0, "width": size["width"],
                                   "height": min(size["height"], 4000), "scale": 1})
            with open(sys.argv[3], "wb") as f:
                f.write(base64.b64decode(picture["data"]))
        for event in b.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.consoleAPICalled":
                print("message", params["args"])
            elif method == "Runtime.exceptionThrown":
                print("message", params["exceptionDetails"].get("text"),
                      params["exceptionDetails"].get("exception", {}).get("description"))
            elif method == "Log.entryAdded":
                print("message", params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"] != url:
                print("request", params["request"]["url"][:100])
        b.session = None
        b.call("Browser.close")
        b.process.wait(timeout=20)


main()
