# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: the program in a clean environment and an empty folder."""

import glob
import json
import os
import platform
import random
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

BUILD = os.environ.get("LITMUS_BUILD", os.path.abspath("build"))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(BUILD, "harness", "litmus")
# A program for Windows runs under Wine, which hands Vulkan on to the drivers of Linux: it has one
# driver of its own, for all of those.
WINDOWS = os.path.exists(PROGRAM + ".exe")
WRAPPER = [os.path.join(SOURCE, "tools", "cross", "wine")] if WINDOWS else []
PROGRAM += ".exe" if WINDOWS else ""
WINE_DRIVER = "C:/windows/system32/winevulkan.json"
FAULTS = os.path.join(BUILD, "tests", "faults")
FAULT = os.path.join(FAULTS, "fault.json")
FAULT_LIBRARY = "fault.dll" if WINDOWS else "fault.so"
CRASH = "exception 0xc0000005 (access violation)" if WINDOWS else "signal 11"
HOLLOW = os.path.join(FAULTS, "hollow.json")
SIMT = os.path.join(BUILD, "simt", "simt_icd.json")
SWIFTSHADER = "/usr/lib/chromium/vk_swiftshader_icd.json"
SECOND_LAVAPIPE = os.path.join(SOURCE, ".sdk/share/vulkan/icd.d/lvp_icd.json")

# Of reports.
FORMATS = ("text", "json", "junit", "csv", "markdown")
CONTRIB = os.path.join(SOURCE, "contrib")

# Sanitized and instrumented builds are slower. Drivers leak, and once unloaded have no name that a
# suppression could match.
SLOW = float(os.environ.get("LITMUS_SLOW", "1"))
OPENING = str(6 if WINDOWS else int(SLOW))  # seconds, enough to open a device
if "ASAN_OPTIONS" in os.environ:
    os.environ["ASAN_OPTIONS"] += ":detect_leaks=0"

# What litmus finds besides the system's programs: the SPIR-V tools that it was built with.
TOOLS = os.path.dirname(os.environ.get("LITMUS_SPIRV_AS", ""))
PATH = os.pathsep.join(filter(None, [TOOLS, "/usr/bin", "/bin"]))
if TOOLS:
    os.environ["PATH"] = TOOLS + os.pathsep + os.environ["PATH"]

# tools/check without --full runs a sample of what takes long, and each of these tests once: what
# unsanitized or about_lavapipe marks without sanitizers on lavapipe, all others on the simulator,
# which stands in for lavapipe, most of whose time is its compiler's; those of the files that
# tools/budgets.table has in its last column under sanitizers.
SAMPLE = os.environ.get("LITMUS_SAMPLE") == "1"
PART = os.environ.get("LITMUS_PART")  # "plain", "simulated", or all
full = unittest.skipIf(SAMPLE, "not in the sample: tools/check --full")
posix = unittest.skipIf(WINDOWS, "is about POSIX")


def summed(report):
    """A JSON report whose results were changed: its summary has their sums."""
    results, summary = report["results"], report["summary"]
    summary["configurations"] = len(results)
    for name in ("runs", "instances"):
        summary[name] = sum(result[name] for result in results)
    for name in summary["results"]:
        summary["results"][name] = sum(result["result"] == name for result in results)
    return report


def share_of(script):
    """Which share of a script's tests is drawn for the sample: tools/budgets.table says so."""
    if not SAMPLE or "LITMUS_SHARE" in os.environ:
        return float(os.environ.get("LITMUS_SHARE", "1")) if SAMPLE else 1
    stem = os.path.splitext(os.path.basename(script))[0]
    found = re.search(rf"^(?:e2e|html|validation)-{stem}(?: +\S+){{3}} +1/(\d+)$",
                      read(os.path.join(SOURCE, "tools", "budgets.table")), re.M)
    return 1 / int(found[1]) if found else 1


def drawn(what):
    """What draws a sample: another one for each commit, and the same each time that it is run."""
    return random.Random(f"{os.environ.get('LITMUS_SEED', '')} {what}")


def unsanitized(test):
    """Sanitizers would see nothing in this method or class, or make it too slow for the sample."""
    test.is_unsanitized = True
    return test


def sanitized(test):
    """This method of a class that is unsanitized is about what others wrote."""
    test.is_unsanitized = False
    return test


