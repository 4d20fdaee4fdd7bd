# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its DevTools protocol through two pipes: nothing listens on a
port, and nothing is needed but Python."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# What a test wants is the page, on any machine, as root, without a GPU and without the network.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
         "--host-resolver-rules=MAP * ~NOTFOUND")


class Failure(Exception):
    """The browser said that a command went wrong, or nothing at all."""


class Browser:
    """One browser process."""

    def __init__(self, patience=600):  # seconds that only a hang takes
        self.patience = patience
        self.folder = tempfile.mkdtemp(prefix="litmus-browser-")
        child_reads, self.writes = os.pipe()
        self.reads, child_writes = os.pipe()
        high = (os.dup2(child_reads, 100, True), os.dup2(child_writes, 101, True))

        def take_pipes():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=take_pipes, start_new_session=True)
        for number in (child_reads, child_writes, *high):
            os.close(number)
        self.buffer = b""
        self.number = 0
        self.events = []

    def close(self):
        try:
            self.send("Browser.close")
            self.process.wait(timeout=10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reads)
        os.close(self.writes)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, end):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reads], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.reads, 1 << 16) if ready else b""
            if not piece:
                raise Failure(f"the browser said nothing for {self.patience} s, or ended")
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def send(self, method, session=None, **parameters):
        """Sends a command and returns its result; events that come meanwhile are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self.writes, json.dumps(command).encode() + b"\0")
        end = time.monotonic() + self.patience
        while True:
            message = self.message(end)
            if message.get("id") != self.number:
                self.events.append(message)
            elif "error" in message:
                raise Failure(f"{method}: {message['error']['message']}")
            else:
                return message["result"]

    def page(self, width=1280, height=900, scheme="light", scripts=True):
        return Page(self, width, height, scheme, scripts)


class Page:
    """One tab."""

    def __init__(self, browser, width, height, scheme, scripts):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Performance.enable", timeDomain="threadTicks")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.media(scheme)
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def media(self, scheme, kind=""):
        self.send("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def wait(self, name):
        """Waits for an event of this page that has not been waited for before."""
        end = time.monotonic() + self.browser.patience
        while True:
            for event in self.browser.events:
                if event.get("method") == name and event.get("sessionId") == self.session:
                    self.browser.events.remove(event)
                    return event["params"]
            self.browser.events.append(self.browser.message(end))

    def open(self, path):
        result = self.send("Page.navigate", url="file://" + os.path.abspath(path))
        if "errorText" in result:
            raise Failure(result["errorText"])
        self.wait("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise Failure(result["exceptionDetails"].get("exception", {}).get("description", "?"))
        return result["result"].get("value")

    def cpu(self):
        """The CPU time of the page's main thread so far, in seconds."""
        metrics = self.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def press(self, key, times=1):
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        for _ in range(times):
            text = {"Enter": "\r", " ": " "}.get(key, "" if len(key) > 1 else key)
            for kind in ("keyDown", "keyUp"):
                self.send("Input.dispatchKeyEvent", type=kind, key=key,
                          windowsVirtualKeyCode=codes.get(key, ord(key[0])),
                          **({"text": text} if text and kind == "keyDown" else {}))

    def complaints(self):
        """What the console and the log said, and what was asked of anything but the page itself."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, parameters = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append("console: " + str(parameters["args"]))
            elif method == "Log.entryAdded":
                found.append("log: " + parameters["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if not address.startswith(("file:", "data:", "about:")):
                    found.append("request: " + address)
            elif method == "Page.javascriptDialogOpening":
                found.append("dialog: " + parameters["message"])
        return found

    def picture(self, path, clip=None, whole=False):
        """A screenshot; `clip` is (x, y, width, height)."""
        more = {}
        if clip:
            more["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        data = self.send("Page.captureScreenshot", format="png",
                         captureBeyondViewport=whole or clip is not None, **more)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=False)["data"])
