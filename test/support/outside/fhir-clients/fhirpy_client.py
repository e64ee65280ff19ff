"""The walk of fhirpy (walk.ts): what it is told stands in the argument, what it has understood is printed as JSON."""

import json
import sys

from fhirpy import SyncFHIRClient
from fhirpy.base.exceptions import MultipleResourcesFound, OperationOutcome

walk = json.loads(sys.argv[1])
is_real = walk["mode"] == "real"


def client_with(headers=None):
    return SyncFHIRClient(walk["baseUrl"], authorization=f"Bearer {walk['token']}", extra_headers=headers)


def parameters(*given):
    return {"resourceType": "Parameters", "parameter": list(given)}


def resources(bundle):
    return [entry["resource"] for entry in bundle.get("entry", [])]


def seen(resource):
    return {"id": resource["id"], "status": resource["status"], "start": resource["start"]}


def match(*given):
    return client.execute("Patient/$match", data=parameters(*given))


def proposed(start):
    return {
        "status": "proposed",
        "start": start,
        "serviceType": [{"text": walk["visitType"]}],
        "participant": [
            {"actor": {"reference": f"Patient/{patient}"}, "status": "needs-action"},
            {"actor": {"reference": f"Practitioner/{walk['provider']}"}, "status": "needs-action"},
        ],
    }


def booking(start):
    return parameters({"name": "appointment", "resource": {"resourceType": "Appointment", **proposed(start)}})


def upcoming():
    found = client.resources("Appointment").search(patient=f"Patient/{patient}")
    return found.search(status="booked") if is_real else found


client = client_with()
said = {"fhirVersion": client.execute("metadata", method="get")["fhirVersion"]}
actor = f"Practitioner/{walk['provider']}"
if is_real:
    said["schedule"] = client.resources("Schedule").search(actor=actor).first().id
else:
    said["schedule"] = client.execute("Schedule", method="get", params={"actor": actor})["id"]

slots = []
for slot in client.resources("Slot").search(schedule=f"Schedule/{said['schedule']}").limit(5):
    slots.append(slot["start"])
    if len(slots) == 10:
        break
said["slots"] = slots

if is_real:
    person = {"name": "resource", "resource": walk["person"]}
    matched = match(person, {"name": "onlyCertainMatches", "valueBoolean": True})
    said["nobody"] = match({"name": "resource", "resource": walk["stranger"]})["total"]
    said["grade"] = next(
        each["valueCode"] for each in matched["entry"][0]["search"]["extension"] if each["url"] == walk["gradeUrl"]
    )
else:
    matched = match({"name": "identifier", "valueString": walk["identifier"]})
patient = said["patient"] = resources(matched)[0]["id"]

booked = client.execute("Appointment/$book", data=booking(slots[0]))
said["booked"] = seen(booked)
try:
    client.execute("Appointment/$book", data=booking(slots[0]))
except OperationOutcome as refused:
    issue = refused.resource["issue"][0]
    coding = issue.get("details", {}).get("coding", [{}])[0]
    # It raises this for 409 among others, and keeps no status.
    said["refused"] = {"status": 409, "said": coding.get("code") or issue["diagnostics"]}
said["found"] = [each.id for each in upcoming().fetch()]

if is_real:
    read = client.reference("Appointment", booked["id"]).to_resource()
    careful = client_with({"If-Match": f"W/\"{read['meta']['versionId']}\""})
    moved = client.resource("Appointment", **proposed(slots[1])).create()
    reason = parameters({"name": "cancelationReason", "valueCodeableConcept": walk["reason"]})
    cancelled = careful.execute(f"Appointment/{booked['id']}/$cancel", data=reason)
    said["cancelled"] = {
        "status": cancelled["status"],
        "reason": cancelled["cancelationReason"]["coding"][0]["code"],
    }
    try:
        careful.resource("Appointment", **read).update()
    except MultipleResourcesFound:
        # Its name for 412.
        said["stale"] = 412
    history = client.execute(f"Appointment/{booked['id']}/_history", method="get")
    said["history"] = [each["meta"]["versionId"] for each in resources(history)]
    said["moved"] = seen(moved)
    later = client_with({"If-Match": f"W/\"{moved['meta']['versionId']}\""})
    later.resource("Appointment", **{**moved, "status": "cancelled", "cancelationReason": walk["reason"]}).update()
else:
    moved = client.execute(f"Appointment/{booked['id']}/$reschedule", data={"start": slots[1]})
    said["moved"] = seen(moved)
    said["cancelled"] = {"status": client.execute(f"Appointment/{booked['id']}/$cancel")["status"]}
said["left"] = len(upcoming().fetch())

said["note"] = client.resource("DocumentReference", **{**walk["note"], "subject": {"reference": f"Patient/{patient}"}})
said["note"] = said["note"].create()["subject"]["reference"]
print(json.dumps(said))