def never_sanitized(test):
    """This method or class does not hold under sanitizers, or does the same there."""
    return unsanitized(unittest.skipIf(SLOW > 1, "not under sanitizers")(test))


def about_lavapipe(test):
    """The simulator cannot stand in for lavapipe in this method or class."""
    return unsanitized(test)


def case(method, *arguments, **how):
    """A test that is one call of this method of its class."""
    return lambda test: getattr(test, method)(*arguments, **how)

# Two small configurations, alike but for the workgroup size: 64 and 128.
_VARIANT = ("shuffle.scan-loop/sync=workgroup-in-loop,reconvergence=default,form=variables,op=add,"
            "mode=inclusive,access=descriptor,pressure=none")
ONE = _VARIANT + "@workgroup=64*"
PAIR = (ONE, _VARIANT + "@workgroup=128*")


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return value


def id_of(name):
    """Of a configuration: FNV-1a of its name, folded to 32 bits."""
    value = fnv(name.encode())
    return f"{(value ^ value >> 32) & 0xffffffff:08x}"


def known_crashes(driver_info):
    """Patterns of what a driver is known to crash on, by what it says of itself: reports/findings/
    says more."""
    if "Mesa 22." in driver_info:
        return ("shuffle.types/op=first,type=number*", "loop-exit.types/op=first,type=f*")
    if "Mesa 25." in driver_info:
        luck = ("reconvergence.break-ballot/*",) if "(LLVM 19" in driver_info else ()
        return (*luck, "reconvergence.else-leaves/*leave=continue*",
                "cases.mesa-deep-selections/depth=128*")
    if "Mesa 26.1" in driver_info:
        return ("lookback.scan/*walk=lane*", "progress.handover/between=lanes*",
                "reconvergence.loop-not-entered/*")
    if "SwiftShader" in driver_info:
        return ("cases.slang-5894/through=memory*",)  # OpBitcast of a pointer
    return ()


