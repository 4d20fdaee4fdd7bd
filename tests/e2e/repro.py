# SPDX-License-Identifier: Apache-2.0
"""litmus repro: bundles that build, that assemble to the module, and that fail and pass where the
program does."""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import time

import amber
import harness

SPIRV_AS = os.environ.get("LITMUS_SPIRV_AS", "spirv-as")
GLSLANG = os.environ.get("LITMUS_GLSLANG", "glslangValidator")
HEADERS = os.environ.get("LITMUS_VULKAN_CFLAGS", "")

SCAN = ("shuffle.scan-loop/sync=none,reconvergence=default,form={form},op=add,mode=inclusive,"
        "access={access},pressure=none@workgroup=64")
LOOKBACK = ("lookback.scan/encoding={encoding},memory-model=vulkan,walk=lane,reconvergence=default"
            ",pressure=none@workgroup=128,elements={elements}")

# The model, the configuration, how many of its runs fail, how many give up: all or none, since a
# run's schedule is drawn anew.
ALL, NONE = True, False
CASES = {
    "equal": ("snooping", SCAN.format(form="variables", access="descriptor"), ALL, NONE),
    "address": ("snooping", SCAN.format(form="variables", access="address"), ALL, NONE),
    "glslang": ("lagging", SCAN.format(form="glslang", access="descriptor"), ALL, NONE),
    "right": ("lockstep", SCAN.format(form="variables", access="descriptor"), NONE, NONE),
    "tag": ("snooping", "loop.tail/tail=buffer,sync=none,reconvergence=default,pressure=none@"
                        "workgroup=128,elected=last,workers=1,iterations=16", ALL, NONE),
    "mask": ("peeling", "reconvergence.break-ballot/reconvergence=maximal@workgroup=64", ALL, NONE),
    "choice": ("relaxed", "memory.message-passing/sides=device,scope=exact,order=release-acquire,"
                          "data=atomic,place=buffer,memory-model=vulkan@workgroup=256,times=1,"
                          "stride=1,step=4099", ALL, NONE),
    "newer": ("lagging", "broadcast.id/read=broadcast-own,flow=uniform,source=active,sync=none,"
                         "reconvergence=default,pressure=none@workgroup=128,source-lane=last,"
                         "iterations=16", ALL, NONE),
    "array": ("miscompiling,uniform=1", "shuffle.descriptors/index=own,into=shuffle,flow=loop@"
                                        "workgroup=64", ALL, NONE),
    "wait": ("lockstep", "progress.spin-lock/form=after-loop,contenders=lanes@workgroup=128,"
                         "polls=4096", NONE, ALL),
    "state": ("tangled", LOOKBACK.format(encoding="word64", elements=1000), NONE, NONE),
}
FULL = ("address", "glslang", "right", "mask", "state")  # only in the full check
RUNS = 20


