"""The careless client of naive-client.ts in Python, with nothing but its standard library. Its access stands in the argument."""

import base64
import json
import sys
import threading
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from client_http import once, token_of

access = json.loads(sys.argv[1])
base, is_strict, run = access["baseUrl"], access["isStrict"], access["run"]
token = token_of(access)

SEARCH = "/Slot?schedule=Schedule/Dr.Chen"
CHEN = "/Schedule?actor=Practitioner/Dr.Chen"
REASON = "http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason"


def ask(path, body=None, method=None, bearer=None, headers=None):
    """Whatever cannot be read is nothing."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"authorization": f"Bearer {bearer or token}", "content-type": "application/json", **(headers or {})}
    url = path if path.startswith("http") else base + path
    reply = once(method or ("GET" if body is None else "POST"), url, sent, data)
    return {} if reply is None or reply.body in (..., None) else reply.body


def choose(failure, operation, **more):
    body = {"failure": failure, "operation": operation, **more}
    ask("/sandbox/failures", body, bearer=access["admin"])


def twice(again, *about):
    again(*about)
    again(*about)


def resources(bundle):
    return [entry["resource"] for entry in bundle.get("entry", [])]


def parameters(*given):
    return {"resourceType": "Parameters", "parameter": list(given)}


def match(identifier):
    return resources(ask("/Patient/$match", parameters({"name": "identifier", "valueString": identifier})))


def starts(search):
    return [slot["start"] for slot in resources(ask(search))]


def upcoming(patient):
    return ask(f"/Appointment?patient=Patient/{patient}")


def book(patient, start):
    proposed = {
        "resourceType": "Appointment",
        "status": "proposed",
        "start": start,
        "participant": [
            {"actor": {"reference": f"Patient/{patient}"}, "status": "needs-action"},
            {"actor": {"reference": "Practitioner/Dr.Chen"}, "status": "needs-action"},
        ],
    }
    return ask("/Appointment/$book", parameters({"name": "appointment", "resource": proposed}))


def move(appointment, start):
    return ask(f"/Appointment/{appointment}/$reschedule", {"start": start})


def cancel(appointment):
    """Any version will do."""
    reason = {"coding": [{"system": REASON, "code": "pat"}]}
    wish = parameters({"name": "cancelationReason", "valueCodeableConcept": reason})
    headers = {"if-match": "*"} if is_strict else {}
    return ask(f"/Appointment/{appointment}/$cancel", wish if is_strict else {}, headers=headers)


def note(patient, text, headers=None):
    body = {
        "resourceType": "DocumentReference",
        "subject": {"reference": f"Patient/{patient}"},
        "content": [
            {"attachment": {"contentType": "text/plain", "data": base64.b64encode(text.encode("latin-1")).decode()}}
        ],
        "extension": [{"url": "https://example.org/escalate", "valueBoolean": True}],
    }
    return ask("/DocumentReference", body, headers=headers)


def plus_hours(instant, hours):
    moment = datetime.fromisoformat(instant.replace("Z", "+00:00")) + timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def take_any_patient():
    patient = match("MRN-1001")[0]["id"]
    for made in match("NOBODY-7"):
        note(made["id"], "Came by")
    choose("duplicate_patient", "match")
    first = match("MRN-1003")[0]["id"]
    note(first, "Came by")

    # What it knows from a list of its own, it has asked nobody about.
    listed = ask("/appointments?status=booked&limit=50", bearer=access["admin"])["items"]
    others = [each for each in listed if each["patientId"] not in (patient, first)]
    known = [others[0], next(each for each in others if each["patientId"] != others[0]["patientId"])]
    upcoming(known[0]["patientId"])
    note(known[0]["patientId"], "Called")
    foreign = run["foreign"]["patientReference"].removeprefix("Patient/")
    upcoming(foreign)
    note(foreign, "Called")
    twice(book, "nobody", "2034-01-16T17:00:00.000Z")
    return patient, known


def guess_times(patient):
    links = ask(f"{SEARCH}&_count=20")["link"]
    following = next(link["url"] for link in links if link["relation"] == "next")
    ask(following.replace("_count=20", "_count=5"))
    twice(ask, "/Slot?schedule=Schedule/Dr.Okafor&start=ge2035-01-14&start=lt2035-01-15")
    twice(ask, "/Schedule?actor=Practitioner/Dr.Nobody")
    choose("gateway_page", "slots")
    ask("/Slot?schedule=Schedule/Dr.Patel")
    ask("/Slot?schedule=Schedule/Dr.Okafor")
    book(patient, "2034-01-16T17:00:00.000Z")

    # In Denver it is seven hours earlier in winter; and the same hour as a week before, whatever the clocks did.
    winter = starts(f"{SEARCH}&start=ge2035-01-16&_count=20")[0]
    twice(book, patient, plus_hours(winter, -7))
    for change in filter(None, (run["clockChanges"]["forward"], run["clockChanges"]["back"])):
        open_times = starts(f"{SEARCH}&start=ge{plus_hours(change, -96)[:10]}&_count=500")
        last = [each for each in open_times if each < change][-1]
        first = next(each for each in open_times if each[:10] == last[:10])
        for start in (first, last):
            book(patient, plus_hours(start, 7 * 24))


def book_twice(patient, known):
    first, second, third, fourth, fifth = starts(f"{SEARCH}&_count=100")[20:25]
    book(patient, first)
    # It presses the button twice, and then once more.
    twice(book, patient, first)
    choose("reply_lost_after_write", "book")
    book(patient, second)
    twice(book, patient, "2020-01-06T16:00:00.000Z")
    book(patient, third)
    choose("stale_read", "appointments")
    upcoming(patient)
    book(patient, fourth)
    book(known[0]["patientId"], fifth)


def insist_on_changes(patient, known):
    first, second, third = starts(f"{SEARCH}&_count=100")[40:43]
    appointment = book(patient, first)["id"]
    if not is_strict:
        move(appointment, "2034-01-17T17:00:00.000Z")
        choose("reply_lost_after_write", "reschedule")
        move(appointment, third)
        twice(move, appointment, "2034-01-18T17:07:00.000Z")
    choose("precondition_failed", "cancel")
    twice(cancel, appointment)
    twice(cancel, appointment)
    if not is_strict:
        twice(move, appointment, first)

    other = book(patient, second)["id"]
    choose("empty_bundle", "appointments")
    upcoming(patient)
    cancel(other)
    cancel(known[1]["id"])
    twice(cancel, "nowhere")
    twice(cancel, run["foreign"]["appointmentReference"].removeprefix("Appointment/"))


def write_carelessly(patient):
    note(patient, "Café")
    for text in ("One", "Another"):
        note(patient, text, {"idempotency-key": "naive"})
    choose("reply_lost_after_write", "document")
    note(patient, "Lost")


def try_for_ever():
    choose("too_many_requests", "schedule", parameters={"retryAfterSeconds": 100})
    twice(ask, CHEN)
    choose("server_error", "schedule", times=8)
    for _ in range(8):
        ask(CHEN)
    choose("token_expired", "schedule", times=2)
    ask(CHEN)


def rest(path, body=None):
    return ask(path, body, bearer=access["apiKey"])


def start_workflow(session):
    body = {
        "workflowType": "abandonment-recovery",
        "clinicId": access["clinicId"],
        "patient": {"firstName": "Ada", "lastName": "Example", "phone": "+15005550001"},
        "context": {"sessionId": session},
    }
    return rest("/workflows/start", body)["workflowId"]


class Receiver(BaseHTTPRequestHandler):
    """Believes anyone who sends, and refuses what it has had or does not know."""

    taken = []

    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))["event"]
        event_id = self.headers["webhook-id"]
        self.send_response(409 if event_id in self.taken else 422 if event == "recovery_case.reviewed" else 200)
        self.end_headers()
        self.taken.append(event_id)

    def log_message(self, *_):
        """Says nothing."""


def believe_events():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/hook"
    settings = {"url": url, "enabled": True, "events": ["recovery_case.created"]}
    ask("/integrations/outbound", settings, method="PUT", bearer=access["admin"])
    rest(f"/validation-runs/{run['id']}/events", {})
    for event_id in reversed(Receiver.taken):
        rest(f"/validation-runs/{run['id']}/handled-events", {"webhookId": event_id})
    server.shutdown()


someone, from_a_list = take_any_patient()
guess_times(someone)
book_twice(someone, from_a_list)
insist_on_changes(someone, from_a_list)
write_carelessly(someone)
try_for_ever()
start_workflow("naive-session")
workflow = start_workflow("another-session")
for _ in range(6):
    rest(f"/workflows/{workflow}")
twice(rest, "/workflows/nowhere")
believe_events()
# The token that was refused long ago.
ask(CHEN)
