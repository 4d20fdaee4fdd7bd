# SPDX-License-Identifier: Apache-2.0
"""The SIMT simulator as every Vulkan program sees it: through the loader, named in
VK_DRIVER_FILES, set by LITMUS_SIMT, and not there unless it is named."""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

import harness

MODELS = ("lockstep", "tangled", "snooping", "lagging", "peeling", "relaxed", "unfair", "faulty",
          "miscompiling")
SETTINGS = ("model", "seed", "subgroup", "threads", "resident", "schedule", "depth", "fault",
            "rate", "at", "bounds", "trace")
FAULTS = ("wrong", "lost", "hang", "crash", "memory", "nothing", "properties")

# A wrong LITMUS_SIMT, and words of what would be right.
WRONG = {
    "modle=tangled": SETTINGS,
    "model": MODELS,
    "model=": MODELS,
    "model=Tangled": MODELS,
    "model=tangled,": SETTINGS,
    "seed=-1": ("seed", "64 bits", "0x"),
    "seed=18446744073709551616": ("seed", "64 bits"),
    "subgroup=48": ("subgroup", "power of two", "1 to 128"),
    "subgroup=256": ("subgroup", "power of two", "1 to 128"),
    "threads=0": ("threads", "1 to 64"),
    "resident=65": ("resident", "1 to 64"),
    "schedule=fare": ("random", "priority", "hsa-obe"),
    "depth=x": ("depth", "1 to 64"),
    "model=faulty,fault=all": FAULTS,
    "rate=1.5": ("rate", "0 to 1"),
    "at=0": ("at=", "from 1"),
    "bounds=none": ("lost", "report"),
    "check=race": ("races", "uninitialised"),
    "as=opengl": ("compute", "webgpu"),
    "trace=": ("trace", "file"),
    "devices=2,trace=x": ("trace=x", "one device", "devices=2"),
    "devices=2,counts=x": ("counts=x", "one device", "devices=2"),
    "seed=1,seed=2": ("seed", "twice"),
    "model=\033[2J\n,seed=1": MODELS,
}

# Some of several families, at workgroups of 128 so that every subgroup size divides them.
SOME = ("reconvergence.*reconvergence=maximal*@workgroup=128*", "!reconvergence.call-in-arms",
        "!reconvergence.continue-exit", "!reconvergence.elect-turns",
        "!reconvergence.short-circuit", "!reconvergence.switch-exit", "barrier.subgroup-in-branch",
        "broadcast.compaction", "!broadcast.compaction/*@workgroup=64*",
        "loop.desync/sync=none,exchange=up*pressure=none@workgroup=128,elected=last,iterations=16*",
        "scan.workgroup/mode=inclusive*@workgroup=128*")

STEP = re.compile(r"step (\d+) (\d+) (\d+) (\d+) (\d+) "
                  r"([0-9a-f]+|-) (\d+|-) ([0-9a-f]+|-) ([0-9a-f]+)")
KINDS = ("plain", "tangled", "exchange", "barrier", "fence", "branch", "if", "switch", "call",
         "return", "end", "unreachable")


class Driver(harness.Case):
    def simt(self, *arguments, settings=None, **how):
        return self.litmus(*arguments, drivers=[harness.SIMT], LITMUS_SIMT=settings, **how)

    def vulkaninfo(self, *arguments, drivers=(harness.SIMT,), settings=None, **more):
        program = shutil.which("vulkaninfo")
        if not program:
            raise unittest.SkipTest("vulkaninfo (vulkan-tools) is not installed")
        since = time.monotonic()
        done = subprocess.run([program, *arguments], cwd=self.folder, capture_output=True,
                              timeout=600 * harness.SLOW, check=False, stdin=subprocess.DEVNULL,
                              env=self.environment(drivers=drivers, LITMUS_SIMT=settings, **more))
        return harness.Result(done.returncode, done.stdout.decode(errors="backslashreplace"),
                              done.stderr.decode(errors="backslashreplace"),
                              time.monotonic() - since)


