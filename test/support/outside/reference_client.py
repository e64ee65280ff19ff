"""The good client of reference-client.ts in Python, with nothing but its standard library. Its access stands in the argument."""

import base64
import hashlib
import hmac
import json
import queue
import sys
import threading
import time
import uuid
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from client_http import once, token_of

MAX_TRIES = 4
REASON = "http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason"
PROVIDER = "Dr.Chen"
RESTING = "Dr.Okafor"
SEARCH = f"schedule=Schedule/{PROVIDER}"

access = json.loads(sys.argv[1])
base, is_strict, run = access["baseUrl"], access["isStrict"], access["run"]
token = ""


def send(method, path, bearer, body=None, key=None, **more):
    url = path if path.startswith("http") else base + path
    data = None if body is None else json.dumps(body).encode()
    has_signed_in = False
    tries = 0
    while True:
        tries += 1
        headers = {"accept": "application/fhir+json, application/json", "authorization": f"Bearer {bearer()}"}
        if data is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        headers.update({name.replace("_", "-"): value for name, value in more.items()})
        reply = once(method, url, headers, data)
        if reply is not None and reply.status == 401 and not has_signed_in and bearer() == token:
            sign_in()
            has_signed_in = True
            tries -= 1
            continue
        may_come_good = reply is None or reply.body is ... or reply.status == 429 or reply.status >= 500
        if not may_come_good or tries == MAX_TRIES:
            return reply
        time.sleep(reply.retry_after if reply is not None and reply.retry_after else 0.02)


def fhir(method, path, **sent):
    return send(method, path, lambda: token, **sent)


def rest(method, path, **sent):
    return send(method, path, lambda: access["apiKey"], **sent)


def as_admin(method, path, body):
    return send(method, path, lambda: access["admin"], body=body)


def choose(failure, operation):
    as_admin("POST", "/sandbox/failures", {"failure": failure, "operation": operation})


def new_key():
    return str(uuid.uuid4())


def sign_in():
    global token
    token = token_of(access)


def resources(bundle):
    return [entry["resource"] for entry in bundle.get("entry", [])]


def parameters(*given):
    return {"resourceType": "Parameters", "parameter": list(given)}


def proposed(patient, start):
    return {
        "resourceType": "Appointment",
        "status": "proposed",
        "start": start,
        "serviceType": [{"text": "Annual physical"}],
        "participant": [
            {"actor": {"reference": f"Patient/{patient}"}, "status": "needs-action"},
            {"actor": {"reference": f"Practitioner/{PROVIDER}"}, "status": "needs-action"},
        ],
    }


def slots(search):
    starts, url = [], f"/Slot?{search}"
    while url:
        bundle = fhir("GET", url).body
        starts += [slot["start"] for slot in resources(bundle)]
        url = next((link["url"] for link in bundle["link"] if link["relation"] == "next"), None)
    return starts


def match(identifier):
    asked = parameters({"name": "identifier", "valueString": identifier})
    return resources(fhir("POST", "/Patient/$match", body=asked).body)


def book(patient, start):
    body = parameters({"name": "appointment", "resource": proposed(patient, start)})
    return fhir("POST", "/Appointment/$book", body=body, key=new_key())


def create(patient, start):
    body = {**proposed(patient, start), "status": "booked"}
    return fhir("POST", "/Appointment", body=body, if_none_exist=f"identifier=urn:ours|{new_key()}")


def move(appointment, start):
    body = parameters({"name": "start", "valueInstant": start})
    return fhir("POST", f"/Appointment/{appointment}/$reschedule", body=body, key=new_key())


def upcoming(patient):
    return fhir("GET", f"/Appointment?patient=Patient/{patient}")


def read(appointment, patient):
    return fhir("GET", f"/Appointment/{appointment}") if is_strict else upcoming(patient)


def cancel(appointment, etag):
    path = f"/Appointment/{appointment}/$cancel"
    if not is_strict:
        return fhir("POST", path)
    reason = {"coding": [{"system": REASON, "code": "pat"}]}
    body = parameters({"name": "cancelationReason", "valueCodeableConcept": reason})
    return fhir("POST", path, body=body, if_match=etag)


def note(patient, text, wish):
    body = {
        "resourceType": "DocumentReference",
        "status": "current",
        "subject": {"reference": f"Patient/{patient}"},
        "content": [{"attachment": {"contentType": "text/plain", "data": base64.b64encode(text.encode()).decode()}}],
        "extension": [{"url": f"{base}/StructureDefinition/{wish}" if is_strict else wish, "valueBoolean": True}],
    }
    return fhir("POST", "/DocumentReference", body=body, key=new_key())