def lavapipe():
    """The manifest of the system's lavapipe, or the one that tools/setup unpacked."""
    assert PART != "simulated", "a test that names lavapipe is about_lavapipe"
    found = sorted(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json"))
    if not found and os.path.exists(SECOND_LAVAPIPE):
        found = [SECOND_LAVAPIPE]
    if not found:
        raise unittest.SkipTest("no lavapipe is installed")
    return found[0]


def any_driver():
    """The manifest of a driver on which most tests pass."""
    return SIMT if PART == "simulated" else lavapipe()


def kernel(name):
    """The text of a file in kernels/, without the comments at the start of lines, of SPIR-V or GLSL;
    some have places for what differs."""
    with open(os.path.join(SOURCE, "tests", "e2e", "kernels", name), encoding="utf-8") as file:
        return "".join(line for line in file if not line.startswith((";", "//")))


def read(path, mode="r"):
    with open(path, mode, encoding=None if "b" in mode else "utf-8") as file:
        return file.read()


def edit(store, sql):
    """Changes a store by SQL, with its checksums and the identities of its devices. Returns how many
    rows the last statement changed."""
    tool = os.path.join(BUILD, "tests", "unit" + (".exe" if WINDOWS else ""))
    return int(subprocess.run([*WRAPPER, tool, "edit", store, sql], stdout=subprocess.PIPE,
                              check=True).stdout)


def cpu_of_children():
    """Of those that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def loader():
    """What links the Vulkan loader without its -dev package: this machine's, not another kind's."""
    found = glob.glob(f"/usr/lib/{platform.machine()}-*/libvulkan.so.1")
    found += glob.glob("/usr/lib*/libvulkan.so.1")
    if not found:
        raise unittest.SkipTest("no Vulkan loader is installed")
    return found[0]


class Result:
    """How a run of the program ended."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds
        self.cpu = None  # seconds of CPU time, which other work on the machine does not change

    def __str__(self):
        return f"code {self.code} after {self.seconds:.1f} s\n{self.out}\n{self.err}"


def screen_lines(markdown):
    """How many lines of 100 columns a page takes; code is never wrapped."""
    texts = re.sub(r"(?s)^(```+).*?^\1$", lambda code: "\n" * code[0].count("\n"), markdown,
                   flags=re.M)
    return sum(-(-len(line) // 100) or 1 for line in texts.splitlines())


class Case(unittest.TestCase):
    """A test with an empty folder of its own, in which the program runs."""

    maxDiff = None
    program = PROGRAM
    sets_clock = False  # all tests of a class
    clock = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="litmus-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.started = []
        self.addCleanup(self.stop_all)
        if self.sets_clock:
            self.set_clock()
        self.take_prepared()

    def set_clock(self):
        """From here on limits of time are those of a clock that stands still but for pass_time and
        the fault driver; not under Wine."""
        if not WINDOWS:
            self.clock = tempfile.NamedTemporaryFile(prefix="litmus-clock-", buffering=0)
            self.addCleanup(self.clock.close)
            self.clock.write(bytes(16))

    def pass_time(self, seconds, stopped=False):
        """Not while the fault driver does so too; `stopped`: as if nobody ran meanwhile."""
        if self.clock:
            at = 8 if stopped else 0
            value = int.from_bytes(os.pread(self.clock.fileno(), 8, at), sys.byteorder)
            value += int(seconds * 1e9)
            os.pwrite(self.clock.fileno(), value.to_bytes(8, sys.byteorder), at)

    def prepare(self):
        """Fills the folder of a test and sets attributes: once for all tests of the class that
        defines it and of those below; each gets a copy."""

    def take_prepared(self):
        made = next(of for of in type(self).__mro__ if "prepare" in vars(of))
        if "prepared" not in vars(made):
            before = set(vars(self))
            self.prepare()
            kept = tempfile.mkdtemp(prefix="litmus-e2e-")
            unittest.addModuleCleanup(shutil.rmtree, kept, ignore_errors=True)
            shutil.copytree(self.folder, kept, symlinks=True, dirs_exist_ok=True)
            made.prepared = kept, {name: value for name, value in vars(self).items()
                                   if name not in before}
        kept, attributes = made.prepared
        shutil.copytree(kept, self.folder, symlinks=True, dirs_exist_ok=True)
        vars(self).update(attributes)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
        return self.path(name)

    def read(self, name, mode="r"):
        return read(self.path(name), mode)

    def environment(self, fault=None, drivers=None, **more):
        """Nothing of the caller's environment but what sanitizers need. A value of None unsets."""
        if drivers is None:
            drivers = [FAULT if fault else any_driver()]
        kept = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_PRELOAD", "GCOV_PREFIX")
        values = {name: os.environ[name] for name in kept if name in os.environ}
        values.update(PATH=PATH, HOME=self.folder, LANG="C.UTF-8",
                      VK_DRIVER_FILES=":".join(drivers), VK_ICD_FILENAMES=":".join(drivers))
        if fault:
            values.update(LITMUS_FAULT=fault, LITMUS_FAULT_DRIVER=any_driver())
        values.update(more)
        if self.clock:
            values.update(LITMUS_CLOCK=self.clock.name)
        values = {name: value for name, value in values.items() if value is not None}
        return self.under_wine(values) if WINDOWS else values

    def under_wine(self, values):
        """What Vulkan's loaders read, that of Linux and that of the program, whose variables have
        another name outside."""
        of_linux = []
        for name in [name for name in values if name.startswith("VK_")]:
            mine = []
            for path in values.pop(name).split(":") if name.endswith("_FILES") else ():
                mine.append(self.in_wine(path))
                if mine[-1] == WINE_DRIVER:
                    of_linux.append(path)
            values["WINE" + name] = ";".join(dict.fromkeys(mine))
        values["VK_DRIVER_FILES"] = ":".join(dict.fromkeys(of_linux)) or lavapipe()
        values["LITMUS_WINE"] = os.path.join(BUILD, "wine")
        if values.get("LITMUS_FAULT_DRIVER"):
            values["LITMUS_FAULT_DRIVER"] = self.in_wine(values["LITMUS_FAULT_DRIVER"])
        return values

    def in_wine(self, manifest):
        own = manifest.startswith(BUILD + "/") or not os.path.exists(manifest)
        return "Z:" + manifest if own else WINE_DRIVER

    def start(self, *arguments, fault=None, drivers=None, cwd=None, stdout=subprocess.PIPE,
              preexec=None, **more):
        process = subprocess.Popen(
            [*WRAPPER, self.program, *arguments], env=self.environment(fault, drivers, **more),
            cwd=cwd or self.folder, stdin=subprocess.DEVNULL, stdout=stdout,
            stderr=subprocess.PIPE, preexec_fn=preexec, start_new_session=True)
        self.started.append(process)
        return process

    def finish(self, process, since, timeout=600):
        try:
            out, err = process.communicate(timeout=timeout * SLOW)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"still running after {timeout * SLOW:.0f} s\n{out}\n{err}")
        return Result(process.returncode, (out or b"").decode(errors="backslashreplace"),
                      err.decode(errors="backslashreplace"), time.monotonic() - since)

    def litmus(self, *arguments, timeout=600, code=None, **how):
        """Runs the program to its end, which has to be with the exit code, if one is given."""
        since, before = time.monotonic(), cpu_of_children()
        result = self.finish(self.start(*arguments, **how), since, timeout)
        result.cpu = cpu_of_children() - before
        if code is not None:
            self.assertEqual(result.code, code, result)
        return result

    def stop_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()

    # What a run left

    def report(self, store="litmus.db", *arguments):
        return json.loads(self.litmus("report", "--format", "json", "--db", store, *arguments,
                                      code=0).out)

    def contrib(self, script, *arguments, text=None, code=0, **more):
        """What a script of contrib/ prints, of a JSON report on stdin or without one."""
        done = subprocess.run([sys.executable, os.path.join(CONTRIB, script), *arguments],
                              cwd=self.folder, input=(text or "").encode(), capture_output=True,
                              env=self.environment(**{"LITMUS": self.program, **more}), check=False)
        result = Result(done.returncode, done.stdout.decode(), done.stderr.decode(), 0)
        self.assertEqual(result.code, code, result)
        return result

    def converted(self, script, *arguments, store="litmus.db"):
        """What a script makes of a store's newest session."""
        report = self.litmus("report", "-f", "json", "--db", store).out
        return self.contrib(script, *arguments, text=report).out

    def results(self, store="litmus.db"):
        """The results by the workgroup size of their configuration."""
        return {entry["params"]["workgroup"]: entry for entry in self.report(store)["results"]}

    def rows(self, query, store="litmus.db"):
        """What a store holds, read while it is being written too."""
        database = sqlite3.connect(f"file:{self.path(store)}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def validator(self, name):
        """Of docs/NAME.schema.json."""
        if not jsonschema:
            self.skipTest("python3-jsonschema is missing")
        schema = json.loads(read(os.path.join(SOURCE, "docs", name + ".schema.json")))
        jsonschema.Draft7Validator.check_schema(schema)
        return jsonschema.Draft7Validator(schema)

    def edit(self, sql, store="litmus.db"):
        return edit(self.path(store), sql)

    def wait_for(self, what, condition, timeout=600, passing=0):
        """Until the condition holds; `passing`: seconds on a clock that is set, at each look. Only
        a hang reaches the limit."""
        end = time.monotonic() + timeout * SLOW
        while time.monotonic() < end:
            try:
                value = condition()
            except sqlite3.OperationalError:
                value = None
            if value:
                return value
            self.pass_time(passing)
            time.sleep(0.05)
        self.fail(f"{what}: not seen within {timeout * SLOW:.0f} s")
        return None

    def finish_in_time(self, process, since):
        """Time passes until it ends."""
        self.wait_for("the end", lambda: process.poll() is not None, passing=1)
        return self.finish(process, since)

    def start_with_journal(self, *arguments, **how):
        """On the simulator, with a journal of what the device does."""
        return self.start(*arguments, fault="journal", LITMUS_FAULT_DRIVER=SIMT,
                          LITMUS_FAULT_JOURNAL=self.write("journal", ""), **how)

    def wait_for_work(self):
        self.wait_for("work", lambda: os.path.getsize(self.path("journal")) > 30)

    def out_of_time(self, *arguments, stores=True, **how):
        """A run on the simulator whose time is over when it has stored a batch, or, if it stores
        none, when the device has done some work. Less than what would be a hang."""
        self.set_clock()
        since = time.monotonic()
        process = self.start_with_journal(*arguments, "--time", "30", **how)
        if stores:
            self.first_batch()
        else:
            self.wait_for_work()
        self.pass_time(30)
        result = self.finish(process, since)
        self.assertEqual(result.code, 5, result)
        return result

    def cut_off(self, *arguments, **how):
        """A run that is killed after its first result."""
        process = self.start(*arguments, **how)
        self.wait_for("the first results", lambda: self.rows("SELECT 1 FROM result"))
        process.kill()
        process.communicate()

    def first_batch(self):
        """Batches are stored when the clock says so."""
        self.wait_for("the first batch", lambda: self.rows("SELECT 1 FROM result WHERE runs > 0"),
                      passing=0.02)

    def interrupt(self, process):
        """Sends SIGINT, and returns when the process has noticed it."""
        def is_pending():
            with open(f"/proc/{process.pid}/status") as file:
                pending = re.search(r"^ShdPnd:\s*(\w+)", file.read(), re.M)
            return int(pending[1], 16) >> (signal.SIGINT - 1) & 1
        process.send_signal(signal.SIGINT)
        self.wait_for("the signal's delivery", lambda: not is_pending())

    def workers_of(self, process):
        """The process ids of a supervisor's children, which its threads have started."""
        if WINDOWS:
            return self.workers_under_wine()
        found = []
        for path in glob.glob(f"/proc/{process.pid}/task/*/children"):
            try:
                with open(path) as file:
                    found += [int(word) for word in file.read().split()]
            except OSError:
                pass
        return found

    def workers_under_wine(self):
        """Those of this test's folder, for Linux: Wine's processes are nobody's children."""
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/cmdline", "rb") as line, open(path + "/environ", "rb") as values:
                    if (b"\0worker\0" in line.read()
                            and f"HOME={self.folder}".encode() in values.read().split(b"\0")):
                        found.append(int(os.path.basename(path)))
            except OSError:
                pass
        return found

    def end_worker(self, process):
        """As who looks after the machine does; under Wine by the name of the program, which must be
        this test's own."""
        if not WINDOWS:
            for worker in self.workers_of(process):
                os.kill(worker, signal.SIGKILL)
            return
        done = subprocess.run([*WRAPPER, os.path.join(FAULTS, "end_worker.exe"),
                               os.path.basename(self.program)], env=self.environment(),
                              capture_output=True, timeout=600, check=True)
        self.assertGreater(int(done.stdout), 0, done)

    def children_are_gone(self, workers):
        self.wait_for("the end of the workers",
                      lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), 15)

    def reproduce(self, out):
        """The words of the first command that a run prints to run a failure again."""
        return shlex.split(re.search(r"reproduce: ((?:.*\\\n)*.*)", out)[1].replace("\\\n", ""))

    # What holds for every way to end

    def run_bundle(self, name, code, settings="model=lockstep"):
        """Runs a reproducer on the simulator, in meson's environment. Returns all that it says."""
        ran = subprocess.run(
            ["sh", self.path(f"{name}/run")], capture_output=True, text=True,
            env={**os.environ, "CPPFLAGS": os.environ["LITMUS_VULKAN_CFLAGS"],
                 "VK_DRIVER_FILES": SIMT, "LITMUS_SIMT": settings})
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def assert_one_line(self, result, code, *words, by="litmus"):
        """An error: this exit code, one line on stderr that names all of `words`."""
        self.assertEqual(result.code, code, result)
        lines = result.err.strip().split("\n")
        self.assertEqual(len(lines), 1, result)
        self.assertTrue(lines[0].startswith(f"{by}: "), result)
        for word in words:
            self.assertIn(word, lines[0], result)
        self.assert_clean(result)

    def assert_all_in(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)

    def assert_clean(self, result):
        """Nothing in the output that a terminal would obey, no complaint of a sanitizer."""
        for text in (result.out, result.err):
            odd = sorted({character for character in text.replace("\n", "")
                          if not character.isprintable()})
            self.assertEqual(odd, [], result)
            self.assertNotIn("runtime error", text)
            self.assertNotIn("AddressSanitizer", text)

    def assert_ended_by(self, result, number):
        self.assertEqual(result.code, -number, result)


class Loader(unittest.TestLoader):
    """Finds the tests of the part that is run, and of the sample."""

    def getTestCaseNames(self, case):
        share = share_of(sys.argv[0])

        def is_drawn(name):
            full_name = f"{os.path.basename(sys.argv[0])} {case.__name__}.{name}"
            return drawn(full_name).random() < share

        def part(name):
            marked = getattr(getattr(case, name), "is_unsanitized",
                             getattr(case, "is_unsanitized", False))
            return "plain" if marked else "simulated"
        return [name for name in super().getTestCaseNames(case) if PART in (None, part(name))
                and is_drawn(name)]


def main(name="__main__"):
    """Runs the tests of the script of this name, if it is what was started."""
    if name != "__main__":
        return
    program = unittest.main(verbosity=1, testLoader=Loader(), exit=False)
    sys.exit(77 if program.result.testsRun == 0 else not program.result.wasSuccessful())
