"""The peers of bench/parse.ts: edgartools and lxml in one process.

Reads one command a line, `<library> <task>`, and answers with one JSON line {"seconds", "count"}.
With `--peak <library> <task>` it does the task once and prints the peak memory in KiB.
Both are handed the XML part alone; ours starts from the bytes of the whole submission.
"""

import gc
import io
import json
import re
import resource
import sys
import time

from lxml import etree

XML = re.compile(rb"<XML>\s*(.*?)\s*</XML>", re.S)
ROW = ("nameOfIssuer", "titleOfClass", "cusip", "value", "sshPrnamt", "sshPrnamtType", "putCall",
       "investmentDiscretion", "otherManager", "Sole", "Shared", "None")


def xml_parts(path):
    with open(path, "rb") as file:
        return XML.findall(file.read())


def lxml_13f(parts):
    rows = []
    for _, element in etree.iterparse(io.BytesIO(parts[1]), events=("end",), tag="{*}infoTable"):
        texts = {etree.QName(leaf).localname: leaf.text for leaf in element.iter() if len(leaf) == 0}
        row = {name: texts.get(name) for name in ROW}
        for number in ("value", "sshPrnamt", "Sole", "Shared", "None"):
            row[number] = int(row[number] or 0)
        rows.append(row)
        element.clear()
    return len(rows)


def nested(element):
    if len(element) == 0:
        return (element.text or "").strip() or element.get("id")
    return [(child.tag, nested(child)) for child in element]


def lxml_form4(documents):
    for xml in documents:
        nested(etree.fromstring(xml))
    return len(documents)


def edgartools_13f(parts):
    from edgar.thirteenf import ThirteenF

    return len(ThirteenF.parse_infotable_xml(parts[1].decode()))


def edgartools_form4(documents):
    from edgar.ownership import Form4, owners

    # It asks EDGAR about every owner; here it is spared that, which only makes it faster.
    owners.Entity = lambda cik: None
    for xml in documents:
        Form4.parse_xml(xml.decode())
    return len(documents)


TASKS = {
    "lxml": {"13f": lxml_13f, "13f-100k": lxml_13f, "form4": lxml_form4},
    "edgartools": {"13f": edgartools_13f, "13f-100k": edgartools_13f, "form4": edgartools_form4},
}


def inputs_of(task, paths):
    if task == "form4":
        return [xml_parts(path)[0] for path in paths["forms"]]
    return xml_parts(paths[task])


def timed(work, inputs):
    """Passes until half a second of CPU time is used, so that short work is measured warm too."""
    gc.collect()
    start = time.process_time()
    passes = 0
    while passes == 0 or time.process_time() - start < 0.5:
        count = work(inputs)
        passes += 1
    return {"seconds": (time.process_time() - start) / passes, "count": count}


def main():
    with open(sys.argv[-1]) as file:
        paths = json.load(file)
    if sys.argv[1] == "--peak":
        library, task = sys.argv[2:4]
        TASKS[library][task](inputs_of(task, paths))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    inputs = {task: inputs_of(task, paths) for task in TASKS["lxml"]}
    for line in sys.stdin:
        library, task = line.split()
        print(json.dumps(timed(TASKS[library][task], inputs[task])), flush=True)


main()
