# SPDX-License-Identifier: Apache-2.0
"""Machines on which something is missing, and drivers that are none or talk nonsense: each is named
with its reason, costs only itself, and the exit code says that nothing could run."""

import json
import os

import harness


class NothingThere(harness.Case):
    def nothing(self, *words, **how):
        """`run` ends with 77, and both it and `devices` say why."""
        run = self.litmus("run", harness.ONE, "-n", "1", **how, code=77)
        devices = self.litmus("devices", **how, code=77)
        for word in words:
            self.assertIn(word, run.err)
            self.assertIn(word, devices.out)
        for result in (run, devices):
            self.assert_clean(result)
        return run

    def test_no_driver(self):
        os.mkdir(self.path("empty"))
        self.nothing(drivers=[self.path("empty")])

    def test_no_driver_anywhere(self):
        how = {"VK_DRIVER_FILES": None, "VK_ICD_FILENAMES": None, "XDG_DATA_DIRS": self.path("no"),
               "XDG_CONFIG_DIRS": self.path("no")}
        self.nothing(**how)

    def test_no_loader(self):
        os.mkdir(self.path("lib"))
        for name in ("libvulkan.so.1", "libvulkan.so"):
            self.write(f"lib/{name}", b"\x7fELF\x02\x01\x01 cut off")
        self.nothing("no Vulkan loader", "libvulkan.so.1", LD_LIBRARY_PATH=self.path("lib"))

    def test_manifest_is_not_there(self):
        self.nothing("gone.json", "No such file", drivers=[self.path("gone.json")])

    def test_manifest_points_nowhere(self):
        manifest = self.write("nowhere.json", '{"file_format_version": "1.0.0", "ICD":'
                              ' {"library_path": "/nowhere/driver.so", "api_version": "1.3.0"}}')
        self.nothing("nowhere.json", drivers=[manifest])

    def test_library_cannot_be_loaded(self):
        for library in ("libnowhere.so.0", "./cut.so"):
            manifest = self.write("unloaded.json", json.dumps(
                {"file_format_version": "1.0.0",
                 "ICD": {"library_path": library, "api_version": "1.3.0"}}))
            self.write("cut.so", b"\x7fELF\x02\x01\x01 cut off")
            self.nothing("unloaded.json: its library cannot be loaded: ", os.path.basename(library),
                         drivers=[manifest])
        # It is told beside a driver that works, too.
        result = self.litmus("run", harness.ONE, "-n", "1", "-q", drivers=[manifest, harness.SIMT],
                             code=0)
        self.assertIn("its library cannot be loaded", result.err)
        said, = self.report()["summary"]["drivers"]
        self.assertIn(said, result.err)
        self.assertRegex(said, r"unloaded\.json: its library cannot be loaded: .*cut\.so: ")

    def test_manifest_is_no_json(self):
        self.nothing("broken.json", "not JSON", drivers=[self.write("broken.json", "{\n nothing")])

    def test_manifest_names_no_library(self):
        self.nothing("no library path", drivers=[self.write("other.json", '{"ICD": {}}')])

    def test_manifest_is_large_or_odd(self):
        large = self.write("large.json", "[" * 200000)
        odd = self.path("pipe.json")
        os.mkfifo(odd)
        self.nothing("large.json", "pipe.json", drivers=[large, odd])

    test_library_is_no_driver = harness.case("nothing", "hollow.json", drivers=[harness.HOLLOW])

    def test_no_memory_to_look_for_one(self):
        # Whether there is a device is not known.
        how = {"fault": "create-instance-memory"}
        why = "out of memory: vkCreateInstance: VK_ERROR_OUT_OF_HOST_MEMORY"
        self.assert_one_line(self.litmus("run", harness.ONE, "-n", "1", **how), 2, why)
        devices = self.litmus("devices", **how, code=2)
        self.assertIn(why, devices.out)

    def test_no_queue_family(self):
        result = self.litmus("run", harness.ONE, "-n", "1", fault="no-queue")
        self.assertNotIn(result.code, (0, 1), result)
        self.assertIn("queue", result.err)
        self.assert_clean(result)


