#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks JSON reports against docs/report.schema.json, and what a schema cannot say.

    tests/validate_json.py REPORT.json...        (- reads standard input)

Exits with 0 if all are right, 1 if one is not, 77 if the jsonschema module is missing.
"""
import json
import math
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is missing", file=sys.stderr)
    sys.exit(77)

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "docs" / "report.schema.json"


def refuse_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a member twice in {keys}")
    return dict(pairs)


def check_rate(what, item, complain):
    sequence = item["interval_kind"] == "sequence"
    low, high = item["interval"]
    runs, failed = item["runs"] - item["no_progress_runs"], item["failed_runs"]
    if not 0 <= failed <= runs:
        complain(f"{what}: more failed runs than runs that were judged")
    elif runs == 0 and (low, high) != (0, 1):
        complain(f"{what}: an interval from nothing")
    elif runs > 0 and not low <= failed / runs <= high:
        complain(f"{what}: the rate is outside its interval")
    elif runs > 0 and failed == 0 and not sequence and not math.isclose(
            high, -math.expm1(math.log(0.025) / runs), rel_tol=1e-7):
        complain(f"{what}: not the upper bound of 0 of {runs}")
    word = ("Unknown" if runs == 0 else "Never" if failed == 0 else
            "Always" if failed == runs else "Sometimes")
    if item["observation"] != word:
        complain(f"{what}: observation {item['observation']}, not {word}")


def check_parts(result, complain):
    """All runs once more, in pieces."""
    name, parts = result["name"], result["parts"]
    for member in "runs", "failed_runs", "no_progress_runs":
        if parts and sum(part[member] for part in parts) != result[member]:
            complain(f"{name}: the {member} of its parts do not add up")
    judged = [(part["failed_runs"], part["runs"] - part["no_progress_runs"]) for part in parts]
    judged = [(failed, runs) for failed, runs in judged if runs > 0]
    spread = result["overdispersion"]
    if (spread is not None) != (len(judged) > 1) or (spread and spread["groups"] != len(judged)):
        complain(f"{name}: overdispersion of {len(judged)} parts")
    if spread:
        failed, runs = map(sum, zip(*judged))
        rate = failed / runs
        expected = 1.0
        if 0 < rate < 1:
            expected = sum((k - n * rate) ** 2 / (n * rate * (1 - rate)) for k, n in judged)
            expected /= len(judged) - 1
        if not math.isclose(spread["factor"], expected, rel_tol=1e-6):
            complain(f"{name}: overdispersion {spread['factor']}, not {expected}")
    if (result["interval_kind"] == "sequence") != bool(result["rule"]):
        complain(f"{name}: interval of the wrong kind")


def check_result(result, complain):
    name = result["name"]
    check_rate(name, result, complain)
    if sum(result["outcomes"].values()) != result["instances"]:
        complain(f"{name}: the outcomes do not add up to the instances")
    if result["failed_instances"] > result["instances"]:
        complain(f"{name}: more failed instances than instances")
    if (result["failed_runs"] > 0) != (result["failed_instances"] > 0):
        complain(f"{name}: failed runs without failed instances, or the other way round")
    if result["result"] == "pass" and (result["failed_runs"] or not result["runs"]):
        complain(f"{name}: passed, but not right or never run")
    if result["result"] == "fail" and not result["failed_runs"]:
        complain(f"{name}: failed without a failed run")
    if result["result"] == "skip" and (result["runs"] or not result["reason"]):
        complain(f"{name}: skipped, but run or without a reason")
    if result["first_run_failed"] and not result["failed_runs"]:
        complain(f"{name}: the first run failed, yet none did")
    for failure in result["failures"]:
        if failure["outcome"] not in result["outcomes"]:
            complain(f"{name}: a failure of an outcome that was not counted")
        if failure["run"] > result["runs"]:
            complain(f"{name}: a failure in a run that was not counted")
    check_parts(result, complain)
    rebuilt = result["test"]
    for mark, pairs in ("/", result["variant"]), ("@", result["params"]):
        if pairs:
            rebuilt += mark + ",".join(f"{key}={value}" for key, value in pairs.items())
    if rebuilt != name or result["test"].split(".")[0] != result["family"]:
        complain(f"{name}: its parts are those of {rebuilt}")


def column_of(variant):
    """Of the matrix; None for what is in no column."""
    if variant.get("reconvergence", "default") == "default":
        return variant.get("sync")
    return ("maximal" if (variant["reconvergence"], variant.get("sync")) == ("maximal", "none")
            else None)


def check_matrix(matrix, results, complain):
    mine = [result for result in results
            if result["device"] == matrix["device"] and result["family"] == "sync-matrix"]
    others = [result for result in mine
              if result["result"] != "skip" and result["stress"] != matrix["stress"]]
    mine = [result for result in mine if result not in others]
    if len(others) != matrix["other_stress"]:
        complain(f"matrix: not {matrix['other_stress']} configurations had other stress")
    for operation in matrix["operations"]:
        name = f"matrix: {operation['test']} {operation['op']} {operation['scan']}"
        for sync, cell in operation["sync"].items():
            check_rate(f"{name}, {sync}", cell, complain)
            summed = [result for result in mine
                      if result["test"] == f"sync-matrix.{operation['test']}"
                      and result["variant"].get("op", "") == operation["op"]
                      and result["variant"].get("scan", "") == operation["scan"]
                      and column_of(result["variant"]) == sync]
            if len(summed) != cell["configurations"]:
                complain(f"{name}, {sync}: not so many configurations")
            for member in "runs", "failed_runs", "no_progress_runs":
                if cell[member] != sum(result[member] for result in summed):
                    complain(f"{name}, {sync}: the {member} do not add up")
            word = ("seen" if cell["failed_runs"] else
                    "never" if cell["runs"] > cell["no_progress_runs"] else cell["state"])
            if cell["state"] != word:
                complain(f"{name}, {sync}: state {cell['state']}, not {word}")


def check_mutation(report, complain):
    entries = {entry["device"]: entry for entry in report["summary"]["mutation"]}
    for device in {result["device"] for result in report["results"]}:
        mine = [result for result in report["results"] if result["device"] == device
                and result["expectation"] == "control" and result["runs"]]
        unseen = [result["name"] for result in mine
                  if not result["failed_runs"] and result["no_progress_runs"] != result["runs"]]
        entry = entries.get(device)
        if bool(mine) != bool(entry):
            complain(f"mutation score of {device}: {len(mine)} controls")
        elif entry and (entry["controls"] != len(mine) or entry["unseen"] != unseen
                        or entry["seen"] != len(mine) - len(unseen)
                        or not math.isclose(entry["score"], entry["seen"] / len(mine))):
            complain(f"mutation score of {device}: not that of its controls")
        for family in entry["families"] if entry else ():
            of = [result for result in mine if result["family"] == family["family"]]
            if (family["controls"] != len(of) or family["too_gentle"] != (family["seen"] == 0)
                    or family["seen"] != sum(result["name"] not in unseen for result in of)):
                complain(f"mutation score of {device}: {family['family']} does not add up")


def check_summary(report, complain):
    summary, results = report["summary"], report["results"]
    for word, count in summary["results"].items():
        if sum(result["result"] == word for result in results) != count:
            complain(f"summary: not {count} results are {word}")
    if summary["configurations"] != len(results):
        complain("summary: not so many configurations")
    for member in "runs", "instances":
        if summary[member] != sum(result[member] for result in results):
            complain(f"summary: the {member} do not add up")
    for expectation, entry in summary["expectations"].items():
        mine = [result for result in results if result["expectation"] == expectation]
        if (entry["configurations"] != len(mine)
                or entry["failed"] != sum(result["failed_runs"] > 0 for result in mine)):
            complain(f"summary: {expectation} does not add up")
    for line in summary["headlines"]:
        check_rate(line["headline"], line, complain)
        mine = [result for result in results
                if all(result[key] == line[key] for key in ("device", "headline", "expectation"))
                and result["stress"] == line["stress"]]
        for member in "runs", "failed_runs", "no_progress_runs":
            if line[member] != sum(result[member] for result in mine):
                complain(f"{line['headline']}: the {member} do not add up")
        for member in ("runs", "failed_runs", "no_progress_runs") if "divided" in line else ():
            if line[member] != sum(part[member] for part in line["divided"]):
                complain(f"{line['headline']}: the {member} of its parts do not add up")
        for part in line.get("divided", ()):
            check_rate(line["headline"], part, complain)
    check_mutation(report, complain)
    for matrix in summary.get("sync_matrix", ()):
        check_matrix(matrix, results, complain)
    forbidden = summary["expectations"]["forbidden"]["failed"] > 0
    if forbidden and summary["exit"]["code"] not in (1, 4):
        complain("summary: a forbidden outcome without exit code 1")


def check(report, complain):
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft7Validator(schema)
    validator.check_schema(schema)
    for error in validator.iter_errors(report):
        complain(f"{'/'.join(map(str, error.absolute_path))}: {error.message}")
        return
    devices = {device["id"] for device in report["devices"]}
    seen = set()
    for result in report["results"]:
        key = result["device"], result["name"]
        if result["device"] not in devices:
            complain(f"{result['name']}: on a device that is not listed")
        if key in seen:
            complain(f"{result['name']}: twice")
        seen.add(key)
        check_result(result, complain)
    check_summary(report, complain)
    shard = report["tool"]["shard"]
    if (shard["of"] == "whole") != (shard["count"] == 0):
        complain("tool: a shard of nothing")


def main():
    failed = False
    for path in sys.argv[1:]:
        def complain(message):
            nonlocal failed
            failed = True
            print(f"{path}: {message}", file=sys.stderr)
        try:
            text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text()
            check(json.loads(text, object_pairs_hook=refuse_twice), complain)
        except (OSError, ValueError) as error:
            complain(error)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(failed)


if __name__ == "__main__":
    main()
