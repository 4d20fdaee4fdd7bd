# SPDX-License-Identifier: Apache-2.0
"""litmus kernel checks a kernel before a driver is blamed: what it finds comes first in every
report, blames nobody, fails no gate, and is reduced by nobody."""

import json
import shutil
import struct
import unittest

import harness
import kernel

RACE = "this kernel has a data race: results are unspecified"
OWN_FAULT = ": what fails may be the kernel's own fault"
FORMS = "text", "json", "junit", "csv", "markdown", "html"

ADDRESS = harness.kernel("address.spvasm")


@unittest.skipUnless(shutil.which("spirv-as"), "needs spirv-as")
@harness.posix
@harness.unsanitized
class Checked(harness.Case):
    def setUp(self):
        super().setUp()
        clean = kernel.SCAN.replace("BARRIER", kernel.BARRIER)
        self.write("clean.spvasm", clean)
        self.write("racy.spvasm", kernel.SCAN.replace("BARRIER", ""))
        self.write("strange.spvasm", clean.replace(
            "OpMemoryModel", 'OpExtension "SPV_KHR_post_depth_coverage"\nOpMemoryModel', 1))
        self.write("sums.words", " ".join(map(str, kernel.sums())))
        self.write("wrong.words", "1 " * kernel.WORDS)
        with open(self.path("factor.bin"), "wb") as file:
            file.write(struct.pack("<I", kernel.FACTOR))

    def run_kernel(self, name, *more, expect="wrong.words", buffer="0.4=iota:256", groups="2,2",
                   does=("-n", "4")):
        return self.litmus("kernel", f"{name}.spvasm", f"--groups={groups}", "--push=0,5",
                           "--spec=3=16", "--buffer=0.0=factor.bin", f"--buffer={buffer}",
                           *([f"--expect=2.1={expect}"] if expect != "agree" else
                             ["--expect=agree", "--buffer=2.1=256"]), *more, *does)

    def reports(self, store="litmus.db"):
        """All forms in which something is said of a session, with blanks for ends of lines."""
        made = {form: self.litmus("report", "-f", form, "--db", store).out for form in FORMS}
        made["annotations"] = self.converted("github", store=store)
        made["ticket"] = self.litmus("report", "-f", "markdown", "--db", store, "--test", "kernel.*").out
        return {form: " ".join(text.split()).replace("&#39;", "'") for form, text in made.items()}

    def check_said(self, words, form, fails=True):
        for name, text in self.reports().items():
            if fails or name != "annotations":
                self.assertIn(words, text, name)
        self.assertEqual(self.rows("SELECT expectation FROM result"), [(form,)])
        name, = {row[0] for row in self.rows("SELECT name FROM result")}
        self.litmus("repro", name, "-o", "bundle", code=0)
        first = self.read("bundle/README.md").split("\n\n", 3)[2]
        self.assertIn(words, " ".join(first.split()))
        self.assertIn(words, json.loads(self.read("bundle/facts.json"))["configuration"]["check"])

    def test_race(self):
        """It is found before anything runs, comes first, is no driver's fault, and is stored."""
        result = self.run_kernel("racy", "--simt", "lockstep")
        self.assertEqual(result.code, 2, result)
        self.assertTrue(result.err.startswith(f"litmus: kernel.racy@workgroup=16: {RACE}\n"), result)
        self.assertRegex(result.err, r"\ndata race: 4 bytes at Workgroup memory .*\n  .*, invocation \d+ of "
                                     r"workgroup \(\d, \d, 0\)\n  .*, invocation \d+ of workgroup ")
        self.assertIn(f"\n  kernel.racy: {RACE}", result.out.replace("\n  unspecified", " unspecified"))
        self.assertNotIn("forbidden", result.out.replace("No forbidden configuration ran", ""))
        self.assertIn("exit 2: a kernel failed that is itself wrong", result.out)
        self.assertEqual(self.rows("SELECT runs, failed_runs, result FROM result"), [(4, 4, "fail")])
        report = self.report()
        self.assertEqual(report["summary"]["exit"]["code"], 2)
        self.assertIn("\ndata race: 4 bytes at ", report["results"][0]["evidence"]["check"])
        self.litmus("report", "-f", "json", "-o", "report.json")
        taken = self.litmus("report", "--check", "report.json")
        self.assertNotIn("control character", taken.out)
        self.check_said(RACE, "contested")
        # The session has it for whoever has no file.
        again = self.litmus("run", "kernel.racy", "--simt", "lockstep", "-n", "2", code=2)
        self.assertIn(f"kernel.racy: {RACE}".split(": results")[0], again.out)

    def test_passes(self):
        """What has a race and does not fail is no failure, and says so all the same."""
        result = self.run_kernel("racy", "--allow", "2.1=bits:0", "--simt", "lockstep")
        self.assertEqual(result.code, 0, result)
        self.check_said(RACE, "contested", fails=False)

    def test_uninitialised(self):
        result = self.run_kernel("clean", "--simt", "lockstep", buffer="0.4=256")
        self.assertEqual(result.code, 2, result)
        self.assertIn("this kernel has an uninitialised read: results are unspecified\n", result.err)

    def test_out_of_bounds(self):
        """The simulator loses the device for it; what does so is no driver's fault."""
        result = self.run_kernel("clean", "--simt", "lockstep", buffer="0.4=iota:252")
        self.assertEqual(result.code, 2, result)
        self.assertIn("this kernel has an access out of bounds: results are unspecified\n", result.err)
        self.assertEqual(self.rows("SELECT result FROM result"), [("device-lost",)])
        self.assertEqual(self.report()["summary"]["exit"]["code"], 2)

    def test_address(self):
        """A pointer to nothing crashes a driver, which is not blamed."""
        self.write("address.spvasm", ADDRESS)
        self.write("one.words", "1")
        options = "--groups=1", "--buffer=0.0=zero:8", "--expect=0.1=one.words"
        result = self.litmus("kernel", "address.spvasm", *options, "-n", "4", code=2)
        self.assertIn("this kernel has an access out of bounds: results are unspecified\n", result.err)
        self.assertIn("null address", result.err)
        self.assertNotIn("forbidden: ", result.out)
        agrees = self.litmus("kernel", "address.spvasm", *options[:2], "--buffer=0.1=4", "--expect=agree",
                             "-n", "4", code=2)
        self.assertIn("this kernel has an access out of bounds: ", agrees.err)

    def test_right(self):
        """A kernel in which nothing is found is believed, and whoever lies is blamed."""
        lies = "--simt", "faulty,rate=0.1"
        result = self.run_kernel("clean", *lies, expect="agree")
        self.assertEqual(result.code, 1, result)
        self.assertEqual(result.err.count("kernel.clean"), 0, result)
        self.assertIn("1 of 1 forbidden configuration failed", result.out)
        self.assertIn("exit 1: a forbidden outcome was observed", result.out)
        check = self.report()["results"][0]["evidence"]["check"]
        self.assertRegex(check, r"^checked: 0 findings in \d+ steps of 64 invocations, subgroups of 32\n$")
        self.assertNotIn("checked: ", self.reports()["annotations"])

    def test_unchecked(self):
        """Who does not want to know is told that nobody does."""
        result = self.run_kernel("racy", "--unchecked", "--simt", "lockstep")
        self.assertEqual(result.code, 1, result)
        self.assertNotIn("data race", result.err)
        self.check_said(f"not checked: --unchecked{OWN_FAULT}", "forbidden")
        # With or without, it is the same kernel.
        self.assertEqual(self.run_kernel("racy", "--simt", "lockstep").code, 2)
        self.assertEqual(self.rows("SELECT count(DISTINCT sha256), count(*) FROM result"), [(1, 2)])

    def test_cannot(self):
        """What the simulator does not execute is not checked, with the reason."""
        result = self.run_kernel("strange")
        self.assertEqual(result.code, 1, result)
        words = "extension SPV_KHR_post_depth_coverage is not supported" + OWN_FAULT
        self.assertIn("not checked: the SIMT simulator cannot run it: ", result.err)
        self.check_said(words, "forbidden")

    def test_bounded(self):
        """65,535 workgroups, and a loop without an end, are looked at as far as is counted."""
        result = self.run_kernel("racy", groups="65535", does=("show",))
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"3 findings in \d+ steps of 2768 invocations, subgroups of 32; "
                                     r"173 of 65535 workgroups\n")
        endless = kernel.SCAN.replace("BARRIER", kernel.BARRIER).replace(
            "OpULessThanEqual %bool %j %i", "OpULessThanEqual %bool %c0 %i").replace(
            "%part %j", "%part %i")
        self.write("endless.spvasm", endless)
        result = self.run_kernel("endless", does=("-n", "1", "--simt", "lockstep", "--timeout", "2"))
        self.assertEqual(self.rows("SELECT result FROM result"), [("hang",)], result)
        check = self.report()["results"][0]["evidence"]["check"]
        # It counts, so that nothing repeats itself.
        self.assertRegex(check, r"checked: 0 findings in 3\d{5} steps of 64 invocations, .*; a part of 4 of 4 "
                                     r"workgroups")

    def test_gate(self):
        """A kernel that is itself wrong fails no gate."""
        for store, model in ("a.db", "lockstep"), ("b.db", "tangled"):
            self.run_kernel("racy", "--simt", model, "--db", store, expect="sums.words",
                            does=("-n", "100"))
        failed = [self.rows("SELECT failed_runs FROM result", store)[0][0] for store in ("a.db", "b.db")]
        self.assertEqual(failed[0], 0)
        self.assertGreater(failed[1], 40)
        gate = self.litmus("gate", "--baseline", "a.db", "b.db", code=3)
        self.assertIn("nothing that can fail the gate was compared", gate.out)
        self.assertIn("worse, but its expectation does not fail the gate", gate.out)


harness.main(__name__)
