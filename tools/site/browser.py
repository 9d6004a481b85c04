# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium without a network, which a program drives over two pipes by the DevTools protocol."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# No proxy listens there, so that nothing leaves the machine.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--proxy-server=127.0.0.1:9", "--disable-smooth-scrolling", "--remote-debugging-pipe", "about:blank"]
FAULTS = Path(__file__).with_name("faults.js").read_text(encoding="utf-8")
LOCAL = ("file:", "data:", "blob:", "about:")
SECONDS = 120  # for one command, on a loaded machine


class Browser:
    """One tab. Its methods wait until the browser has answered."""

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        reads, self.to = os.pipe()
        self.answers, writes = os.pipe()
        # The browser reads commands from descriptor 3 and writes to descriptor 4.
        shell = f"exec 3<&{reads} 4>&{writes}; exec \"$@\""
        self.process = subprocess.Popen(["/bin/bash", "-c", shell, "bash", CHROMIUM, f"--user-data-dir={self.home.name}", *FLAGS],
                                        pass_fds=(reads, writes), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(reads)
        os.close(writes)
        self.last, self.waiting, self.events, self.session = 0, b"", [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self.home.cleanup()

    def message(self):
        while b"\0" not in self.waiting:
            read = os.read(self.answers, 1 << 20)
            if not read:
                raise RuntimeError("Chromium ended")
            self.waiting += read
        line, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(line)

    def read_until(self, is_wanted):
        """Returns the first message that is wanted. Events before it are kept."""
        late = threading.Timer(SECONDS, self.process.kill)
        late.start()
        try:
            while True:
                message = self.message()
                if "method" in message:
                    self.events.append(message)
                if is_wanted(message):
                    return message
        finally:
            late.cancel()

    def send(self, method, **parameters):
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        answer = self.read_until(lambda message: message.get("id") == self.last)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def show_as(self, width, height, is_dark):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, url):
        """Opens a page, and returns when it has loaded."""
        self.events.clear()
        answer = self.send("Page.navigate", url=url)
        if "errorText" in answer:
            raise LookupError(f"{url}: {answer['errorText']}")
        self.wait_for(lambda event: event["method"] == "Page.lifecycleEvent" and event["params"]["name"] == "load" and
                      event["params"]["loaderId"] == answer["loaderId"])

    def follow(self, script):
        """Evaluates an expression that clicks a link and returns whether it did, and waits for the page."""
        self.events.clear()
        if not self.evaluate(script):
            raise LookupError(f"the page has no such link: {script}")
        self.wait_for(lambda event: event["method"] in ("Page.loadEventFired", "Page.navigatedWithinDocument"))

    def wait_for(self, is_wanted):
        """Waits for an event, and until the page is drawn."""
        if not any(map(is_wanted, self.events)):
            self.read_until(lambda message: "method" in message and is_wanted(message))
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, script):
        """Returns the value of an expression in the page, that of a promise when it is there."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", answer["exceptionDetails"]["text"]))
        return answer["result"].get("value")

    def faults(self, is_dark):
        """What a reader of the open page would see as wrong, and what it reported since open()."""
        return [*self.evaluate(f"{FAULTS}({json.dumps(is_dark)})"), *self.reported()]

    def reported(self):
        """The errors on the console, the files that were not found, and the requests to another host, since open()."""
        out = []
        for event in self.events:
            method, found = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                out.append(found["exceptionDetails"].get("exception", {}).get("description") or found["exceptionDetails"]["text"])
            elif method == "Runtime.consoleAPICalled" and found["type"] in ("error", "assert"):
                out.append(" ".join(str(each.get("value", each.get("description"))) for each in found["args"]))
            elif method == "Log.entryAdded" and found["entry"]["level"] == "error":
                out.append(f"{found['entry']['text']} {found['entry'].get('url', '')}")
            elif method == "Network.requestWillBeSent" and not found["request"]["url"].startswith(LOCAL):
                out.append(f"requests {found['request']['url']}")
        return out

    def picture(self):
        """The bytes of a PNG of the window."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