class Case(harness.Case):
    def command(self, *words, code=0, cwd=None, **more):
        environment = self.environment(**more)
        since = time.monotonic()
        process = subprocess.Popen(words, cwd=cwd or self.path("bundle"), env=environment,
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.started.append(process)
        out, err = process.communicate(timeout=120 * harness.SLOW)
        result = harness.Result(process.returncode, out, err, time.monotonic() - since)
        self.assertEqual(result.code, code, result)
        return result

    def build(self):
        self.command("make", "-s", f"CPPFLAGS={HEADERS}",
                     "CFLAGS=-std=c11 -O1 -Wall -Wextra -Werror", f"LDLIBS={harness.loader()} -lm")

    def bundle(self, name, *arguments, **how):
        result = self.litmus("repro", name, "-o", self.path("bundle"), *arguments, **how, code=0)
        self.assert_clean(result)
        return result

    def check_again(self, *arguments, besides=()):
        """Made of its facts the bundle is the same, but for the files `besides`."""
        self.litmus("repro", "--facts", os.path.join(self.path("bundle"), "facts.json"),
                    "-o", self.path("second"), *arguments, drivers=[], code=0)
        self.assertEqual(sorted(os.listdir(self.path("second"))), sorted(os.listdir(self.path("bundle"))))
        for name in os.listdir(self.path("second")):
            if name not in besides:
                with open(os.path.join(self.path("second"), name), "rb") as file:
                    made = file.read()
                if name == "ticket.md":  # which names the folder, of as many letters
                    made = made.replace(b"second", b"bundle")
                self.assertEqual(made, self.read(name), name)

    def read(self, name):
        return harness.read(os.path.join(self.path("bundle"), name), "rb")

    def counts(self, result):
        """Failed runs, judged runs, runs that gave up, as the reproducer prints them."""
        failed, judged = re.search(r"(\d+) of (\d+) runs failed", result.out).groups()
        gave_up = re.search(r"(\d+) more had an expired", result.out)
        return int(failed), int(judged), int(gave_up[1]) if gave_up else 0


class OnTheReferenceDriver(Case):
    """Bundles of every kind: they fail as the program did."""

    def check_assembly(self, entry):
        module = self.read("test.spv")
        self.assertEqual(hashlib.sha256(module).hexdigest(), entry["spirv_sha256"])
        self.assertEqual(self.read("test.spv.sha256").decode(),
                         entry["spirv_sha256"] + "  test.spv\n")
        if "form=glslang" in entry["name"]:
            self.assertEqual(self.litmus("show", "--source", entry["name"]).out,
                             self.read("test.comp").decode())
            self.assertIn(b"void main()", self.read("test.comp"))
            self.assertNotIn(b"#include", self.read("test.comp"))
            self.command(GLSLANG, "--target-env", "vulkan1.1", "-g0", "test.comp", "-o", "again.spv")
            self.assertEqual(self.read("again.spv"), module)
            return
        # test.spvasm is spirv-dis's, where there is one that knows the module.
        plain = self.read("test.spvasm").startswith(b"; SPIR-V\n")
        page = "annotated.spvasm" if plain else "test.spvasm"
        text = self.read(page).decode()
        shown = re.sub(r"(?m)^; bug .*\n| \(docs/[^)\n]*\)", "",
                       self.litmus("show", "--source", entry["name"]).out)
        self.assertEqual(shown.split(), text.split())
        self.assertIsNone(re.search(r"^#", text, re.M), "the preprocessor's lines are there")
        self.assertGreater(text.count("\n; "), 20, "the comments are gone")
        for file in {page, "test.spvasm"}:
            self.command(SPIRV_AS, "--target-env", self.target(), file, "-o", "again.spv")
            self.assertEqual(self.read("again.spv"), module, file)

    def target(self):
        """The version of SPIR-V that the bundle's Makefile assembles."""
        return re.search(r"^SPIRV = (spv1\.[35])$", self.read("Makefile").decode(), re.M)[1]

    def check_amber(self, name):
        path = os.path.join(self.path("bundle"), "test.amber")
        if name in ("address", "array"):
            self.assertFalse(os.path.exists(path))
            self.assertIn("There is no test.amber", self.read("README.md").decode())
            return
        script = amber.Script(self.read("test.amber").decode(), self.path("bundle"))
        self.assertGreater(len(script.runs), 0)
        facts = json.loads(self.read("facts.json"))
        for pipeline, groups in script.runs:
            made = script.pipelines[pipeline]
            self.assertEqual(groups[1:], [1, 1])
            self.assertEqual(made["size"], 8)
            self.assertTrue(made["full"])
            self.assertEqual(sorted(made["bindings"]), [0, 1, 2])
            self.assertEqual(len(script.buffers[made["push"]]), 8)
            self.assertEqual(set(script.buffers[made["bindings"][1]]), {0xC0DEDEAD})
            self.assertEqual(set(script.buffers[made["bindings"][2]]), {0})
            self.assertIn((made["bindings"][2], "EQ", 0, 0), script.expects)
        self.assertTrue(any(entry[0].startswith("output") for entry in script.expects))
        self.assertEqual(facts["configuration"]["name"].split("@")[1].split(",")[0].split("=")[0],
                         "workgroup")
        if "test" in script.shaders and name != "glslang":
            with open(os.path.join(self.path("bundle"), "amber.spvasm"), "wb") as file:
                file.write(script.shaders["test"])
            self.command(SPIRV_AS, "--target-env", self.target(), "amber.spvasm", "-o",
                         "amber.spv")
            self.assertEqual(self.read("amber.spv"), self.read("test.spv"))
        if amber.PLAYER:
            model, _, fails, gives_up = CASES[name]
            settings = f"model={model},subgroup=8,seed=7"
            code, out = amber.play(path, self.environment(drivers=[harness.SIMT],
                                                          LITMUS_SIMT=settings))
            self.assertEqual(code, int(fails or gives_up), out)

    def check(self, kind):
        model, name, fails, gives_up = CASES[kind]
        settings = f"{model},subgroup=8,seed=7"
        store = self.path("store.db")
        self.litmus("run", name + "*", "--simt", settings, "-n", str(RUNS), "--seed", "9", "-q",
                    "--db", store)
        entry, = self.report(store)["results"]
        measured = (entry["failed_runs"], entry["runs"] - entry["no_progress_runs"],
                    entry["no_progress_runs"])
        self.assertEqual(measured, (RUNS * (fails and not gives_up), RUNS * (not gives_up),
                                    RUNS * gives_up), entry)
        self.bundle(name, "--db", store, "--amber")
        # The facts do not say that the device was the simulator.
        self.check_again("--amber", besides=("README.md", "ticket.md"))
        self.check_assembly(entry)
        self.check_amber(kind)
        self.assertRegex(self.read("README.md").decode(), r"## Results\n(?s:.*)\n    litmus run ")
        self.build()
        result = self.command("./repro", drivers=[harness.SIMT], LITMUS_SIMT=f"model={settings}",
                              code=1 if fails else 125 if gives_up else 0)
        self.assertEqual(self.counts(result), measured)
        # Every instance of every run is accounted for, and failures are called the same.
        rows = re.findall(r"^ *(\d+) [ *] (.*)$", result.out, re.M)
        self.assertEqual(sum(int(count) for count, _ in rows), entry["instances"])
        self.assertLessEqual({word for _, word in rows} - {"varied"}, self.possible(entry))
        return result

    @staticmethod
    def possible(entry):
        """Outcomes of the mode: those that were seen, and those of rates too small for 20 runs."""
        return set(entry["outcomes"]) | {
            "right", "zero", "wrong", "not a tag", "wrong lane", "stale by 1", "stale by 2",
            "stale by 3", "stale by more than 3", "ahead by 1", "ahead by 2", "ahead by 3",
            "ahead by more than 3", "allowed", "empty", "split", "merged", "other lanes"}


for kind in CASES:
    test = harness.case("check", kind)
    setattr(OnTheReferenceDriver, "test_" + kind,
            harness.full(test) if kind in FULL else test)


class ItsCode(Case):
    """What the driver made of it, from the store or from the device."""

    NAME = SCAN.format(form="variables", access="descriptor")
    TWIN = NAME.replace("sync=none", "sync=control-each")

    def files(self):
        return {name for name in os.listdir(self.path("bundle")) if name.startswith("code")}

    def measure(self, *names, isa="failed"):
        self.litmus("run", *(name + "*" for name in names), "--simt", "snooping,subgroup=8",
                    "-n", "10", "-q", "--isa", isa, "--db", "store.db")

    def test_from_the_store_with_a_difference(self):
        self.measure(self.NAME, self.TWIN)
        self.bundle(self.NAME, "--db", "store.db", drivers=[])
        self.assertEqual(self.files(), {"code.txt", "code.bin", "code-statistics.txt",
                                        "code-difference.txt"})
        listing, readme = (self.read(name).decode() for name in ("code.txt", "README.md"))
        marked = [line for line in listing.split("\n") if line.startswith("> ")]
        self.assertEqual(len(marked), listing.count("= OpGroupNonUniform"))
        self.assertTrue(all("OpGroupNonUniform" in line for line in marked), listing)
        difference = self.read("code-difference.txt").decode()
        self.assertIn("sync=control-each", difference.split("\n")[0])
        self.assertRegex(difference, r"(?m)^-.*OpControlBarrier")
        self.assertNotRegex(difference, r"(?m)^\+ ")
        self.assertIn("sync=control-each (0 of 10 runs)", readme)
        for name in self.files():
            self.assertIn(f"| {name} | {len(self.read(name)):,} |", readme)

    def test_the_same_of_its_facts(self):
        """The code that was measured is copied, and the bundle's own seed and runs are kept."""
        self.measure(self.NAME, self.TWIN)
        self.bundle(self.NAME, "--db", "store.db", "--seed", "3", "-n", "5", drivers=[])
        self.assertEqual(len(self.files()), 4)
        self.check_again(besides=("README.md", "ticket.md"))

    def test_from_the_device(self):
        """The store has none; the device is the SIMT simulator, which is always here."""
        self.measure(self.NAME, isa="none")
        self.bundle(self.NAME, "--db", "store.db")
        self.assertEqual(self.files(), {"code.txt", "code.bin", "code-statistics.txt"})
        self.assertIn("OpGroupNonUniformShuffleUp", self.read("code.txt").decode())

    def test_of_what_was_not_measured(self):
        self.bundle(self.NAME, "--simt", "lockstep")
        self.assertIn("OpGroupNonUniformShuffleUp", self.read("code.txt").decode())

    @harness.about_lavapipe
    def test_of_a_driver_that_gives_none(self):
        name = OnLavapipe.RIGHT
        self.litmus("run", name + "*", "-n", "1", "-q", "--db", "store.db")
        self.bundle(name, "--db", "store.db")
        self.assertEqual(self.files(), set())
        self.assertIn("There is no code: ", self.read("README.md").decode())

    @harness.about_lavapipe
    def test_of_a_device_that_is_not_here(self):
        self.litmus("run", OnLavapipe.RIGHT + "*", "-n", "1", "-q", "--db", "store.db")
        self.bundle(OnLavapipe.RIGHT, "--db", "store.db", drivers=[harness.SIMT])
        self.assertIn("There is no code: the store has none, and the device is not here.",
                      self.read("README.md").decode())


@harness.about_lavapipe
class OnLavapipe(Case):
    """A failure that a real driver is known for, reports/findings/, and its twin."""

    FAILS = ("barrier.memory-is-no-rendezvous/order=memory-barrier,chosen=first"
             "@workgroup=128,rounds=16")
    RIGHT = "barrier.memory-is-no-rendezvous/order=none,chosen=first@workgroup=128,rounds=16"

    def run_both(self, name, driver):
        store = self.path("store.db")
        self.litmus("run", name + "*", "-n", str(RUNS), "-q", "--db", store, drivers=[driver])
        entry, = self.report(store)["results"]
        self.bundle(name, "--db", store)
        self.check_again(besides=("README.md",))
        with open(os.path.join(self.path("second"), "README.md"), "rb") as file:
            self.assertEqual(self.without_code(file.read()), self.without_code(self.read("README.md")))
        self.build()
        result = self.command("./repro", drivers=[driver], code=1 if entry["failed_runs"] else 0)
        self.assertEqual(self.counts(result)[0], entry["failed_runs"], result)
        return entry

    @staticmethod
    def without_code(readme):
        return re.sub(rb"## Compiled code\n\nThere is no code: .*\n\n", b"", readme)

    def test_a_known_failure(self):
        entry = self.run_both(self.FAILS, harness.lavapipe())
        info = json.loads(self.read("facts.json"))["device"]["driver_info"]
        if "Mesa 22.3.6" in info:
            self.assertEqual(entry["failed_runs"], RUNS)

    def test_what_is_right(self):
        entry = self.run_both(self.RIGHT, harness.lavapipe())
        self.assertEqual(entry["failed_runs"], 0)

    @harness.full
    def test_another_lavapipe(self):
        if not os.path.exists(harness.SECOND_LAVAPIPE):
            self.skipTest("there is no second lavapipe")
        self.run_both(self.RIGHT, harness.SECOND_LAVAPIPE)

    def test_a_device_that_lacks_something(self):
        """The bundle is of a device that can choose 32; lavapipe cannot."""
        name = SCAN.format(form="variables", access="descriptor") + ",subgroup=32"
        self.bundle(name, "--simt", "lockstep,subgroup=32")
        self.assertIn("Not measured", self.read("README.md").decode())
        self.build()
        result = self.command("./repro", code=125)
        self.assertIn("the device lacks subgroups of 32\n", result.out)

    def test_its_usage(self):
        self.bundle(self.RIGHT)
        self.build()
        self.command("./repro", "-n", code=2)
        self.command("./repro", "-n", "x", code=2)
        self.command("./repro", "-d", "0", code=2)
        listed = self.command("./repro", "-l").out
        self.assertRegex(listed, r"(?m)^1: .*, driver \S.*, driver UUID [0-9a-f]{32}, .*measured")
        self.assertNotIn("0: ", listed)
        self.assertIn("of 3 runs", self.command("./repro", "-n", "3", "-d", "1").out)
        self.assertIn("no device 7", self.command("./repro", "-d", "7", code=2).err)
        os.truncate(os.path.join(self.path("bundle"), "expected.bin"), 8)
        self.assertIn("expected.bin", self.command("./repro", code=125).err)


class OnTheSimulator(Case):
    """What a bundle is used for, with the SIMT simulator as the driver."""

    NAME = SCAN.format(form="variables", access="descriptor")
    TWIN = NAME.replace("sync=none", "sync=control-each")

    def prepare(self):
        self.litmus("repro", self.NAME, "-o", self.path("bundle"), "-n", "5", "--simt",
                    "snooping,subgroup=8,seed=7")
        self.build()

    def repro(self, *words, model="snooping", program=("./repro",), drivers=(harness.SIMT,), **how):
        return self.command(*program, *words, drivers=drivers,
                            LITMUS_SIMT=f"model={model},subgroup=8,seed=7", **how)

    # Two drivers of one vendor and device id

    def both(self, *words, first="SIMT", **how):
        """A driver that says that it is another version, and the simulator."""
        drivers = [harness.FAULT, harness.SIMT]
        return self.repro(*words, drivers=drivers[::-1] if first == "SIMT" else drivers,
                          LITMUS_FAULT="other-version", LITMUS_FAULT_DRIVER=harness.SIMT, **how)

    def test_the_named_driver_of_two(self):
        for first in ("SIMT", "FAULT"):
            with self.subTest(first):
                result = self.both(first=first, code=1)
                self.assertRegex(result.out, r"(?m)^device [12]: .*model snooping.*, driver UUID "
                                             r"[0-9a-f]{32}, .*, the measured driver$")
                self.assertNotIn("THIS IS NOT", result.out)
        self.assertIn("Mesa 99.9.9", self.both("-l").out)

    def test_another_driver_is_said_loudly(self):
        result = self.repro(drivers=[harness.FAULT], LITMUS_FAULT="other-version",
                            LITMUS_FAULT_DRIVER=harness.SIMT, code=1)
        self.assertRegex(result.out, r"(?m)^THIS IS NOT THE MEASURED DRIVER, which was .*snooping")
        self.assertIn("driver Mesa 99.9.9", result.out)

    def test_it_cannot_tell(self):
        """The wrapper without a fault says what the simulator says."""
        drivers = {"drivers": [harness.SIMT, harness.FAULT], "LITMUS_FAULT_DRIVER": harness.SIMT}
        for model, line in (("snooping", "the measured driver"), ("tangled", "THIS IS NOT")):
            result = self.repro(model=model, code=125, **drivers)
            self.assertRegex(result.out, "(?m)^CANNOT TELL which of these devices .* with -d:$"
                                         "\n  1: .*\n  2: ")
            self.assertIn(line, result.out)
        self.repro("-d", "2", code=1, **drivers)

    def test_no_driver_at_all(self):
        self.repro(drivers=[harness.HOLLOW], code=125)

    # Exit codes for git bisect

    def test_script(self):
        run = ("sh", "bundle/run")
        for model, code in (("lockstep", 0), ("snooping", 1), ("nothing", 125)):
            self.repro("-n", "3", model=model, program=run, cwd=self.folder, code=code)
        self.repro("-x", program=run, cwd=self.folder, code=125)
        result = self.repro(program=run, cwd=self.folder, drivers=[harness.FAULT], code=1,
                            LITMUS_FAULT="crash-on=any", LITMUS_FAULT_DRIVER=harness.SIMT)
        self.assertIn("the driver crashed: signal", result.out)
        self.assertIn("Error 125", self.repro("-d", "1", model="nothing", program=("make", "run"),
                                              code=2).err)

    def test_git_bisect(self):
        """The driver of each commit is a model; one of them does not work at all."""
        if not os.path.exists("/usr/bin/git"):
            self.skipTest("git is not installed")
        tree = self.path("driver")
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", tree)
        os.mkdir(tree)
        self.repro("init", "-q", program=git, cwd=self.folder)
        models = ["lockstep", "tangled", "lockstep", "nothing", "tangled", "snooping", "snooping"]
        for number, model in enumerate(models):
            self.write("driver/model", model)
            self.write("driver/number", str(number))
            self.repro("add", ".", program=git, cwd=self.folder)
            self.repro("commit", "-q", "-m", f"{number}: {model}", program=git, cwd=self.folder)
        self.repro("bisect", "start", "HEAD", "HEAD~6", program=git, cwd=self.folder)
        result = self.repro("bisect", "run", "sh", "-c", "LITMUS_SIMT=model=$(cat model),subgroup=8 "
                            "sh ../bundle/run -n 3", program=git, cwd=self.folder)
        self.assertRegex(result.out, r"is the first bad commit\n(.*\n)+.*5: snooping")
        self.assertNotIn("3: ", result.out.split("is the first bad commit")[1])

    # Other modules and limits

    def test_another_module(self):
        self.repro(code=1)
        os.rename(self.path("bundle"), self.path("kept"))
        self.bundle(self.TWIN, "--simt", "snooping,subgroup=8")
        other = os.path.join(self.path("bundle"), "test.spv")
        result = self.repro("-m", other, program=(self.path("kept/repro"),), cwd=self.path("kept"))
        self.assertIn("0 of 5 runs failed", result.out)
        self.assertIn("absent.spv", self.repro("-m", "absent.spv", code=125,
                                               program=(self.path("kept/repro"),),
                                               cwd=self.path("kept")).err)

    def test_limits(self):
        fault = {"LITMUS_FAULT": "max-subgroups=4", "LITMUS_FAULT_DRIVER": harness.SIMT}
        result = self.repro(drivers=[harness.FAULT], code=125, **fault)
        self.assertIn("maxComputeWorkgroupSubgroups is 4", result.out)
        # And the program: measured, and not measured.
        how = {"fault": "max-subgroups=4", "LITMUS_FAULT_DRIVER": harness.SIMT,
               "LITMUS_SIMT": "subgroup=8"}
        lines = [self.litmus("repro", self.NAME, "-o", self.path("other"), **how)]
        self.litmus("run", self.NAME + "*", "-n", "1", "-q", "--db", "store.db", **how, code=77)
        lines.append(self.litmus("repro", self.NAME, "-o", self.path("other"), "--db", "store.db",
                                 **how))
        for result in lines:
            self.assert_one_line(result, 77, "it cannot run on", "maxComputeWorkgroupSubgroups 4")
            self.assertFalse(os.path.exists(self.path("other")))


class Benchmarks(Case):
    """Their kernels in bundles."""

    def check(self, row, model, code):
        self.bundle("bench:" + row, "--simt", f"{model},subgroup=8", "-n", "3")
        self.build()
        facts = json.loads(self.read("facts.json"))["configuration"]
        self.assertTrue(facts["name"].startswith(f"bench:{row}@elements=4096"), facts)
        self.assertIsNone(facts["expectation"])
        self.assertEqual(hashlib.sha256(self.read("test.spv")).hexdigest(), facts["sha256"])
        self.command(SPIRV_AS, "--target-env", "spv1.3", "test.spvasm", "-o", "again.spv")
        self.assertEqual(self.read("again.spv"), self.read("test.spv"))
        result = self.command("./repro", drivers=[harness.SIMT],
                              LITMUS_SIMT=f"model={model},subgroup=8", code=code)
        self.assertEqual(self.counts(result), (3 if code else 0, 3, 0))

    def test_a_scan(self):
        self.check("subgroup/emulated/none/items=1/workgroup=256", "lockstep", 0)

    def test_a_scan_that_fails(self):
        self.check("workgroup/emulated/none/items=4/workgroup=256", "snooping", 1)

    def test_a_lookback(self):
        self.check("held=4/shared=0/looks=2/lanes=32/encoding=word64/order=ticket/edge=branch/"
                   "stage=whole/fence=device/workgroup=128", "lockstep", 0)

    def test_a_lookback_of_64_bits_and_one_of_segments(self):
        for encoding, operation in (("split64", "add64"), ("word64", "segmented")):
            with self.subTest(operation):
                self.check(f"held=4/shared=0/looks=4/lanes=32/encoding={encoding}/order=fallback/"
                           "edge=branch/stage=whole/fence=device/"
                           f"operation={operation}/result=inclusive/workgroup=128", "lockstep", 0)
                shutil.rmtree(self.path("bundle"))

    def test_a_lookback_that_does_the_work_of_others(self):
        """No tile's sum is published but by those who look for it, who are together behind that."""
        self.bundle("bench:held=4/shared=0/looks=4/lanes=32/encoding=word64/order=fallback/"
                    "edge=branch/stage=whole/fence=device/operation=segmented/result=inclusive/"
                    "workgroup=64@elements=16384", "--simt", "tangled,subgroup=8")
        self.build()
        files = os.listdir(self.path("bundle"))
        source = self.read("annotated.spvasm" if "annotated.spvasm" in files else "test.spvasm").decode()
        for before, after in (("%patience = OpConstant %uint 0x1FF\n",
                               "%patience = OpConstant %uint 0\n"),
                              ("%alone_tag = OpBitwiseOr %uint %tag_begin %alone_kind\n",
                               "%alone_tag = OpBitwiseOr %uint %tag_begin %nothing\n")):
            self.assertEqual(source.count(before), 1)
            source = source.replace(before, after)
        self.write("bundle/others.spvasm", source)
        self.command(SPIRV_AS, "--target-env", "spv1.3", "others.spvasm", "-o", "others.spv")
        result = self.command("./repro", "-m", "others.spv", "-n", "20", drivers=[harness.SIMT],
                              LITMUS_SIMT="model=tangled,subgroup=8,threads=1")
        self.assertEqual(self.counts(result), (0, 20, 0))

    @harness.full
    def test_limits_and_copies(self):
        for row in ("limit/shuffles/chains=8", "limit/adds/chains=1", "limit/copy",
                    "copy/vectors=4/workgroup=64"):
            with self.subTest(row):
                self.check(row, "tangled", 0)
                shutil.rmtree(self.path("bundle"))

    def test_refusals(self):
        row = "bench:subgroup/native/none/items=1/workgroup=256"
        for name, *words in ((row.replace("native", "natve"), "did you mean"),
                             (row + "@elements=5000", "power of two"),
                             (row + "@elements=12", "from 4096"), (row + "@loops=x", "loops=N"),
                             (row + "@workgroup=1", "elements=N")):
            result = self.litmus("repro", name, "--simt", "lockstep", "-o", self.path("bundle"))
            self.assert_one_line(result, 2, *words)
        self.assert_one_line(self.litmus("repro", row, "--db", "store.db"), 2, "for tests")
        self.assert_one_line(self.litmus("repro", row, "--simt", "lockstep,subgroup=2"), 77,
                             "cannot run", "4 to 128")


class Refusing(Case):
    """One line, exit code 2, and nothing written."""

    RIGHT = OnLavapipe.RIGHT

    def refuse(self, *arguments, code=2, words=(), **how):
        result = self.litmus("repro", *arguments, "-o", self.path("bundle"), **how)
        self.assert_one_line(result, code, *words)
        self.assertEqual(glob.glob(self.path("bundle*")), [])

    def test_usage(self):
        self.refuse(words=["missing configuration"])
        self.refuse(self.RIGHT, self.RIGHT, words=["one configuration"])
        self.refuse("shuffle.scan-lop", words=["shuffle.scan-loop"])
        self.refuse(self.RIGHT, "--db", "absent.db", words=["absent.db"])

    def test_a_folder_that_is_there(self):
        os.mkdir(self.path("bundle"))
        self.write("bundle/mine", "x")
        result = self.litmus("repro", self.RIGHT, "-o", self.path("bundle"))
        self.assert_one_line(result, 2, "not empty")
        self.assertEqual(os.listdir(self.path("bundle")), ["mine"])
        os.remove(self.path("bundle/mine"))
        self.bundle(self.RIGHT)

    def test_folders_above(self):
        self.litmus("repro", self.RIGHT, "-o", "a/b/c/", code=0)
        self.assertIn("repro.c", os.listdir(self.path("a/b/c")))
        self.write("file", "x")
        self.assert_one_line(self.litmus("repro", self.RIGHT, "-o", "file/b"), 2, "file/b")

    def test_another_module(self):
        store = self.path("store.db")
        self.litmus("run", self.RIGHT + "*", "-n", "1", "-q", "--db", store)
        self.edit("update result set sha256 = '" + "0" * 64 + "'", store)
        self.refuse(self.RIGHT, "--db", store, words=["another module", "000000000000"])

    def test_facts(self):
        finding = os.path.join(harness.SOURCE, "reports", "findings", "lavapipe-22.3.6-loop-limit")
        text = harness.read(os.path.join(finding, "facts.json"))
        self.write("facts.json", text)
        for words, *arguments in (
                (["--facts says", "--seed"], "-n", "3"), (["--facts says"], "--db", "store.db"),
                (["another configuration: barrier.long-loop/form=one@"], self.RIGHT),
                (["one configuration"], self.RIGHT, self.RIGHT)):
            self.refuse("--facts", "facts.json", *arguments, words=words)
        self.refuse("--facts", "absent.json", words=["absent.json: No such file"])
        for old, new, *words in (
                ("litmus-repro/1", "litmus-report/1", "not the facts.json of a bundle"),
                ("}\n}\n", "}\n", "invalid JSON at line"),
                ('"wrong": 8000', '"stale by 1": 8000', "'stale by 1' is not one of its outcomes"),
                ('"sha256": "f35a', '"sha256": "0123', "another module", "0123"),
                ("barrier.long-loop", "barrier.long-lop", "the nearest is"),
                ('"subgroup_size": 8', '"subgroup_size": 0', "subgroup sizes"),
                ('"failed_runs": 1000', '"failed_runs": 1001', "contradicts itself"),
                ('"outcome": "wrong"', '"outcome": "lost"', "'lost' is not one of its outcomes"),
                ('"result": "fail"', '"result": "failed"', "'result' is unknown"),
                ('"measured": {', '"measured": null, "other": {', "nothing was measured"),
                ('"driver_uuid": "', '"driver_uuid": "x', "'driver_uuid' is not a UUID")):
            self.assertIn(old, text)
            self.write("facts.json", text.replace(old, new, 1))
            self.refuse("--facts", "facts.json", words=["facts.json", *words])

    def test_not_measured_here(self):
        store = self.path("store.db")
        self.litmus("run", self.RIGHT + "*", "-n", "1", "-q", "--db", store)
        self.refuse(OnLavapipe.FAILS, "--db", store, words=["no result"])
        self.refuse(self.RIGHT, "--db", store, "-d", "nothing", words=["on that device"])


if __name__ == "__main__":
    harness.main()
