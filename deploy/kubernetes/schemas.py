"""Writes the schemas that kubeconform reads: python schemas.py FOLDER [CRD.yaml ...]

Those of Kubernetes are in the package kubernetes-validate, so no other host is asked; those of operators in their
custom resource definitions.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import yaml

VERSION = "v1.34.0-local-strict"


def local(schema):
    """As kubeconform resolves it: references between files of one folder, in words of the fourth draft."""
    text = json.dumps({key: value for key, value in schema.items() if key != "$id"})
    return text.replace('"/api/_definitions', '"_definitions').replace("$defs", "definitions")


def strict(schema):
    """Refuses fields that nobody knows, as kubectl does."""
    if isinstance(schema, list):
        return [strict(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: strict(value) for key, value in schema.items()}
    if "properties" in inside and "additionalProperties" not in inside:
        inside["additionalProperties"] = inside.get("x-kubernetes-preserve-unknown-fields", False)
    return inside


def main(folder, *definitions):
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    # Found, not imported: it would need packages that only its own checks use.
    [package] = find_spec("kubernetes_validate").submodule_search_locations
    for path in Path(package, "kubernetes-json-schema", VERSION).glob("*.json"):
        (out / path.name).write_text(local(json.loads(path.read_text())))
    for definition in definitions:
        spec = yaml.safe_load(Path(definition).read_text())["spec"]
        for version in spec["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            schema["properties"]["metadata"] = {"type": "object", "additionalProperties": True}
            name = f"{spec['names']['singular']}-{spec['group'].split('.')[0]}-{version['name']}.json"
            (out / name).write_text(json.dumps(strict(schema)))


main(*sys.argv[1:])
