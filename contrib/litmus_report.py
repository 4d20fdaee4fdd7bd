# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder share: reading a JSON report (litmus report --format json)."""

import argparse
import json
import os
import re
import sys

# A control character, or what reorders or hides text.
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
# What GitHub Actions or Azure Pipelines takes for a command in a log.
COMMAND = re.compile(r"(?<![!-~])::|##\[|##vso\[")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def clean(value, kept=""):
    """The same value; no text in it ends a line or commands a log. Evidence keeps its lines."""
    if isinstance(value, str):
        value = CONTROL.sub(lambda found: found[0] if found[0] in kept else "?", value)
        return COMMAND.sub(lambda found: "?" + found[0][1:], value)
    if isinstance(value, list):
        return [clean(item, kept) for item in value]
    if isinstance(value, dict):
        return {clean(name): clean(item, "\n" if name == "evidence" else kept)
                for name, item in value.items()}
    return value


def add_unclosed(report):
    """Makes a result of each device whose driver crashed or hung as it was closed."""
    for device in report["devices"]:
        said = [line.removeprefix(device["name"] + ": ")
                for line in report["summary"].get("drivers", ())
                if line.startswith(device["name"] + ": ")]
        if said:
            counts = ("first", "runs", "failed_runs", "no_progress_runs", "seconds")
            lists = ("choices", "failures", "parts")
            report["results"].append(dict(
                dict.fromkeys(counts, 0), **{name: [] for name in lists}, name="driver.vkDestroyDevice",
                family="driver", device=device["id"], expectation="forbidden", outcomes={},
                result="hang" if "it hangs" in said[0] else "crash", reason=said[0], interval=[0, 1],
                spirv_sha256="", stress="", rule="",
                reproduce=report["tool"]["command"]))


def read(path):
    """What a file holds: a dictionary as docs/report.schema.json or compare.schema.json says."""
    with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
        return clean(json.loads(file.read().decode()))


def prepared(report):
    """The report; a result has its device in place of the device's id."""
    if not report["schema"].startswith("litmus-report/"):
        raise ValueError(f"schema {report['schema']}")
    devices = {device["id"]: device for device in report["devices"]}
    add_unclosed(report)
    for result in report["results"]:
        result["device"] = devices[result["device"]]
        result["judged"] = result["runs"] - result["no_progress_runs"]
    return report


def by_device(report):
    """Pairs of a device and its results."""
    return [(device, [result for result in report["results"] if result["device"] is device])
            for device in report["devices"]]


def failed(result):
    return (result["expectation"] != "control"
            and (result["result"] == "fail" or result["failed_runs"] > 0))


def is_unsound(result):
    """Whether a kernel from outside failed, or did not end, that is itself wrong."""
    return (result["family"] == "kernel" and result["expectation"] == "contested"
            and (failed(result) or result["result"] in ("crash", "hang", "device-lost")))


def fails(result, outcome):
    """Whether an outcome is a failure; an expired wait is none."""
    if outcome == "no progress":
        return False
    return {choice["name"]: choice["fails"] for choice in result["choices"]}.get(
        outcome, outcome not in ("right", "allowed"))


# What deqp-runner would call a result, the worst first.
STATUSES = "Crash", "Timeout", "Fail", "Flake", "Missing", "Pass", "Skip"


def status(result):
    """What litmus could not do is Missing, which blames no driver; so is what a wrong kernel did."""
    kind = result["result"]
    ended = {"crash": "Crash", "device-lost": "Crash", "hang": "Timeout", "skip": "Skip",
             "harness-error": "Missing", "partial": "Missing"}
    if is_unsound(result):
        return "Missing"
    if kind in ended:
        return ended[kind]
    if result["expectation"] == "forbidden" and failed(result):
        return "Flake" if result["failed_runs"] < result["judged"] else "Fail"
    expired = kind == "no-progress" and result["expectation"] in ("forbidden", "contested")
    return "Timeout" if expired else "Pass"


def main(about, write, *arguments, compared=None):
    """Prints what write(report, options) returns; of a comparison, what compared(comparison) does,
    if given. `arguments` are those of add_argument: a name and keywords. Exit code 2, with a line on stderr, if there is no report that can be read."""
    parser = Parser(description=about, allow_abbrev=False)
    for name, how in arguments:
        parser.add_argument(name, **how)
    parser.add_argument("report", nargs="?", default="-", metavar="REPORT",
                        help="made by 'litmus report --format json' (default: stdin)")
    options = parser.parse_args()
    try:
        made = read(options.report)
        if compared and made["schema"].startswith("litmus-compare/"):
            text = compared(made).encode()
        else:
            text = write(prepared(made), options).encode()
    except OSError as error:
        parser.error(f"{options.report}: {error.strerror}")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        parser.error(f"{options.report}: no JSON report of litmus: {clean(repr(error))}")
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