@harness.unsanitized
class Seen(Driver):
    def assert_listed(self, text, model, seed, subgroup):
        info = f"model {model}, seed {seed}, subgroup {subgroup}"
        if model == "faulty":
            info += ", fault wrong"
        if model == "miscompiling":
            info += ", every operator 0.1"
        for name, value in (("deviceType", "PHYSICAL_DEVICE_TYPE_CPU"),
                            ("deviceName", f"litmus simt, model {model}"),
                            ("driverName", "litmus simt"),
                            ("driverInfo", info)):
            self.assertRegex(text, rf"(?m)^\s*{name} += {re.escape(value)}$")
        self.assertRegex(text, r"(?m)^\s*apiVersion += 1\.3\.")

    def test_summary(self):
        result = self.vulkaninfo("--summary")
        self.assertEqual(result.code, 0, result)
        self.assert_listed(result.out, "lockstep", 1, 32)
        self.assertEqual(len(re.findall(r"(?m)^GPU\d", result.out)), 1, result)

    def test_everything(self):
        for model in MODELS:
            with self.subTest(model=model):
                result = self.vulkaninfo(settings=f"model={model},seed=0x7f,subgroup=8,threads=3")
                self.assertEqual(result.code, 0, result)
                self.assert_listed(result.out, model, 127, 8)
                self.assertRegex(result.out, r"(?m)^\s*subgroupSize += 8$")
                self.assertRegex(result.out, r"(?m)^\s*minSubgroupSize += 1$")
                self.assertRegex(result.out, r"(?m)^\s*maxSubgroupSize += 128$")
                self.assertIn("VK_KHR_shader_subgroup_uniform_control_flow", result.out)
                self.assertIn("QUEUE_COMPUTE", result.out)
                self.assertNotIn("QUEUE_GRAPHICS", result.out)
                self.assertNotIn("UNKNOWN", result.out)
                self.assertNotRegex(result.err, "simt:|ERROR")

    def test_as_webgpu(self):
        result = self.vulkaninfo(settings="as=webgpu,subgroup=16")
        self.assertEqual(result.code, 0, result)
        for name in ("subgroupSize", "minSubgroupSize", "maxSubgroupSize"):
            self.assertRegex(result.out, rf"(?m)^\s*{name} += 16$")
        self.assertRegex(result.out, r"(?m)^\s*textureCompressionBC += true$")
        self.assertRegex(result.out, r"(?m)^\s*maxImageDimension2D += 8192$")
        self.assertIn("QUEUE_GRAPHICS", result.out)
        self.assertNotRegex(result.err, "simt:|ERROR")

    def test_litmus_lists_it(self):
        result = self.simt("devices", "-v", settings="model=tangled,seed=5,subgroup=16", code=0)
        self.assertRegex(result.out, r"(?m)^1  litmus simt, model tangled +cpu +litmus simt .*16")
        self.assertIn("model tangled, seed 5, subgroup 16", result.out)

    def test_another_model_or_seed_is_another_device(self):
        uuids = {}
        for settings in ("", "seed=2", "subgroup=16", "model=tangled", "model=faulty,fault=lost"):
            out = self.vulkaninfo("--summary", settings=settings).out
            uuids[settings] = re.search(r"deviceUUID += (\S+)", out).group(1)
            again = self.vulkaninfo("--summary", settings=settings).out
            self.assertIn(uuids[settings], again)
        self.assertEqual(len(set(uuids.values())), len(uuids), uuids)

    def test_several_devices(self):
        result = self.vulkaninfo("--summary", settings="devices=3,seed=7")
        self.assertEqual(result.code, 0, result)
        for seed in (7, 8, 9):
            self.assert_listed(result.out, "lockstep", seed, 32)
        self.assertEqual(len(set(re.findall(r"deviceUUID += (\S+)", result.out))), 3, result)
        self.simt("run", harness.ONE, "-n", "3", settings="devices=3,seed=7", code=0)
        self.assertEqual(self.rows("SELECT number, driver_info, runs FROM device JOIN result"
                                   " ON device.id = result.device ORDER BY number"),
                         [(1 + i, f"model lockstep, seed {7 + i}, subgroup 32", 3)
                          for i in range(3)])

    def test_it_is_not_there_unless_it_is_named(self):
        for drivers in ([harness.lavapipe()], None):
            more = {} if drivers else {"VK_DRIVER_FILES": None, "VK_ICD_FILENAMES": None}
            with self.subTest(drivers=drivers):
                devices = self.litmus("devices", "-v", drivers=drivers,
                                      LITMUS_SIMT="model=tangled", **more, code=0)
                self.assertNotIn("simt", devices.out)
                info = self.vulkaninfo("--summary", drivers=drivers or (),
                                       settings="model=tangled", **more)
                self.assertEqual(info.code, 0, info)
                self.assertNotIn("simt", info.out)

    def test_beside_another(self):
        both = (harness.SIMT, harness.lavapipe())
        result = self.vulkaninfo("--summary", drivers=both)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(len(re.findall(r"(?m)^GPU\d", result.out)), 2, result)
        self.assert_all_in(result.out, "llvmpipe", "litmus simt")


