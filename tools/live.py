#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds the live page (docs/live and, as WebAssembly, examples/live) as build/docs/html/live, and tests it in Chromium without a window: the
counters are those of a native program, slider and keyboard work, a slow machine gets fewer entities, the walks are measured, 360 pixels are wide
enough, a text stands where WebAssembly is missing. Guide and reference are no wider than a phone, and lead here. Pictures are in build/live."""
import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading

from headers import ROOT, arguments

sys.path.append(str(ROOT / "tools" / "verify"))
import proof  # noqa: E402

OUT, WORK = ROOT / "build" / "docs" / "html" / "live", ROOT / "build" / "live"
MODULE = ["--target=wasm32-wasi", "-stdlib=libc++", "-fno-exceptions", "-fno-rtti", "-O3", "-flto", "-msimd128", "-mbulk-memory", "-nostartfiles",
          "-Wl,--no-entry,--strip-all,--export=__wasm_call_ctors"]  # without the last, each exported function would also end the C library, with imports


def build():
    """The line that the native program prints."""
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "live", OUT)
    WORK.mkdir(parents=True, exist_ok=True)
    common = ["-std=c++20", f"-I{proof.INCLUDE}", *(ROOT / "examples" / "live").glob("*.cpp"), "-o"]
    proof.must([proof.clang(), *MODULE, *common, OUT / "live.wasm"], "live.wasm does not compile")
    proof.must([proof.gcc(), "-O2", *common, WORK / "live"], "examples/live does not compile")
    return subprocess.run([WORK / "live"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout.splitlines()[0]


def browser():
    sys.path.append("/usr/lib/python3/dist-packages")  # of the system's Python, if this is another: searched last
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        sys.exit("live: built, not tested; on Debian: apt-get install chromium chromium-driver python3-selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), "chromium")
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1600"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def test(page, url, native):
    """What the walks took, as the page says it."""
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait

    def element(name):
        return page.find_element("css selector", name)

    def until(condition, what):
        WebDriverWait(page, 120, 0.2).until(lambda _: condition(), f"live: {what}")

    def counters():
        return [int(element(f"#{name}").text.replace(",", "")) for name in ("entities", "frames", "eaten", "stale", "mistaken")]

    page.get(f"{url}?seed=1&entities=50000&frames=300&limit=100000")
    until(lambda: element("#run").text == "Run", "the picture has not come to frame 300")
    assert counters() == [int(each) for each in re.findall(r"\d+", native)], f"the page counts {counters()}, the program {native}"
    element("#size").send_keys(Keys.ARROW_RIGHT)
    assert counters()[0] == 60000, f"{counters()[0]} entities after a key on the slider"
    element("canvas").send_keys(Keys.ARROW_DOWN, Keys.ESCAPE)
    page.get(f"{url}?entities=500000&limit=0")
    until(lambda: "lowered to 10,000." in element("#lowered").text and counters()[0] == 10000, "entities are not lowered")
    page.get(f"{url}?measure=1&rounds=3")
    until(lambda: element("#progress").text == "" and element("#measure").is_enabled(), "the measurement does not end")
    walks = [each.text for each in page.find_elements("css selector", "td")]
    assert len(walks) == 6 and all(float(each.removesuffix(" ns")) > 0 for each in walks), walks
    page.save_screenshot(f"{WORK}/light.png")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.save_screenshot(f"{WORK}/dark.png")
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 1500, "deviceScaleFactor": 2, "mobile": True})
    assert page.execute_script("return document.documentElement.scrollWidth") <= 360, "the page is wider than a phone"
    page.save_screenshot(f"{WORK}/phone.png")
    page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.WebAssembly"})
    page.get(url)
    assert "need JavaScript and WebAssembly" in element("#state").text and not element("#world").is_displayed(), "no text without WebAssembly"
    errors = [each["message"] for each in page.get_log("browser")]
    assert not errors, errors
    return walks


def test_site(page, url):
    """MkDocs has checked the links between pages. The number of pages."""
    files = {url + path.relative_to(OUT.parent).as_posix().removesuffix("index.html"): path.stat().st_size for path in OUT.parent.rglob("index.html")}
    reference = sorted((each for each in files if "/reference/" in each), key=files.get)
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 1500, "deviceScaleFactor": 2, "mobile": True})
    for each in [*reference[-20:], *(each for each in files if each not in reference)]:
        page.get(each)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 360, f"{each} is wider than a phone"
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.get(url)
    for name in ("Live", "Guide and reference"):
        page.get(next(each.get_attribute("href") for each in page.find_elements("css selector", "a") if name in each.get_attribute("textContent")))
    assert page.current_url == f"{url}index.html", "the live page and the site do not lead to each other"
    return len(files)


def main():
    arguments(__doc__).parse_args()
    native = build()
    http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(http.server.SimpleHTTPRequestHandler, directory=OUT.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page, url = browser(), f"http://127.0.0.1:{server.server_port}/"
    try:
        pages = test_site(page, url)
        walks = test(page, url + "live/", native)
    finally:
        page.save_screenshot(f"{WORK}/last.png")
        page.quit()
    print(f"live: build/docs/html/live, {(OUT / 'live.wasm').stat().st_size // 1024} KiB of WebAssembly; {native}; walks {', '.join(walks)}; {pages} pages, no console error")


if __name__ == "__main__":
    main()