def id_of(reference):
    return reference.split("/")[-1]


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def written(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Receiver(BaseHTTPRequestHandler):
    known = set()
    handled = queue.Queue()

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        event_id = self.headers["webhook-id"]
        is_fine = self.is_genuine(raw)
        self.send_response(204 if is_fine else 401)
        self.end_headers()
        if not is_fine or event_id in self.known or not json.loads(raw)["event"].startswith("recovery_case."):
            return
        self.known.add(event_id)
        self.handled.put(event_id)

    def is_genuine(self, raw):
        stamp = self.headers["webhook-timestamp"]
        if abs(time.time() - float(stamp)) >= 300:
            return False
        key = base64.b64decode(access["signingSecret"].removeprefix("whsec_"))
        signed = f"{self.headers['webhook-id']}.{stamp}.".encode() + raw
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        given = self.headers["webhook-signature"].split(" ")
        return any(hmac.compare_digest(each.removeprefix("v1,"), expected) for each in given)

    def log_message(self, *_):
        """Says nothing."""


def act_upon_events():
    while (event_id := Receiver.handled.get()) is not None:
        rest("POST", f"/validation-runs/{run['id']}/handled-events", body={"webhookId": event_id})


def find_patients():
    choose("too_many_requests", "schedule")
    fhir("GET", f"/Schedule?actor=Practitioner/{PROVIDER}")
    patient = match("MRN-1001")[0]["id"]
    match(f"NOBODY-{new_key()}")
    choose("duplicate_patient", "match")
    match("MRN-1003")
    upcoming(id_of(run["foreign"]["patientReference"]))
    without = match("MRN-1012")[0]["id"]
    upcoming(without)
    start = slots(f"{SEARCH}&_count=100")[0]
    book(without, start)
    book("nobody", start)
    return patient


def find_times(patient):
    fhir("GET", "/Schedule?actor=Practitioner/Dr.Nobody")
    choose("gateway_page", "slots")
    slots(f"{SEARCH}&_count=90")
    fhir("GET", f"/Schedule?actor=Practitioner/{RESTING}")
    fhir("GET", f"/Slot?schedule=Schedule/{RESTING}&start=ge2035-01-14&start=lt2035-01-15")
    slots(f"schedule=Schedule/{RESTING}&start=ge2035-01-15&start=lt2035-01-17")
    for change in filter(None, (run["clockChanges"]["forward"], run["clockChanges"]["back"])):
        day_before = (instant(change) - timedelta(days=2)).date().isoformat()
        open_times = slots(f"{SEARCH}&start=ge{day_before}&_count=500")
        start = next((each for each in open_times if instant(each) >= instant(change)), None)
        if start:
            book(patient, start)


def book_times(patient):
    first, second, third = slots(f"{SEARCH}&_count=100")[10:13]
    choose("slot_goes", "book")
    book(patient, first)
    slots(f"{SEARCH}&_count=100")
    choose("reply_lost_after_write", "book")
    booked = book(patient, second).body
    book(patient, written(instant(third) + timedelta(minutes=10)))
    book(patient, "2020-01-06T16:00:00.000Z")
    fhir("POST", "/Appointment/$book", body=parameters(), key=new_key())
    slots(f"{SEARCH}&_count=100")
    (create if is_strict else book)(patient, third)
    choose("stale_read", "appointments")
    upcoming(patient)
    upcoming(patient)
    return booked["id"], first


def change_appointment(patient, appointment, first):
    _, _, fourth, fifth = slots(f"{SEARCH}&_count=100")[10:14]
    if not is_strict:
        move(appointment, first)
        choose("reply_lost_after_write", "reschedule")
        move(appointment, fourth)
    etag = read(appointment, patient).etag
    choose("precondition_failed", "cancel")
    cancel(appointment, etag)
    current = read(appointment, patient)
    cancelled = cancel(appointment, current.etag)
    cancel(appointment, cancelled.etag)
    if is_strict:
        fhir("GET", f"/Appointment/{appointment}/_history")
    else:
        move(appointment, fifth)
    cancel("nowhere", 'W/"1"')
    cancel(id_of(run["foreign"]["appointmentReference"]), 'W/"1"')


def follow_workflow():
    body = {
        "workflowType": "abandonment-recovery",
        "clinicId": access["clinicId"],
        "patient": {"firstName": "Ada", "lastName": "Example", "phone": "+15005550001"},
        "context": {"sessionId": f"session-{new_key()}", "resumeUrl": "https://forms.example/resume/1"},
    }
    workflow = rest("POST", "/workflows/start", body=body, key=new_key()).body["workflowId"]
    rest("GET", "/workflows/nowhere")
    while rest("GET", f"/workflows/{workflow}?wait=30").body["status"] == "started":
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
worker = threading.Thread(target=act_upon_events)
worker.start()
url = f"http://127.0.0.1:{server.server_port}/hook"
wanted = ["recovery_case.created", "recovery_case.outcome"]
as_admin("PUT", "/integrations/outbound", {"url": url, "enabled": True, "events": wanted})

try:
    sign_in()
    patient_id = find_patients()
    find_times(patient_id)
    change_appointment(patient_id, *book_times(patient_id))
    choose("reply_lost_after_write", "document")
    note(patient_id, "Wants to come on a Tuesday. Très naïve ✓", "escalateToClinicalTeam")
    note(patient_id, "Asks for the records of her last doctor.", "requestExternalRecords")
    choose("token_expired", "appointments")
    upcoming(patient_id)
    follow_workflow()
    rest("POST", f"/validation-runs/{run['id']}/events")
finally:
    Receiver.handled.put(None)
    worker.join()
    server.shutdown()