class Refused(Driver):
    def the_line(self, result):
        # A driver that cannot make an instance is asked twice.
        lines = list({line for line in result.err.split("\n") if "LITMUS_SIMT" in line})
        self.assertEqual(len(lines), 1, result)
        self.assertTrue(lines[0].startswith("simt: LITMUS_SIMT: "), result)
        self.assertEqual([c for c in lines[0] if not c.isprintable()], [], result)
        return lines[0]

    def test_wrong_settings(self):
        for settings, words in WRONG.items():
            with self.subTest(settings=settings):
                info = self.vulkaninfo("--summary", settings=settings)
                self.assertEqual(info.code, 1, info)
                self.assertNotIn("GPU0", info.out)
                self.assertIn("vkCreateInstance failed", info.err)
                devices = self.simt("devices", "-v", settings=settings, code=77)
                self.assert_clean(devices)
                for line in (self.the_line(info), self.the_line(devices)):
                    self.assert_all_in(line, *words)

    @harness.about_lavapipe
    def test_another_driver_stays(self):
        both = (harness.SIMT, harness.lavapipe())
        result = self.vulkaninfo("--summary", drivers=both, settings="model=none")
        self.assertEqual(result.code, 0, result)
        self.assertIn("llvmpipe", result.out)
        self.assertNotIn("litmus simt", result.out)

    def test_trace_that_cannot_be_written(self):
        run = self.simt("run", harness.ONE, "-n", "1", settings="trace=/nowhere/trace")
        self.assertNotIn(run.code, (0, 1), run)
        self.assert_clean(run)


class Executing(Driver):
    @harness.unsanitized
    def test_every_subgroup_size(self):
        for size in (1, 2, 4, 8, 16, 32, 64, 128):
            with self.subTest(size=size):
                store = f"{size}.db"
                run = self.simt("run", *SOME, "-n", "2", "-q", "--seed", "1", "--db", store,
                                settings=f"subgroup={size}", code=0)
                self.assert_clean(run)
                report = self.report(store)
                self.assertEqual(report["devices"][0]["checker"], "device")
                bad = [(entry["name"], entry["result"], entry["reason"])
                       for entry in report["results"] if entry["result"] not in ("pass", "skip")
                       and entry["expectation"] != "control"]
                self.assertEqual(bad, [])
                passed = [entry for entry in report["results"] if entry["result"] == "pass"]
                self.assertGreater(len(passed), 25, run)
                self.assertEqual({entry["params"]["subgroup"] for entry in passed}, {size})
                self.assertEqual({entry["runs"] for entry in passed}, {2})

    def stored(self, settings, store):
        """What a run stored, but for times and what the driver's seed is part of."""
        run = self.simt("run", "shuffle.scan-loop/sync=none,reconvergence=default*@workgroup=64*",
                        "-n", "4", "-q", "--seed", "7", "--db", store, settings=settings)
        self.assertIn(run.code, (0, 1), run)
        results = self.report(store)["results"]
        self.assertGreater(len(results), 2)
        return [{name: entry[name] for name in ("name", "result", "runs", "failed_runs", "outcomes",
                                                "failures")} for entry in results]

    def test_one_thread_and_the_same_seed_repeat_everything(self):
        settings = "model=snooping,subgroup=8,threads=1,seed="
        first = self.stored(settings + "3", "first.db")
        self.assertTrue(any(entry["failures"] for entry in first), first)
        self.assertEqual(self.stored(settings + "3", "again.db"), first)
        self.assertNotEqual(self.stored(settings + "4", "other.db"), first)


