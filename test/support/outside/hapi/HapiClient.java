import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.rest.api.MethodOutcome;
import ca.uhn.fhir.rest.client.api.IGenericClient;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import ca.uhn.fhir.rest.server.exceptions.BaseServerResponseException;
import ca.uhn.fhir.rest.server.exceptions.PreconditionFailedException;
import ca.uhn.fhir.rest.server.exceptions.ResourceVersionConflictException;
import ca.uhn.fhir.util.BundleUtil;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.hl7.fhir.r4.model.*;

/** The walk of HAPI FHIR's generic client (walk.ts): what it is told stands in the argument, what it has understood is printed as JSON. */
public class HapiClient {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FhirContext context = FhirContext.forR4();
  private final JsonNode walk;
  private final boolean isReal;
  private final IGenericClient client;
  private final ObjectNode said = JSON.createObjectNode();
  private String patient;

  public static void main(String[] args) throws Exception {
    System.out.println(new HapiClient(JSON.readTree(args[0])).walked());
    System.exit(0);
  }

  private HapiClient(JsonNode walk) {
    this.walk = walk;
    isReal = text("mode").equals("real");
    client = context.newRestfulGenericClient(text("baseUrl"));
    client.registerInterceptor(new BearerTokenAuthInterceptor(text("token")));
  }

  private String walked() throws Exception {
    CapabilityStatement capabilities = client.capabilities().ofType(CapabilityStatement.class).execute();
    said.put("fhirVersion", capabilities.getFhirVersion().toCode());
    String actor = "Practitioner/" + text("provider");
    Schedule schedule =
        isReal
            ? (Schedule)
                BundleUtil.toListOfResourcesOfType(
                        context,
                        client.search().forResource(Schedule.class).where(Schedule.ACTOR.hasId(actor)).returnBundle(Bundle.class).execute(),
                        Schedule.class)
                    .get(0)
            : client.fetchResourceFromUrl(Schedule.class, text("baseUrl") + "/Schedule?actor=" + actor);
    said.put("schedule", schedule.getIdElement().getIdPart());

    Bundle page =
        client
            .search()
            .forResource(Slot.class)
            .where(Slot.SCHEDULE.hasId("Schedule/" + said.get("schedule").asText()))
            .count(5)
            .returnBundle(Bundle.class)
            .execute();
    List<Slot> slots = new ArrayList<>(BundleUtil.toListOfResourcesOfType(context, page, Slot.class));
    Bundle next = client.loadPage().next(page).execute();
    slots.addAll(BundleUtil.toListOfResourcesOfType(context, next, Slot.class));
    slots.forEach(slot -> said.withArray("slots").add(instant(slot.getStart())));

    Bundle matched;
    if (isReal) {
      matched = match(new Parameters().addParameter(part("resource", "person")).addParameter("onlyCertainMatches", true));
      Extension grade = matched.getEntryFirstRep().getSearch().getExtensionByUrl(text("gradeUrl"));
      said.put("grade", grade.getValue().primitiveValue());
      said.put("nobody", match(new Parameters().addParameter(part("resource", "stranger"))).getTotal());
    } else {
      matched = match(new Parameters().addParameter("identifier", text("identifier")));
    }
    patient = matched.getEntryFirstRep().getResource().getIdElement().getIdPart();
    said.put("patient", patient);

    Appointment booked = book(slots.get(0));
    String id = booked.getIdElement().getIdPart();
    said.set("booked", seen(booked));
    try {
      book(slots.get(0));
    } catch (ResourceVersionConflictException refused) {
      OperationOutcome.OperationOutcomeIssueComponent issue =
          ((OperationOutcome) refused.getOperationOutcome()).getIssueFirstRep();
      String code = issue.getDetails().getCodingFirstRep().getCode();
      said.putObject("refused").put("status", refused.getStatusCode()).put("said", code != null ? code : issue.getDiagnostics());
    }
    upcoming().getEntry().forEach(each -> said.withArray("found").add(each.getResource().getIdElement().getIdPart()));

    if (isReal) moveLikeARealEhr(booked, slots.get(1));
    else {
      Appointment moved =
          operate(id, "$reschedule", new Parameters().addParameter(new Parameters.ParametersParameterComponent()
              .setName("start").setValue(new InstantType(slots.get(1).getStart()))), null);
      said.set("moved", seen(moved));
      said.putObject("cancelled").put("status", operate(id, "$cancel", new Parameters(), null).getStatus().toCode());
    }
    said.put("left", upcoming().getTotal());

    DocumentReference note = context.newJsonParser().parseResource(DocumentReference.class, walk.get("note").toString());
    note.setSubject(new Reference("Patient/" + patient));
    MethodOutcome written = client.create().resource(note).execute();
    if (isReal && (!written.getCreated() || written.getId().getIdPart() == null)) throw new Exception("no id of the note");
    said.put("note", ((DocumentReference) written.getResource()).getSubject().getReference());
    return said.toString();
  }