@harness.about_lavapipe
class BesideAGoodOne(harness.Case):
    """The other driver's device is there and runs."""

    def beside(self, bad, *words, fault=None, timeout="30"):
        how = {"drivers": [bad, harness.lavapipe()], "LITMUS_FAULT": fault,
               "LITMUS_FAULT_DRIVER": harness.lavapipe()}
        devices = self.litmus("devices", "--timeout", timeout, **how, code=0)
        self.assertRegex(devices.out, r"(?m)^1  llvmpipe")
        run = self.litmus("run", harness.ONE, "-n", "2", "--timeout", timeout, **how, code=0)
        for word in words:
            self.assertIn(word, devices.out)
            self.assertIn(word, run.err)
        for result in (devices, run):
            self.assert_clean(result)

    test_crash_at_start = harness.case("beside", harness.FAULT, "fault.json",
                                       "worker died: signal 11", fault="create-instance-crash")

    def test_hang_at_start(self):
        # On a slow machine the good one may need longer than that, too.
        for seconds in ("2", "8", "60"):
            try:
                return self.beside(harness.FAULT, "fault.json", f"no progress for {seconds} s",
                                   fault="create-instance-hang", timeout=seconds)
            except AssertionError:
                if seconds == "60":
                    raise

    test_no_memory_at_start = harness.case("beside", harness.FAULT, "fault.json", "out of memory",
                                           fault="create-instance-memory")

    def test_manifest_is_no_json(self):
        self.beside(self.write("broken.json", "nothing"), "broken.json", "not JSON")

    def test_a_device_found_twice_is_one(self):
        copy = self.path("copy.json")
        self.write("copy.json", harness.read(harness.lavapipe()))
        devices = self.litmus("devices", drivers=[harness.lavapipe(), copy])
        self.assertEqual(devices.out.count("llvmpipe ("), 1, devices)


class Nonsense(harness.Case):
    """What a driver says is not believed, and never reaches the terminal as it is."""

    def test_odd_names(self):
        devices = self.litmus("devices", "-v", fault="odd-name", code=0)
        self.assertIn("GPU <b>&amp; | `x`", devices.out)
        self.assert_clean(devices)
        run = self.litmus("run", harness.ONE, "-n", "2", fault="odd-name", code=0)
        self.assert_clean(run)
        for format in ("json", "markdown"):
            report = self.litmus("report", "--format", format, code=0)
            self.assert_clean(report)
            self.assertFalse(format == "markdown" and "<b>" in report.out, report)

    def refused(self, fault, *words):
        for arguments in (["devices"], ["run", harness.ONE, "-n", "2"]):
            result = self.litmus(*arguments, fault=fault)
            self.assert_clean(result)
        self.assertNotIn(result.code, (0, 1), result)
        self.assert_all_in(result.err, *words)

    def test_one_device_of_several(self):
        """Whatever the odd one's place is, the others keep their numbers and are run."""
        several = {"LITMUS_FAULT_DRIVER": harness.SIMT, "LITMUS_SIMT": "devices=3"}
        for odd in range(3):
            with self.subTest(odd=odd):
                devices = self.litmus("devices", fault=f"no-extensions={odd}", **several, code=0)
                self.assertIn("vkEnumerateDeviceExtensionProperties: VK_ERROR_OUT_OF_HOST_MEMORY",
                              devices.out)
                store = f"{odd}.db"
                run = self.litmus("run", harness.ONE, "-n", "1", "--db", store,
                                  fault=f"no-extensions={odd}", **several, code=3)
                self.assertIn("nothing can run on ", run.err)
                ran = self.rows("SELECT number, result FROM device JOIN result"
                                " ON result.device = device.id ORDER BY number", store)
                self.assertEqual(ran, [(number + 1, "pass") for number in range(3) if number != odd])

    test_everything_at_once = harness.case("refused", "nonsense", "subgroup size", "77")
    test_subgroup_size_of_nothing = harness.case("refused", "subgroup-size=0", "subgroup size")
    test_subgroup_size_of_48 = harness.case("refused", "subgroup-size=48", "subgroup size", "48")
    test_huge_counts = harness.case("refused", "huge-counts")
    test_no_memory_at_all = harness.case("refused", "out-of-memory=0", "MEMORY")


class OtherDrivers(harness.Case):
    def test_no_display_no_home(self):
        result = self.litmus("run", harness.ONE, "-n", "2", HOME=None, LANG=None, code=0)
        self.assertTrue(result.out.isascii(), result)

    def test_worker_is_not_for_users(self):
        result = self.litmus("worker")
        self.assertLess(result.cpu, 3 * harness.SLOW)
        self.assertNotIn("worker", self.litmus("help").out)

    def test_layers_of_the_environment_stay_out(self):
        # An implicit layer or a wish for one must not stand between the test and the driver.
        self.litmus("run", harness.ONE, "-n", "2", VK_INSTANCE_LAYERS="VK_LAYER_NONE",
                    VK_LOADER_LAYERS_ENABLE="*", MESA_VK_DEVICE_SELECT="list", code=0)


harness.main(__name__)