@harness.unsanitized
class WebGPU(Driver):
    """Dawn, which refuses devices that are not as every implementation of WebGPU needs them."""

    def client(self, settings, *more):
        node, modules = shutil.which("node"), os.environ.get("LITMUS_NODE_MODULES")
        if not node or not modules:
            raise unittest.SkipTest("needs node, and $LITMUS_NODE_MODULES with the package webgpu")
        script = os.path.join(harness.SOURCE, "tests", "e2e", "webgpu.mjs")
        done = subprocess.run([node, script, modules, *more], cwd=self.folder, capture_output=True,
                              timeout=600 * harness.SLOW, check=False, stdin=subprocess.DEVNULL,
                              env=self.environment(drivers=[harness.SIMT], LITMUS_SIMT=settings))
        return done.stdout.decode(), done.stderr.decode()

    def test_shaders_run_and_graphics_are_refused(self):
        for model, size in (("lockstep", 32), ("tangled", 8)):
            out, err = self.client(f"as=webgpu,model={model},subgroup={size}")
            result = json.loads(out) if out else self.fail(err)
            self.assertIn(f"model {model}, seed 1, subgroup {size}", result["name"])
            self.assertEqual(result["shared"], [64 * 63 // 2 + i for i in range(64)] * 2)
            self.assertEqual(result["subgroup"],
                             [i % size * size + (i ^ 1) for i in range(64)] * 2)
            self.assertIn("CreateRenderPass failed with VK_ERROR_FEATURE_NOT_PRESENT",
                          result["graphics"])
            self.assertIn("simt: vkCreateRenderPass: graphics is not supported", err)

    def test_shaders_are_checked(self):
        settings = "as=webgpu,check=races,bounds,uninitialised,barriers"
        _, err = self.client(settings)
        self.assertNotRegex(err, "(?m)^simt: (data race|uninit|out-of|a barrier)")
        for model in "lockstep", "tangled":
            _, err = self.client(f"{settings},model={model}", "faulty")
            self.assertRegex(err, r"(?m)^simt: data race of 4 bytes at shared memory \+ \d+ by .*; "
                                  r"nothing orders it after that by .*; shader [0-9a-f]{16}$")
            self.assertRegex(err, r"(?m)^simt: out-of-bounds access of 4 bytes at set 0 binding 0 "
                                  r"\+ 512 by OpStore .*, workgroup \(1, 0, 0\), .*; shader ")
            self.assertRegex(err, r"(?m)^simt: uninitialised read of 4 bytes at shared memory "
                                  r"\+ \d+ by %\w+ = OpLoad .*; shader ")

    def test_another_device_is_none(self):
        out, err = self.client("as=compute")
        self.assertEqual(out, "")
        self.assertIn("textureCompressionBC", err)


class Trace(Driver):
    """With rate=1 litmus finds its checker broken at once, so that there is little to trace."""

    def trace(self, name, seed):
        settings = f"model=faulty,rate=1,threads=1,subgroup=4,seed={seed},trace={self.path(name)}"
        self.simt("run", harness.ONE, "-n", "2", "-q", "--seed", "7", "--db", name + ".db",
                  settings=settings, code=1)
        return self.read(name)

    def check_dispatch(self, lines, dispatch):
        """Checks the lines of one dispatch; returns how many steps it had."""
        fields = re.fullmatch(r"dispatch \d+ model faulty seed 3 subgroup (\d+) "
                              r"groups (\d+) (\d+) (\d+) local (\d+) (\d+) (\d+)", dispatch)
        self.assertTrue(fields, dispatch)
        subgroup, x, y, z, *local = (int(field) for field in fields.groups())
        code, steps, last = [], 0, (0, None)
        for line in lines:
            if line.startswith("code "):
                _, number, kind, *_ = line.split(" ", 3)
                self.assertEqual(int(number), len(code))
                self.assertIn(kind, KINDS)
                code.append(kind)
                continue
            if re.fullmatch(r"memory \d+ [a-z-]+ \d+ \d+ \d+ \d+ \d+|"
                            r"buffer \d+ \d+ \d+ \d+ \d+ [0-9a-f]+|shared \d+|zero \d+ \d+|"
                            r"register \d+ (load|store) \d+ \d+ (\d+|-) \d+|"
                            r"undefined \d+ \d+ (\d+|-) %\S+", line):
                continue
            if re.fullmatch(r"call \d+ \d+", line):
                self.assertEqual(code[int(line.split()[1])], "call", line)
                continue
            step = STEP.fullmatch(line)
            self.assertTrue(step, line)
            at, group, number, lane, pc = (int(field) for field in step.groups()[:5])
            self.assertLess(group, x * y * z)
            self.assertLess(number * subgroup + lane, local[0] * local[1] * local[2])
            self.assertLess(pc, len(code))
            self.assertTrue(int(step.group(9), 16) >> lane & 1, line)
            self.assertTrue(step.group(7) == "-" or code[pc] == "exchange", line)
            together = (group, number, pc, step.group(9))
            self.assertTrue(at > last[0] or (at, together) == last, line)
            last = (at, together)
            steps += 1
        return steps

    def test_format_and_repetition(self):
        text = self.trace("first", 3)
        lines = text.split("\n")
        self.assertEqual((lines[0], lines[-1]), ("simt-trace 1", ""))
        begins = [i for i, line in enumerate(lines) if line.startswith("dispatch ")]
        self.assertGreater(len(begins), 2)
        steps = 0
        for number, (begin, end) in enumerate(zip(begins, begins[1:] + [len(lines) - 1])):
            self.assertTrue(lines[begin].startswith(f"dispatch {number} "), lines[begin])
            self.assertRegex(lines[end - 2], r"^switches \d+$")
            self.assertEqual(lines[end - 1], f"end {number} done")
            steps += self.check_dispatch(lines[begin + 1:end - 2], lines[begin])
        self.assertGreater(steps, 1000)
        self.assertIn("OpGroupNonUniformShuffle", text)
        self.assertEqual(self.trace("again", 3), text)
        other = self.trace("other", 4).replace(" seed 4 ", " seed 3 ")
        self.assertNotEqual(other, text)


harness.main(__name__)