  private void moveLikeARealEhr(Appointment booked, Slot slot) throws Exception {
    String id = booked.getIdElement().getIdPart();
    Appointment read = client.read().resource(Appointment.class).withId(id).execute();
    Appointment wanted = proposed(slot);
    wanted.addIdentifier().setSystem("urn:hapi").setValue(id);
    MethodOutcome created =
        client.create().resource(wanted).conditional().where(Appointment.IDENTIFIER.exactly().systemAndIdentifier("urn:hapi", id)).execute();
    Appointment moved = (Appointment) created.getResource();
    said.set("moved", seen(moved));

    CodeableConcept reason = new CodeableConcept();
    reason.addCoding().setSystem(walk.at("/reason/coding/0/system").asText()).setCode(walk.at("/reason/coding/0/code").asText());
    Parameters why = new Parameters();
    why.addParameter().setName("cancelationReason").setValue(reason);
    Appointment cancelled = operate(id, "$cancel", why, etag(read));
    said.putObject("cancelled")
        .put("status", cancelled.getStatus().toCode())
        .put("reason", cancelled.getCancelationReason().getCodingFirstRep().getCode());
    try {
      // It sends If-Match by itself, from the version in the id of what it read.
      client.update().resource(read).withId(read.getIdElement()).execute();
    } catch (PreconditionFailedException | ResourceVersionConflictException refused) {
      said.put("stale", ((BaseServerResponseException) refused).getStatusCode());
    }
    Bundle history = client.history().onInstance(new IdType("Appointment", id)).returnBundle(Bundle.class).execute();
    history.getEntry().forEach(each -> said.withArray("history").add(each.getResource().getMeta().getVersionId()));

    moved.setStatus(Appointment.AppointmentStatus.CANCELLED);
    moved.setCancelationReason(reason);
    client.update().resource(moved).withId(moved.getIdElement()).execute();
  }

  private String text(String name) {
    return walk.get(name).asText();
  }

  private Parameters.ParametersParameterComponent part(String name, String of) {
    Resource resource = (Resource) context.newJsonParser().parseResource(walk.get(of).toString());
    return new Parameters.ParametersParameterComponent().setName(name).setResource(resource);
  }

  private Bundle match(Parameters given) {
    return client.operation().onType(Patient.class).named("$match").withParameters(given).returnResourceType(Bundle.class).execute();
  }

  private Appointment proposed(Slot slot) {
    Appointment appointment = new Appointment();
    appointment.setStatus(Appointment.AppointmentStatus.PROPOSED).setStart(slot.getStart());
    appointment.addServiceType().setText(text("visitType"));
    for (String actor : List.of("Patient/" + patient, "Practitioner/" + text("provider")))
      appointment.addParticipant().setActor(new Reference(actor)).setStatus(Appointment.ParticipationStatus.NEEDSACTION);
    return appointment;
  }

  private Appointment book(Slot slot) {
    Parameters given = new Parameters();
    given.addParameter().setName("appointment").setResource(proposed(slot));
    return client.operation().onType(Appointment.class).named("$book").withParameters(given).returnResourceType(Appointment.class).execute();
  }

  private Appointment operate(String id, String name, Parameters given, String ifMatch) {
    var operation =
        client.operation().onInstance(new IdType("Appointment", id)).named(name).withParameters(given).returnResourceType(Appointment.class);
    return ifMatch == null ? operation.execute() : operation.withAdditionalHeader("If-Match", ifMatch).execute();
  }

  private Bundle upcoming() {
    var search = client.search().forResource(Appointment.class).where(Appointment.PATIENT.hasId("Patient/" + patient));
    return (isReal ? search.and(Appointment.STATUS.exactly().code("booked")) : search).returnBundle(Bundle.class).execute();
  }

  private static String etag(Appointment appointment) {
    return "W/\"" + appointment.getMeta().getVersionId() + "\"";
  }

  private static String instant(Date value) {
    return DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC).format(value.toInstant());
  }

  private static ObjectNode seen(Appointment appointment) {
    return JSON.createObjectNode()
        .put("id", appointment.getIdElement().getIdPart())
        .put("status", appointment.getStatus().toCode())
        .put("start", instant(appointment.getStart()));
  }
}
